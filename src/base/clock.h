/* Time, in milliseconds unless a name says another unit. Stored times are of the wall clock, measured ones of
 * the monotonic clock. */
#ifndef ALFRED_BASE_CLOCK_H
#define ALFRED_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

int64_t clock_wall_ms(void); /* since 1970-01-01 UTC */
int64_t clock_mono_ms(void); /* since an arbitrary start; never jumps */
int64_t clock_mono_us(void);
/* A time of clock_mono_ms(), for pthread_cond_clockwait() with CLOCK_MONOTONIC. */
struct timespec clock_mono_at(int64_t mono_ms);
/* How far the wall clock was set back since the last call with the same `last` (0 before the first one), in
 * ms. 0: it was not, or by less than CLOCK_BACK_LEAST_MS, as time servers do every day. */
#define CLOCK_BACK_LEAST_MS INT64_C(1000)
int64_t clock_set_back(int64_t *last, int64_t wall_ms, int64_t mono_ms);
int64_t clock_cpu_us(void); /* processor time of the calling thread; other load does not count */

#define S_PER_MIN  60
#define S_PER_H    (60 * S_PER_MIN)
#define S_PER_DAY  (24 * S_PER_H)
#define US_PER_MS  INT64_C(1000)
#define MS_PER_S   INT64_C(1000)
#define MS_PER_MIN (60 * MS_PER_S)
#define MS_PER_H   (60 * MS_PER_MIN)
#define MS_PER_DAY (24 * MS_PER_H)

/* Calendar and clock in UTC at `s` seconds since 1970. Sets all members. */
struct tm clock_utc(int64_t s);

/* Like "2026-11-20T13:46:01Z" (RFC 3339). */
#define CLOCK_RFC3339_SIZE 21
void clock_rfc3339(int64_t wall_ms, char out[CLOCK_RFC3339_SIZE]);

#endif
