/* From rows to structs, for the files of store/ only. What is taken from a row is copied into the arena. */
#ifndef ALFRED_STORE_ROW_H
#define ALFRED_STORE_ROW_H

#include "db/db.h"

static inline const char *row_text(const struct rows *q, int col, struct arena *a)
{
    return arena_strdup(a, rows_text(q, col));
}

/* NUL-terminated behind its end, too. */
static inline struct str row_str(const struct rows *q, int col, struct arena *a)
{
    struct str s = rows_str(q, col);
    return (struct str){arena_strndup(a, s.s ? s.s : "", s.len), s.len};
}

/* An array that grows in an arena: `struct list l = LIST(a, struct user); *(struct user *)list_add(&l) =
 * ...`. */
struct list {
    struct arena *a;
    size_t size, n, room;
    void *items;
};
#define LIST(arena, type) ((struct list){.a = (arena), .size = sizeof(type)})

static inline void *list_add(struct list *l)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 8;
        void *more = arena_alloc_array(l->a, l->room, l->size);
        if (l->n)
            memcpy(more, l->items, l->n * l->size);
        l->items = more;
    }
    return (char *)l->items + l->size * l->n++;
}

/* An owner's rows have the ids (owner << 32) | n: those behind the first of these, up to the last. */
static inline int64_t owner_first(int64_t owner)
{
    return owner << 32;
}

static inline int64_t owner_last(int64_t owner)
{
    return owner << 32 | INT64_C(0xFFFFFFFF);
}

/* The verdict on a statement that names one row: `rows` are those it found or changed. */
static inline enum rc must_exist(enum rc rc, int64_t rows, const char *what, struct err *e)
{
    if (rc == RC_OK && rows == 0)
        return err_set(e, RC_NOT_FOUND, "no such %s", what);
    return rc;
}

#endif
