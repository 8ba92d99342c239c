/*
 * The time zones that a program has read, so that not every request reads a file. Any thread. At most
 * TIME_ZONES_KEPT zones are kept, until time_zones_free(): a new edition of the zone files needs a restart,
 * as in the C library.
 */
#ifndef ALFRED_BASE_TIME_ZONES_H
#define ALFRED_BASE_TIME_ZONES_H

#include "base/time_zone.h"

#define TIME_ZONES_KEPT 64 /* about 3 KB each */

struct time_zones;

struct time_zones *time_zones_new(void);
void time_zones_free(struct time_zones *z); /* NULL is fine */

/* A kept zone, else one in the arena. "" is the zone of the server. NULL, which also stands for that zone,
 * when there is no file of that name. */
const struct time_zone *time_zones_find(struct time_zones *z, struct arena *a, const char *name);

#endif
