/*
 * Percent-encoding (RFC 3986), and which links may stand in a page.
 *
 * What is decoded is text: valid UTF-8 without NUL, else RC_BAD_INPUT, as for an escape that is none. Decoded
 * slices live in the arena and end in NUL.
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

enum rc url_decode(struct arena *a, struct str in, enum url_plus plus, struct str *out, struct err *e);

/* Appends `s` so that it may stand as one path segment, query name or query value: all but A-Z a-z 0-9 - . _
 * ~ is escaped. */
void url_encode(struct strbuf *out, struct str s);

#define URL_LINK_MAX 2048 /* bytes of a link in a page; longer ones are no links that people made */

/*
 * May this be the href of a link that somebody else wrote? Only "https://" with a host and "mailto:" with an
 * address, any case, without white space, control characters, backslashes or quotes. Character references
 * must be decoded before.
 */
bool url_link_allowed(struct str url);

/*
 * Is this an address within Alfred that a text may lead to? Only a session or a message of one, as tools give
 * them
 * ("/s/ses_...", then "?at=" and "#m-" with a number), the memory page and the to-do list: looking at them
 * changes nothing, and none of them takes anything that a text could carry away.
 */
bool url_link_inside(struct str url);

#endif
