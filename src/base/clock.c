#include "base/clock.h"

#include <stddef.h>

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

struct timespec clock_mono_at(int64_t mono_ms)
{
    return (struct timespec){.tv_sec = mono_ms / MS_PER_S, .tv_nsec = mono_ms % MS_PER_S * 1000000};
}

int64_t clock_set_back(int64_t *last, int64_t wall_ms, int64_t mono_ms)
{
    int64_t before = *last, back = before - (wall_ms - mono_ms);
    *last = wall_ms - mono_ms;
    return before && back >= CLOCK_BACK_LEAST_MS ? back : 0;
}

int64_t clock_cpu_us(void)
{
    return read_us(CLOCK_THREAD_CPUTIME_ID);
}

static char *put_digits(char *at, int n, int width, char after)
{
    for (int i = width; i-- > 0; n /= 10)
        at[i] = (char)('0' + n % 10);
    at[width] = after;
    return at + width + 1;
}

/* Written for every row of a list; strftime() takes ten times as long. */
void clock_rfc3339(int64_t wall_ms, char out[CLOCK_RFC3339_SIZE])
{
    struct tm tm = clock_utc(wall_ms / MS_PER_S);
    out[0] = '\0';
    if (tm.tm_year < -1900 || tm.tm_year > 8099)
        return;
    char *at = put_digits(out, tm.tm_year + 1900, 4, '-');
    at = put_digits(at, tm.tm_mon + 1, 2, '-');
    at = put_digits(at, tm.tm_mday, 2, 'T');
    at = put_digits(at, tm.tm_hour, 2, ':');
    at = put_digits(at, tm.tm_min, 2, ':');
    at = put_digits(at, tm.tm_sec, 2, 'Z');
    *at = '\0';
}
