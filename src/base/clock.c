#include "base/clock.h"

#include <stddef.h>
#include <time.h>

static int64_t read_us(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_wall_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

int64_t clock_mono_ms(void)
{
    return read_us(CLOCK_MONOTONIC) / 1000;
}

int64_t clock_mono_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t clock_cpu_us(void)
{
    return read_us(CLOCK_THREAD_CPUTIME_ID);
}

void clock_rfc3339(int64_t wall_ms, char out[CLOCK_RFC3339_SIZE])
{
    time_t s = (time_t)(wall_ms / MS_PER_S);
    struct tm tm;
    if (!gmtime_r(&s, &tm) || strftime(out, CLOCK_RFC3339_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        out[0] = '\0';
}
