/*
 * Converts a list of messages with parent keys into a tree for the store. Parents are found by their keys.
 * The children of a dropped message move to its parent. Loops are cut. The order puts each message after its
 * parent and otherwise follows the time, so that ids are chronological.
 *
 * Nothing here is recursive: a file may nest as deep as it has messages.
 */
#include <stdlib.h>

#include "app/context/context.h"
#include "app/import/format/import_format_private.h"

#define DROPPED_STEPS_MAX 3

/* ---- adding messages ---- */

static void *grown(struct arena *a, void *old, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return old;
    *room = *room ? 2 * *room : 64;
    void *more = arena_alloc_array(a, *room, size);
    if (n)
        memcpy(more, old, n * size);
    return more;
}

struct import_message *import_add(struct import_conversation *c, const char *key, const char *parent)
{
    c->messages = grown(c->a, c->messages, c->n, &c->room, sizeof *c->messages);
    struct import_message *m = &c->messages[c->n++];
    *m = (struct import_message){
        .key = arena_strdup(c->a, key), .parent = arena_strdup(c->a, parent), .parent_at = IMPORT_NONE};
    return m;
}

struct import_message *import_add_piece(struct import_conversation *c, const char *id, size_t *pieces,
    const char **parent, enum message_role role, struct str text)
{
    struct import_message *m = import_add(c, arena_printf(c->a, "%s#%zu", id, (*pieces)++), *parent);
    m->role = role;
    m->status = MESSAGE_DONE;
    m->text = import_text(c, text);
    *parent = m->key;
    return m;
}

struct import_extra *import_add_extra(struct import_conversation *c)
{
    c->extras = grown(c->a, c->extras, c->extras_n, &c->extras_room, sizeof *c->extras);
    struct import_extra *x = &c->extras[c->extras_n++];
    *x = (struct import_extra){0};
    return x;
}

/* ---- keys ---- */

static int by_key(const void *x, const void *y, void *arg)
{
    const struct import_message *m = arg;
    size_t i = *(const size_t *)x, j = *(const size_t *)y;
    int order = strcmp(m[i].key, m[j].key);
    return order ? order : (i > j) - (i < j); /* the first of several messages with one key counts */
}

