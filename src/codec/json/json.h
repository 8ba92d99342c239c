/*
 * Parses incoming JSON with jansson (RFC 8259). view.h writes outgoing JSON, because jansson's trees are too
 * slow for it.
 *
 * Every input is checked here: duplicate keys, invalid UTF-8 and NUL are refused. Depth and number of
 * containers are counted before jansson allocates memory, because nested input costs it about 80 times its
 * size.
 *
 *     AUTO(json_t) body = NULL;
 *     rc = json_parse(text, cap, &body, e);
 */
#ifndef ALFRED_CODEC_JSON_JSON_H
#define ALFRED_CODEC_JSON_JSON_H

#include <jansson.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"

#define JSON_DEPTH_MAX      32    /* nesting of objects and arrays */
#define JSON_CONTAINERS_MAX 20000 /* objects and arrays in one text */

/* Before the first value: jansson gets memory from xmalloc(). With malloc() it would leave out members
 * without a word when memory is out. */
void json_begin(void);

static inline void json_t_free(struct json_t *v)
{
    json_decref(v); /* NULL is fine */
}
DEFINE_AUTO(json_t);

/*
 * Parses an object or array; the caller owns `*out`. RC_TOO_BIG: beyond `cap` bytes or the limits above.
 * RC_BAD_INPUT: not strict JSON, with a sentence for the user that names line and column (in characters, from
 * 1) and never quotes the text.
 */
enum rc json_parse(struct str text, size_t cap, json_t **out, struct err *e);

/* An upper bound of the values in a text, counted before parsing like the containers. Each costs jansson up
 * to 150 bytes, whatever its size is. */
size_t json_values(struct str text);

/* Limits on the shape of a text. json_parse() uses JSON_LIMITS. */
struct json_limits {
    size_t depth, containers;
};
#define JSON_LIMITS ((struct json_limits){JSON_DEPTH_MAX, JSON_CONTAINERS_MAX})

/* json_parse() with other limits. */
enum rc json_parse_within(struct str text, size_t cap, struct json_limits most, json_t **out, struct err *e);

/* Appends an object or list without whitespace between its parts; numbers and escapes are unchanged.
 * False, with nothing appended: json_parse_within() refuses the text. */
bool json_compact(struct strbuf *out, struct str text, struct json_limits most);
/* Appends `text` as one JSON value on one line: compact, or as a string when it is not JSON. */
void json_add_compact(struct strbuf *out, struct str text, struct json_limits most);

/*
 * Typed access to a member. False: `obj` is not an object (or NULL), or the member is absent or of another
 * type; `*out` is then unchanged. Strings end in NUL and are valid as long as `obj`.
 */
bool json_get_str(const json_t *obj, const char *key, struct str *out);
bool json_get_int(const json_t *obj, const char *key, int64_t *out);

#endif
