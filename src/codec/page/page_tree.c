/*
 * libgumbo has no limits, and a page is hostile input: 400,000 nested elements or attributes of one element
 * take it minutes, because it looks through its stack of open elements for each character, and through the
 * attributes for each new one. It also frees a tree by recursion.
 *
 * Therefore its memory is ours: it is taken from an arena, which makes gumbo_destroy_output() unnecessary,
 * and the allocator ends a parse that reached a limit by longjmp(). Nothing but the arena has to be freed
 * then.
 * - Memory: the bytes taken.
 * - Depth: the size of the stack of open elements. The stack is the only vector that begins with ten
 * pointers, before anything is read. When it is full, the library allocates the next one and then frees the
 * old one. Within this depth the library's time for a character has a limit, too.
 * - Time: that of the thread. What has no other limit, such as attributes, allocates at each step.
 */
#include "codec/page/page_tree.h"

#include <setjmp.h>

#include "base/clock.h"
#include "base/shared_library.h"

#define STACK_START      (10 * sizeof(void *))
#define TIME_CHECK_EVERY 1024 /* allocations */

/* Written once before the first call; read-only afterwards. */
static __typeof__(&gumbo_parse_with_options) parse;

static const struct shared_function functions[] = {{"gumbo_parse_with_options", &parse}, {0}};
static struct shared_library libgumbo = SHARED_LIBRARY("libgumbo.so.1", functions, NULL);

struct parse {
    struct arena *arena;
    size_t taken, allocations;
    int64_t until_us;
    void *stack, *newest; /* the stack of open elements; the newest block */
    size_t newest_size;
    const char *limit; /* the one that was reached */
    jmp_buf end;
};

static void end(struct parse *p, const char *limit)
{
    p->limit = limit;
    longjmp(p->end, 1); /* NOLINT(cert-err52-cpp): the library has no other way to stop */
}

static void *take(void *arg, size_t size)
{
    struct parse *p = arg;
    p->taken += size;
    if (p->taken > PAGE_TREE_MEMORY_MAX)
        end(p, "memory");
    if (++p->allocations % TIME_CHECK_EVERY == 0 && clock_cpu_us() > p->until_us)
        end(p, "time");
    p->newest = arena_take(p->arena, size);
    p->newest_size = size;
    if (!p->stack && size == STACK_START)
        p->stack = p->newest;
    return p->newest;
}

static void give_back(void *arg, void *block)
{
    struct parse *p = arg;
    if (!block || block != p->stack)
        return;
    if (p->newest_size > PAGE_TREE_DEPTH_MAX * sizeof(void *))
        end(p, "depth");
    p->stack = p->newest;
}

enum rc page_tree_read(struct arena *a, struct str html, const GumboNode **root, struct err *e)
{
    enum rc rc = shared_library_load(&libgumbo, e);
    if (rc != RC_OK)
        return rc;
    struct parse *p = ARENA_NEW(a, struct parse);
    p->arena = a;
    p->until_us = clock_cpu_us() + PAGE_TREE_TIME_MAX;
    const GumboOptions options = {.allocator = take,
        .deallocator = give_back,
        .userdata = p,
        .tab_stop = 8,
        .max_errors = 0,
        .fragment_context = GUMBO_TAG_LAST,
        .fragment_namespace = GUMBO_NAMESPACE_HTML};
    if (setjmp(p->end)) /* NOLINT(cert-err52-cpp) */
        return err_set(e, RC_TOO_BIG, "the document takes too much %s", p->limit);
    *root = parse(&options, html.s, html.len)->root;
    return RC_OK;
}
