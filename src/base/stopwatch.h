/*
 * Measures a wait in a loop that looks at the stopwatch again and again. After more than STOPWATCH_GAP_MS
 * without a look the process did not run: the machine was stopped, or had no time for it. Such a gap does
 * not count, because what the loop waits for usually did not run either.
 */
#ifndef ALFRED_BASE_STOPWATCH_H
#define ALFRED_BASE_STOPWATCH_H

#include "base/clock.h"

#define STOPWATCH_GAP_MS 1000

struct stopwatch {
    int64_t since_us, seen_us;
};

static inline struct stopwatch stopwatch_start(void)
{
    int64_t now = clock_mono_us();
    return (struct stopwatch){now, now};
}

/* Time since the start without the gaps, in microseconds. */
static inline int64_t stopwatch_us(struct stopwatch *w)
{
    int64_t now = clock_mono_us(), gap = now - w->seen_us;
    if (gap > STOPWATCH_GAP_MS * US_PER_MS)
        w->since_us += gap;
    w->seen_us = now;
    return now - w->since_us;
}

#endif
