/*
 * A growing byte string with a fixed cap.
 *
 * Appending past the cap (or to a failed buffer) does nothing and sets `failed`, which stays set. A writer
 * therefore appends freely and checks once at the end. `s` is always NUL-terminated and never NULL after
 * init. It may contain NUL bytes, so use `len`. The buffer owns its memory, except with strbuf_init_at().
 */
#ifndef ALFRED_BASE_STRBUF_H
#define ALFRED_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct strbuf {
    char *s;
    size_t len, room, cap;
    bool failed, lent; /* lent: `s` is the caller's memory */
};

void strbuf_init(struct strbuf *b, size_t cap); /* cap: the largest length, without the NUL */
/* Uses the caller's `size` bytes, which must live as long as the buffer, until they do not suffice. */
void strbuf_init_at(struct strbuf *b, size_t cap, char *space, size_t size);
void strbuf_release(struct strbuf *b); /* zeroed memory is fine; may be released twice */
void strbuf_clear(struct strbuf *b);   /* empty and not failed, memory kept */

void strbuf_grow_add(struct strbuf *b, const void *p, size_t n); /* for strbuf_add() */
void strbuf_addc(struct strbuf *b, char c);
void strbuf_addcp(struct strbuf *b, uint32_t cp); /* in UTF-8; nothing when it is no code point */
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void strbuf_addint(struct strbuf *b, long long v);

/* Makes room for `n` more bytes and returns their place, or NULL (and failed). strbuf_grown() counts them. */
char *strbuf_reserve(struct strbuf *b, size_t n);
void strbuf_grown(struct strbuf *b, size_t n);

void strbuf_truncate(struct strbuf *b, size_t len); /* to at most len bytes */
void strbuf_rewind(struct strbuf *b, size_t len);   /* strbuf_truncate(), and resets `failed` */
void strbuf_drop_front(struct strbuf *b, size_t n); /* removes the first n bytes */

/* Renderers append thousands of short texts, nearly all of which fit. */
static inline void strbuf_add(struct strbuf *b, const void *p, size_t n)
{
    if (!n || b->failed || n >= b->room - b->len || n > b->cap - b->len) {
        strbuf_grow_add(b, p, n);
        return;
    }
    memcpy(b->s + b->len, p, n);
    b->len += n;
    b->s[b->len] = '\0';
}

static inline void strbuf_adds(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

static inline void strbuf_addstr(struct strbuf *b, struct str s)
{
    strbuf_add(b, s.s, s.len);
}

static inline struct str strbuf_str(const struct strbuf *b)
{
    return (struct str){b->s, b->len};
}

#define AUTO_STRBUF __attribute__((cleanup(strbuf_release))) struct strbuf

#endif
