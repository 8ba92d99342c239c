/*
 * JSON that comes in, on jansson (RFC 8259). What goes out is written by view.h: jansson's trees cost too
 * much there.
 *
 * Everything is checked at this door: duplicate keys, invalid UTF-8 and NUL are refused, and depth and the
 * number of containers are counted before jansson allocates anything, because nested input costs it about 80
 * times its size.
 *
 *     AUTO(json_t) body = NULL;
 *     rc = json_parse(text, cap, &body, e);
 */
#ifndef ALFRED_CODEC_JSON_H
#define ALFRED_CODEC_JSON_H

#include <jansson.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define JSON_DEPTH_MAX      32    /* objects and arrays inside each other */
#define JSON_CONTAINERS_MAX 20000 /* objects and arrays in one text */

static inline void json_t_free(struct json_t *v)
{
    json_decref(v); /* NULL is fine */
}
DEFINE_AUTO(json_t);

/*
 * Parses an object or array; `*out` is the caller's. RC_TOO_BIG beyond `cap` bytes or the limits above,
 * RC_BAD_INPUT for anything that is not strict JSON: a sentence for the user that names line and column (in
 * characters, from 1) and never quotes the text.
 */
enum rc json_parse(struct str text, size_t cap, json_t **out, struct err *e);

/* The same with another limit of containers: for files that somebody brings, read one value at a time. */
enum rc json_parse_large(struct str text, size_t cap, size_t containers, json_t **out, struct err *e);

/*
 * Typed access to a member. False when `obj` is no object (NULL too), the member is absent or of another
 * type; `*out` is untouched then. Strings end in NUL and live as long as `obj`.
 */
bool json_get_str(const json_t *obj, const char *key, struct str *out);
bool json_get_int(const json_t *obj, const char *key, int64_t *out);

#endif
