#include "base/running.h"

bool running_enter(struct running_list *l, struct running *r, int64_t owner)
{
    size_t all = 0, of_user = 0;
    for (const struct running *other = l->first; other; other = other->next) {
        all++;
        of_user += other->owner == owner;
    }
    if (all >= l->max || of_user >= l->max_per_user)
        return false;
    *r = (struct running){.list = l, .next = l->first, .owner = owner};
    if (r->next)
        r->next->prev = r;
    l->first = r;
    return true;
}

void running_leave(struct running *r)
{
    if (!r->list)
        return;
    *(r->prev ? &r->prev->next : &r->list->first) = r->next;
    if (r->next)
        r->next->prev = r->prev;
    *r = (struct running){0};
}
