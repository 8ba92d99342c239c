/*
 * The arena is a chain of growing blocks: a small request costs one malloc, a large one a few. A new block is
 * about as large as all before it, so at most half of an arena is unused. An allocation larger than a block
 * gets its own block after the current one, so that the rest of the current one stays usable.
 */
#include "base/mem.h"

#include <malloc.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN 896 /* a running turn with a short question needs 800 (docs/performance.md) */
#define BLOCK_MAX 65536

static void *must(void *p)
{
    if (!p) {
        fputs("alfred: out of memory\n", stderr);
        abort();
    }
    return p;
}

void mem_trim(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    malloc_trim(0);
#endif
}

void *xmalloc(size_t n)
{
    return must(malloc(n ? n : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return must(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n)
{
    return must(realloc(p, n ? n : 1));
}

char *xstrdup(const char *s)
{
    return must(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
    return must(strndup(s, n));
}

void free_charp(void *p)
{
    free(*(void **)p);
}

struct arena_block {
    struct arena_block *next;
    alignas(max_align_t) unsigned char data[];
};

static struct arena_block *block_new(size_t size)
{
    struct arena_block *b = xmalloc(sizeof *b + size);
    b->next = NULL;
    return b;
}

struct arena *arena_new(void)
{
    struct arena *a = xmalloc(sizeof *a);
    *a = (struct arena){.next_size = BLOCK_MIN};
    return a;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    for (struct arena_block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

void *arena_take_block(struct arena *a, size_t n)
{
    if (n > SIZE_MAX - BLOCK_MAX)
        must(NULL);
    n = (n + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (n > a->next_size / 4 && a->blocks) {
        struct arena_block *own = block_new(n);
        own->next = a->blocks->next;
        a->blocks->next = own;
        return own->data;
    }
    size_t size = n > a->next_size ? n : a->next_size;
    struct arena_block *fresh = block_new(size);
    if (a->blocks)
        a->next_size = a->next_size < BLOCK_MAX / 2 ? a->next_size * 2 : BLOCK_MAX;
    fresh->next = a->blocks;
    a->blocks = fresh;
    a->at = fresh->data + n;
    a->end = fresh->data + size;
    return fresh->data;
}

void *arena_alloc_array(struct arena *a, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n))
        must(NULL);
    return arena_alloc(a, n);
}

void *arena_with_first(struct arena *a, const void *first, const void *rows, size_t n, size_t size)
{
    unsigned char *copy = arena_alloc_array(a, n + 1, size);
    memcpy(copy, first, size);
    if (n)
        memcpy(copy + size, rows, n * size);
    return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_take(a, n + 1);
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

struct str arena_str(struct arena *a, struct str s)
{
    return (struct str){arena_strndup(a, s.s ? s.s : "", s.len), s.len};
}

char *arena_strdup(struct arena *a, const char *s)
{
    return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    char small[256]; /* fits nearly everything, which is then formatted once */
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    char *p = arena_take(a, (size_t)n + 1);
    if ((size_t)n < sizeof small)
        memcpy(p, small, (size_t)n + 1);
    else
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}
