/*
 * Percent-encoding (RFC 3986), and the links that a page may have.
 *
 * Decoded text is valid UTF-8 without NUL; otherwise the result is RC_BAD_INPUT, as for an invalid escape.
 * Decoded slices are in the arena and end in NUL.
 */
#ifndef ALFRED_CODEC_URL_H
#define ALFRED_CODEC_URL_H

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum url_plus {
    URL_PLUS_IS_PLUS, /* paths */
    URL_PLUS_IS_SPACE /* forms and query strings */
};

/* Decodes %XX, and "+" as `plus` says. */
enum rc url_decode(struct arena *a, struct str in, enum url_plus plus, struct str *out, struct err *e);

/* Appends `s` for use as one path segment, query name or query value: all but A-Z a-z 0-9 - . _ ~ is
 * escaped. */
void url_encode(struct strbuf *out, struct str s);

/* One name and value of a query. */
struct url_part {
    const char *name;
    struct str value;
};

/* `path` with the parts as encoded query; parts without a value are omitted. An existing query is
 * continued with '&'. In the arena. */
const char *url_with(struct arena *a, const char *path, const struct url_part *parts, size_t n);
#define URL_WITH(a, path, ...)                          \
    url_with(a, path, (struct url_part[]){__VA_ARGS__}, \
        sizeof((struct url_part[]){__VA_ARGS__}) / sizeof(struct url_part))

#define URL_LINK_MAX 2048 /* bytes of a link in a page */

/*
 * True when a text by another author may link to this address: "https://" with a host or "mailto:" with an
 * address, in any case, without white space, control characters, backslashes or quotes. Character references
 * must be decoded before.
 */
bool url_link_allowed(struct str url);

/*
 * True for an address within Alfred that a text may link to: a session or a message of one, as tools return
 * them ("/s/ses_...", then "?at=" and "#m-" with a number), the memory page, also at a fact ("?after=" and
 * "#memory-" with a number), the to-do list, the reminders and the settings. Opening one of them changes
 * nothing, and these addresses have no free part that could carry data.
 */
bool url_link_inside(struct str url);

#endif
