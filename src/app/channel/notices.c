#include "app/channel/notices.h"

#include <stdlib.h>

#include "base/log.h"

struct notice {
    struct notice *next, **prev;
    struct arena *arena;
    const char *channel;
};

static void notice_free(struct notice *n)
{
    *n->prev = n->next;
    if (n->next)
        n->next->prev = n->prev;
    arena_free(n->arena);
    free(n);
}

static void ended(void *arg, const struct channel_result *r)
{
    struct notice *n = arg;
    if (r->outcome != OUTCOME_DONE)
        log_info("%s did not accept an action outside of the outbox: %s", n->channel, r->detail);
    notice_free(n);
}

void notice_send(
    struct notices *l, const struct channel_driver *d, const struct channel_action *act, struct arena *a)
{
    struct notice *n = xcalloc(1, sizeof *n);
    *n = (struct notice){.next = l->first, .prev = &l->first, .arena = a, .channel = d->name};
    if (n->next)
        n->next->prev = &n->next;
    l->first = n;
    d->act(d->self, act, ended, n);
}

void notices_release(struct notices *l)
{
    while (l->first)
        notice_free(l->first);
}
