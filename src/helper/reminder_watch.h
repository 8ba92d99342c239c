/*
 * The thread that delivers due reminders (app/reminding/reminding.h). It sleeps until the next one fires, by
 * a timer of the wall clock, which also counts the time that the machine sleeps and notices that the clock
 * was set (helper/clock_back.h). A job of the lanes would wait behind titles and summaries.
 */
#ifndef ALFRED_HELPER_REMINDER_WATCH_H
#define ALFRED_HELPER_REMINDER_WATCH_H

#include "app/jobs/task.h"
#include "app/reminding/reminding.h"
#include "base/clock.h"

#define REMINDER_WATCH_LEAST_MS 1000       /* between two attempts to deliver something that is due */
#define REMINDER_WATCH_MOST_MS  MS_PER_MIN /* a notice of an earlier reminder can be lost */

/* The time of the next look, after one at `now`. */
int64_t reminder_watch_next(int64_t now, const struct reminding_step *s);

struct reminder_watch;

/* `h`: config, store and signal_fd are set; the thread ends when signal_fd is readable.
 * RC_INTERNAL, RC_UNAVAILABLE. */
enum rc reminder_watch_start(const struct helper *h, struct reminder_watch **out, struct err *e);
/* Wakes the thread: a reminder may fire earlier, or a turn has ended. */
void reminder_watch_wake(struct reminder_watch *w);
/* Waits for the thread; NULL is fine. */
void reminder_watch_free(struct reminder_watch *w);

#endif
