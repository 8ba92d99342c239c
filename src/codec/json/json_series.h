/*
 * Parses a series of JSON texts that are mostly alike: the events of a provider's stream, which differ in the
 * text of one string. The tree of the last text is kept. A text that differs from it in the inside of one
 * string gets this tree with the new string, which costs a tenth of a parse, or a third when the string has
 * escapes. The result is the same as that of json_parse().
 */
#ifndef ALFRED_CODEC_JSON_JSON_SERIES_H
#define ALFRED_CODEC_JSON_JSON_SERIES_H

#include "codec/json/json.h"

#define JSON_SERIES_DEPTH 8 /* of the string that may differ */

struct json_series {
    struct strbuf text;              /* the last text that was parsed; empty: none is kept */
    json_t *tree;                    /* of it, with the last string; or the string alone */
    size_t at, len;                  /* the string's inside in `text`; len 0: not known yet */
    json_t *path[JSON_SERIES_DEPTH]; /* from the tree to the string */
    size_t path_n;
};

/* Texts of more than `text_max` bytes are not kept. */
void json_series_init(struct json_series *s, size_t text_max);
void json_series_release(struct json_series *s);

/* The tree of `text`, if it continues the series; else NULL. It is valid until the next call. References to
 * its parts may be kept: a part with other owners is never changed. */
const json_t *json_series_next(struct json_series *s, struct str text);
/* The string that differs, as long as the series continues; NULL: not known yet. */
const json_t *json_series_string(const struct json_series *s);
/* For a reader that needs only this string from now on: frees the rest of the tree. While the series
 * continues, json_series_next() gives the string itself. Nothing happens while the string is not known. */
void json_series_keep_string(struct json_series *s);
/* Parses any text, like json_parse() with the text's length as cap, and begins a new series with it. NULL: it
 * cannot be parsed. */
const json_t *json_series_begin(struct json_series *s, struct str text);

#endif
