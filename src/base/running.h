/*
 * Calls that run at the same time, with a limit for all of them and one for each user. Not thread-safe: a
 * list belongs to one loop.
 */
#ifndef ALFRED_BASE_RUNNING_H
#define ALFRED_BASE_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct running;

struct running_list {
    struct running *first;
    size_t max, max_per_user;
};

/* A member of the call. All zero: it does not run. */
struct running {
    struct running_list *list; /* NULL: it does not run */
    struct running *prev, *next;
    int64_t owner;
};

/* False: one of the limits is reached, and nothing is changed. */
bool running_enter(struct running_list *l, struct running *r, int64_t owner);
/* Does nothing unless it runs. */
void running_leave(struct running *r);

#endif
