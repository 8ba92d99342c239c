/*
 * The borders of the values in a JSON text that is too long to be parsed whole (RFC 8259): the elements of a
 * list, or objects one after the other (JSON Lines). Each is handed on as it stands; whether it is JSON
 * inside is json_parse()'s to say, and commas between are not insisted on. Several lists one after the other
 * are read like one.
 *
 * A value of more than `cap` bytes is passed over and reported as too big, with its first bytes. Memory: at
 * most `cap`.
 */
#ifndef ALFRED_CODEC_SPLIT_H
#define ALFRED_CODEC_SPLIT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* `value` dies with the call. Anything but RC_OK stops split_feed(), which returns it. */
typedef enum rc split_fn(void *arg, struct str value, bool too_big, struct err *e);

struct split;
struct split *split_new(size_t cap, split_fn *fn, void *arg);
void split_free(struct split *s); /* NULL is fine; not from inside fn */
DEFINE_AUTO(split);

/* RC_BAD_INPUT, with a sentence: this is neither a list nor objects. After a failure it must not be fed
 * again. */
enum rc split_feed(struct split *s, struct str piece, struct err *e);
/* RC_BAD_INPUT, with a sentence: the text ended inside of a value or a list. */
enum rc split_end(struct split *s, struct err *e);

#endif