static size_t look_up(const struct import_conversation *c, const char *key)
{
    const size_t *sorted = c->sorted;
    size_t low = 0, high = c->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (strcmp(c->messages[sorted[mid]].key, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < c->n && strcmp(c->messages[sorted[low]].key, key) == 0 ? sorted[low] : IMPORT_NONE;
}

/* ---- ancestors ---- */

struct tree {
    struct import_conversation *c;
    size_t *depth;  /* 0: not known yet, 1: a root */
    int64_t *time;  /* never before the parent's time */
    size_t *walk;   /* the path upwards, at most n steps */
    bool *seen;     /* on this path */
    bool *unrooted; /* in a loop, or below one */
};

/* Computes depth and time of `at` and of all ancestors that lack them. */
static void set_depth(struct tree *t, size_t at)
{
    struct import_message *m = t->c->messages;
    size_t n = 0;
    while (at != IMPORT_NONE && t->depth[at] == 0 && !t->unrooted[at] && !t->seen[at]) {
        t->seen[at] = true;
        t->walk[n++] = at;
        at = m[at].parent_at;
    }
    bool loop = at != IMPORT_NONE && (t->seen[at] || t->unrooted[at]);
    size_t depth = at == IMPORT_NONE || loop ? 0 : t->depth[at];
    int64_t time = at == IMPORT_NONE || loop ? 0 : t->time[at];
    while (n > 0) {
        size_t one = t->walk[--n];
        t->seen[one] = false;
        if (loop) {
            t->unrooted[one] = true;
            continue;
        }
        t->depth[one] = ++depth;
        if (m[one].created_at > time)
            time = m[one].created_at;
        t->time[one] = time;
    }
}

static int by_order(const void *x, const void *y, void *arg)
{
    const struct tree *t = arg;
    size_t i = *(const size_t *)x, j = *(const size_t *)y;
    if (!t->c->in_order && t->time[i] != t->time[j])
        return t->time[i] < t->time[j] ? -1 : 1;
    if (!t->c->in_order && t->depth[i] != t->depth[j])
        return t->depth[i] < t->depth[j] ? -1 : 1;
    return (i > j) - (i < j);
}

/* Replaces each dropped parent by its nearest kept ancestor. A dropped message keeps its own parent for
 * import_find(). */
static void pass_over_dropped(struct tree *t)
{
    struct import_message *m = t->c->messages;
    for (size_t k = 0; k < t->c->order_n; k++) {
        struct import_message *one = &m[t->c->order[k]];
        /* Parents come first in the order, so theirs are final already. */
        if (one->parent_at != IMPORT_NONE && m[one->parent_at].dropped)
            one->parent_at = m[one->parent_at].parent_at;
    }
}

/* ---- calls and their results ---- */

static bool names_call(const json_t *calls, size_t i, const char *id)
{
    struct str have;
    return id && json_get_str(json_array_get(calls, i), "id", &have) && str_is(have, id);
}

/*
 * A model receives calls only together with their results (context.c drops calls without a result). So
 * results are kept only where those of all calls of an answer follow it directly.
 */
static void pair_calls(struct import_conversation *c)
{
    size_t room = c->n ? c->n : 1, *child = ARENA_ARRAY(c->a, size_t, room);
    bool *several = ARENA_ARRAY(c->a, bool, room), *paired = ARENA_ARRAY(c->a, bool, room);
    for (size_t i = 0; i < c->n; i++)
        child[i] = IMPORT_NONE;
    for (size_t k = 0; k < c->order_n; k++) {
        size_t parent = c->messages[c->order[k]].parent_at;
        if (parent == IMPORT_NONE)
            continue;
        several[parent] = child[parent] != IMPORT_NONE;
        child[parent] = c->order[k];
    }
    for (size_t k = 0; k < c->order_n; k++) {
        size_t at = c->order[k], got = 0;
        AUTO(json_t) calls = NULL;
        if (c->messages[at].role != ROLE_ASSISTANT || !c->messages[at].calls ||
            json_parse_within(
                str_of(c->messages[at].calls), IMPORT_CALLS_MAX, CONTEXT_CALLS_LIMITS, &calls, NULL) != RC_OK)
            continue;
        while (got < json_array_size(calls) && !several[at] && (at = child[at]) != IMPORT_NONE &&
               c->messages[at].role == ROLE_TOOL && names_call(calls, got, c->messages[at].call_id))
            got++;
        if (got < json_array_size(calls))
            continue;
        for (at = c->order[k]; got > 0; got--)
            paired[at = child[at]] = true;
    }
    for (size_t k = 0; k < c->order_n; k++)
        if (c->messages[c->order[k]].role == ROLE_TOOL && !paired[c->order[k]])
            c->messages[c->order[k]].dropped = true;
}

/* ---- the whole tree ---- */

static void keep_undropped(struct import_conversation *c)
{
    size_t n = 0;
    for (size_t k = 0; k < c->order_n; k++)
        if (!c->messages[c->order[k]].dropped)
            c->order[n++] = c->order[k];
    c->order_n = n;
}

void import_tree(struct import_conversation *c)
{
    size_t n = c->n ? c->n : 1;
    c->sorted = ARENA_ARRAY(c->a, size_t, n);
    struct tree t = {.c = c,
        .depth = ARENA_ARRAY(c->a, size_t, n),
        .time = ARENA_ARRAY(c->a, int64_t, n),
        .walk = ARENA_ARRAY(c->a, size_t, n),
        .seen = ARENA_ARRAY(c->a, bool, n),
        .unrooted = ARENA_ARRAY(c->a, bool, n)};
    for (size_t i = 0; i < c->n; i++)
        c->sorted[i] = i;
    qsort_r(c->sorted, c->n, sizeof *c->sorted, by_key, c->messages);
    for (size_t i = 0; i < c->n; i++)
        if (c->messages[i].parent)
            c->messages[i].parent_at = look_up(c, c->messages[i].parent);
    c->order = ARENA_ARRAY(c->a, size_t, n);
    bool ordered = c->in_order;
    for (size_t i = 0; i < c->n; i++) {
        set_depth(&t, i);
        size_t parent = c->messages[i].parent_at;
        ordered = ordered && (parent == IMPORT_NONE || parent < i);
        if (!t.unrooted[i]) {
            c->order[c->order_n++] = i;
            continue;
        }
        c->messages[i].dropped = true;
    }
    for (size_t i = 0; i < c->n; i++)
        if (t.unrooted[i])
            c->messages[i].parent_at = IMPORT_NONE;
    c->in_order = ordered;
    qsort_r(c->order, c->order_n, sizeof *c->order, by_order, &t);
    pass_over_dropped(&t);
    keep_undropped(c);
    pair_calls(c);
    pass_over_dropped(&t);
    keep_undropped(c);
}

size_t import_find(const struct import_conversation *c, const char *key)
{
    size_t i = key ? look_up(c, key) : IMPORT_NONE;
    /* The parent of a dropped message is kept, or was dropped for another reason and has a kept parent. */
    for (int steps = 0; i != IMPORT_NONE && c->messages[i].dropped && steps < DROPPED_STEPS_MAX; steps++)
        i = c->messages[i].parent_at;
    return i != IMPORT_NONE && c->messages[i].dropped ? IMPORT_NONE : i;
}
