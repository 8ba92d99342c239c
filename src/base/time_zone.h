/*
 * Local times in the time zones of users, by the zone files of the system (TZif, RFC 9636). The C library
 * knows one zone per process only.
 */
#ifndef ALFRED_BASE_TIME_ZONE_H
#define ALFRED_BASE_TIME_ZONE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define TIME_ZONE_NAME_MAX 64 /* bytes; the longest in use has 32 */

struct time_zone;

/* "Europe/Berlin": parts of letters, digits, "_", "+" and "-", so that a name stays below the folder. */
bool time_zone_is_name(struct str name);

/* In the arena. NULL, which stands for the zone of the server, when there is no such zone. */
const struct time_zone *time_zone_load(struct arena *a, const char *name);
/* The same for times that are stored: RC_UNAVAILABLE when the file of the zone cannot be read now, because no
 * descriptor is free for example. A time that is computed without it would stay wrong. */
enum rc time_zone_read(struct arena *a, const char *name, const struct time_zone **out, struct err *e);
/* The zone of the server. NULL when no file describes it; the functions below then ask the C library. */
const struct time_zone *time_zone_server(struct arena *a);
/* The names of all zones that people choose from, ascending. Empty when the machine has no list of them. */
void time_zone_names(struct arena *a, const char ***out, size_t *n);
/* From the content of a zone file; NULL when it is none. */
const struct time_zone *time_zone_parse(struct arena *a, struct str file);

/* The calendar and the clock there at `at` (milliseconds). `z` NULL: the zone of the server. */
struct tm time_zone_local(const struct time_zone *z, int64_t at);
/* The same as milliseconds since 1970, counted as if the local time were UTC: for calculations with days. */
int64_t time_zone_wall(const struct time_zone *z, int64_t at);
/* The reverse, for whole seconds. If the clock shows this local time twice, the result is either of the two
 * moments. If the clock skips it, the result is up to an hour away. */
int64_t time_zone_at(const struct time_zone *z, int64_t wall);

#endif
