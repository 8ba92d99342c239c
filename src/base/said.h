/*
 * A sentence before its language is known: the key of a text in the catalogue (lang.h) and its arguments. It
 * is a short text itself. Errors carry it, the database stores it, and all readers get it in their own
 * language:
 *
 *     model.too_long<TAB>provider=OpenAI<TAB>status:400
 *
 * A value is a text (=), a number (:), a limit in bytes (#), or the key of another text (@). The number {n}
 * selects the plural form. A further sentence follows after a line feed. Control characters of values become
 * spaces.
 */
#ifndef ALFRED_BASE_SAID_H
#define ALFRED_BASE_SAID_H

#include <stdint.h>

#include "base/lang.h"

#define SAID_MAX       2400 /* bytes with the NUL; what does not fit is left out */
#define SAID_VALUE_MAX 2100 /* bytes of a text; longer ones are cut */

struct said_arg {
    const char *name; /* that of the placeholder in the catalogue: {name} */
    char mark;        /* '=', ':', '#' or '@' */
    const char *text; /* NULL is "" */
    int64_t number;
};

static inline struct said_arg arg_text(const char *name, const char *text)
{
    return (struct said_arg){name, '=', text, 0};
}

static inline struct said_arg arg_int(const char *name, int64_t number)
{
    return (struct said_arg){name, ':', NULL, number};
}

/* Of a size: "1 MB". It is rounded down. */
static inline struct said_arg arg_limit(const char *name, int64_t bytes)
{
    return (struct said_arg){name, '#', NULL, bytes};
}

static inline struct said_arg arg_key(const char *name, const char *key)
{
    return (struct said_arg){name, '@', key, 0};
}

struct said_args {
    const struct said_arg *list;
    size_t n;
};

/* SAID_ARGS(arg_int("max", 5), arg_text("field", name)), or SAID_ARGS(). */
#define SAID_ARGS(...)                                                     \
    ((struct said_args){(const struct said_arg[]){{0}, ##__VA_ARGS__} + 1, \
        sizeof((const struct said_arg[]){{0}, ##__VA_ARGS__}) / sizeof(struct said_arg) - 1})

/* Adds a sentence to those that `out` has. `out` has SAID_MAX bytes. */
void said_add(char *out, const char *key, struct said_args args);

/* One sentence in an arena. */
const char *said_new(struct arena *a, const char *key, struct said_args args);

/* Appends the sentences in a language, with spaces between. Text that said_add() has not written is appended
 * as it is: rows of older versions contain English sentences. */
void said_put(struct strbuf *out, const struct lang *l, const char *said);
/* The same in an arena. NULL gives NULL. */
const char *said_words(struct arena *a, const struct lang *l, const char *said);

#endif
