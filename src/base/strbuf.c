#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

#define ROOM_MIN   64
#define DOUBLE_MAX 256 /* larger buffers grow by half: many live as long as an answer streams */

static char empty[1];

void strbuf_init(struct strbuf *b, size_t cap)
{
    *b = (struct strbuf){.s = empty, .cap = cap};
}

void strbuf_init_at(struct strbuf *b, size_t cap, char *space, size_t size)
{
    *b = (struct strbuf){.s = space, .room = size, .cap = cap, .lent = true};
    space[0] = '\0';
}

void strbuf_release(struct strbuf *b)
{
    if (b->room && !b->lent)
        free(b->s);
    strbuf_init(b, b->cap);
}

void strbuf_clear(struct strbuf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->room)
        b->s[0] = '\0';
}

char *strbuf_reserve(struct strbuf *b, size_t n)
{
    if (b->failed || n > b->cap - b->len) {
        b->failed = true;
        return NULL;
    }
    size_t need = b->len + n + 1;
    if (need > b->room) {
        size_t room = b->room ? b->room : ROOM_MIN;
        while (room < need) {
            size_t more = room < DOUBLE_MAX ? room : room / 2;
            room = room + more > b->cap ? b->cap + 1 : room + more;
        }
        if (b->lent)
            b->s = memcpy(xmalloc(room), b->s, b->len + 1);
        else
            b->s = xrealloc(b->room ? b->s : NULL, room);
        b->lent = false;
        b->room = room;
    }
    return b->s + b->len;
}

void strbuf_grown(struct strbuf *b, size_t n)
{
    b->len += n;
    b->s[b->len] = '\0';
}

void strbuf_grow_add(struct strbuf *b, const void *p, size_t n)
{
    if (n == 0)
        return;
    char *to = strbuf_reserve(b, n);
    if (to) {
        memcpy(to, p, n);
        strbuf_grown(b, n);
    }
}

void strbuf_addc(struct strbuf *b, char c)
{
    strbuf_add(b, &c, 1);
}

void strbuf_addcp(struct strbuf *b, uint32_t cp)
{
    char bytes[4] = {0};
    strbuf_add(b, bytes, utf8_put(cp, bytes));
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_addv(b, fmt, ap);
    va_end(ap);
}

void strbuf_addv(struct strbuf *b, const char *fmt, va_list ap)
{
    char small[256]; /* fits nearly everything, which is then formatted once */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    if (n > 0 && strbuf_reserve(b, (size_t)n)) {
        if ((size_t)n < sizeof small)
            memcpy(b->s + b->len, small, (size_t)n);
        else
            vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
        strbuf_grown(b, (size_t)n);
    }
    va_end(again);
}

void strbuf_addint(struct strbuf *b, long long v)
{
    char digits[24], *at = digits + sizeof digits;
    unsigned long long u = v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v;
    do
        *--at = (char)('0' + u % 10);
    while (u /= 10);
    if (v < 0)
        *--at = '-';
    strbuf_add(b, at, (size_t)(digits + sizeof digits - at));
}

void strbuf_truncate(struct strbuf *b, size_t len)
{
    if (len < b->len) {
        b->len = len;
        b->s[len] = '\0';
    }
}

void strbuf_rewind(struct strbuf *b, size_t len)
{
    b->failed = false;
    strbuf_truncate(b, len);
}

void strbuf_drop_front(struct strbuf *b, size_t n)
{
    if (n >= b->len) {
        strbuf_truncate(b, 0);
        return;
    }
    memmove(b->s, b->s + n, b->len - n + 1);
    b->len -= n;
}
