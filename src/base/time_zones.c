#include "base/time_zones.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    const char *name;
    const struct time_zone *zone;
};

struct time_zones {
    const struct time_zone *server;
    pthread_mutex_t lock; /* guards the following members */
    struct arena *arena;
    struct kept kept[TIME_ZONES_KEPT];
    size_t n;
};

struct time_zones *time_zones_new(void)
{
    struct time_zones *z = xcalloc(1, sizeof *z);
    z->arena = arena_new();
    z->server = time_zone_server(z->arena);
    pthread_mutex_init(&z->lock, NULL);
    return z;
}

void time_zones_free(struct time_zones *z)
{
    if (!z)
        return;
    pthread_mutex_destroy(&z->lock);
    arena_free(z->arena);
    free(z);
}

/* With the lock. */
static const struct time_zone *find_kept(const struct time_zones *z, const char *name)
{
    for (size_t i = 0; i < z->n; i++)
        if (strcmp(z->kept[i].name, name) == 0)
            return z->kept[i].zone;
    return NULL;
}

/* Files are read with the lock: once per zone. Names without a zone are not kept. */
const struct time_zone *time_zones_find(struct time_zones *z, struct arena *a, const char *name)
{
    if (!name || !*name)
        return z->server;
    pthread_mutex_lock(&z->lock);
    const struct time_zone *found = find_kept(z, name);
    if (!found && z->n < TIME_ZONES_KEPT && (found = time_zone_load(z->arena, name)))
        z->kept[z->n++] = (struct kept){arena_strdup(z->arena, name), found};
    pthread_mutex_unlock(&z->lock);
    return found ? found : time_zone_load(a, name);
}
