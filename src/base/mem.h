/*
 * Memory: checked allocation, scope-bound handles and the request arena.
 *
 * Small allocations abort when memory is out, those of jansson and libcurl, too: the program could not
 * continue sensibly, and the supervisor restarts it. Sizes that depend on input are limited by the reader,
 * which answers RC_TOO_BIG.
 *
 * An arena belongs to one request or job and to one thread at a time. arena_free() frees everything in it.
 * Handles with a `thing_free()` are declared AUTO(thing) and are freed when their scope ends:
 *
 *     AUTO(arena) a = arena_new();
 *
 * DEFINE_AUTO(thing) next to a `void thing_free(struct thing *)` prototype makes a type usable with AUTO.
 */
#ifndef ALFRED_BASE_MEM_H
#define ALFRED_BASE_MEM_H

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size); /* aborts on overflow too */
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

/* Returns free memory to the system: before a wait that may be long, and after a start. Does nothing in
 * builds for sanitizers. They have their own heap, and the C library's is not ready for two threads there. */
void mem_trim(void);

/* The members are for this header and mem.c. */
struct arena {
    unsigned char *at, *end; /* the free part of the newest block */
    struct arena_block *blocks;
    size_t next_size;
};

struct arena *arena_new(void);
void arena_free(struct arena *a); /* NULL is fine */

void *arena_take_block(struct arena *a, size_t n); /* for arena_take() */

/* Not initialised, aligned for any type; never NULL. Valid until the arena is freed. */
static inline void *arena_take(struct arena *a, size_t n)
{
    const size_t align = alignof(max_align_t);
    size_t room = (n + align - 1) & ~(align - 1);
    /* ">=": a new arena has no block, so n == 0 needs one, too */
    if (room < n || room >= (size_t)(a->end - a->at))
        return arena_take_block(a, n);
    void *p = a->at;
    a->at += room;
    return p;
}

/* The same, zeroed. */
static inline void *arena_alloc(struct arena *a, size_t n)
{
    return memset(arena_take(a, n), 0, n);
}

char *arena_strdup(struct arena *a, const char *s); /* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);
struct str arena_str(struct arena *a, struct str s); /* a copy that ends in NUL; its `s` is never NULL */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc_array((a), (n), sizeof(type)))
void *arena_alloc_array(struct arena *a, size_t count, size_t size); /* aborts on overflow */
/* A copy of an array of `n` elements of `size` bytes, with another element before them. */
void *arena_with_first(struct arena *a, const void *first, const void *rows, size_t n, size_t size);

#define AUTO(type) __attribute__((cleanup(type##_freep))) struct type *
#define DEFINE_AUTO(type)                            \
    static inline void type##_freep(struct type **p) \
    {                                                \
        type##_free(*p);                             \
    }                                                \
    struct type

DEFINE_AUTO(arena);

/* For memory from malloc or a library: `AUTO_FREE char *s = ...`. */
void free_charp(void *p);
#define AUTO_FREE __attribute__((cleanup(free_charp)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
