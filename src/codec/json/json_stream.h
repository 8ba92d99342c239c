/*
 * Splits a JSON text that is too long for one parse (RFC 8259) into its values: the elements of an array, or
 * consecutive objects (JSON Lines). Each value is passed to a callback as text. This file finds the borders
 * only; json_parse() checks the value itself. Commas between values are optional. Several consecutive arrays
 * are read as one.
 *
 * A value of more than `cap` bytes is skipped and reported as too big, with its first bytes. Memory: at most
 * `cap` bytes.
 */
#ifndef ALFRED_CODEC_JSON_JSON_STREAM_H
#define ALFRED_CODEC_JSON_JSON_STREAM_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* `value` is valid during the call only. A result other than RC_OK stops json_stream_feed(), which returns
 * it. */
typedef enum rc json_stream_fn(void *arg, struct str value, bool too_big, struct err *e);

struct json_stream;
struct json_stream *json_stream_new(size_t cap, json_stream_fn *fn, void *arg);
void json_stream_free(struct json_stream *s); /* NULL is fine; not from inside fn */
DEFINE_AUTO(json_stream);

/* The position of the value that json_stream_fn gets, in bytes of the whole text; between calls that of
 * the last one. Another stream can later continue from either end of it. */
struct json_stream_place {
    int64_t begin, end;
    bool in_list; /* it is an element of an array */
};
struct json_stream_place json_stream_place(const struct json_stream *s);
/* Call it before the first piece, which begins at byte `at`: an end of a value with this `in_list`. */
void json_stream_resume(struct json_stream *s, int64_t at, bool in_list);

/* The text has records of our export, each on a line that begins with {"type":" (docs/export.md). Then a
 * broken record ends where the next one begins, and text that is no value ends with its line. Both are passed
 * on like values. Call it before the first piece. */
void json_stream_records(struct json_stream *s);

/* Shortens embedded files: of the base64 after ";base64," in a string, a value has only the first
 * JSON_STREAM_DATA_MAX bytes. Call it before the first piece. */
#define JSON_STREAM_DATA_MAX ((size_t)8 * 1024)
void json_stream_without_data(struct json_stream *s);
/* Also passes the base64 of each such file to `fn`: piece by piece, then an empty piece at its end. `cut`:
 * the value has only the beginning, and "#N" after it, where N counts the cut files of a value from 0. Call
 * it after json_stream_without_data(). */
typedef void json_stream_data_fn(void *arg, struct str piece, bool cut);
void json_stream_data(struct json_stream *s, json_stream_data_fn *fn, void *arg);

/* RC_BAD_INPUT, with a sentence: the text is neither an array nor objects. After a failure the stream must
 * not be fed again. */
enum rc json_stream_feed(struct json_stream *s, struct str piece, struct err *e);
/* RC_BAD_INPUT, with a sentence: the text ended inside a value or an array. */
enum rc json_stream_end(struct json_stream *s, struct err *e);

#endif
