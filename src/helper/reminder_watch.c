#include "helper/reminder_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "app/jobs/helper_notify.h"
#include "app/reminding/reminding.h"
#include "app/turn/turn_order.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/thread.h"
#include "helper/clock_back.h"
#include "helper/helper.h"
#include "helper/worker.h"

struct reminder_watch {
    const struct helper *helper;
    pthread_t thread;
    int wake_fd;       /* an eventfd */
    int timer_fd;      /* of the wall clock */
    int64_t last_time; /* of clock_set_back() */
    int64_t set_back;  /* ms by which the clock was set back; clock_back_move() has not stored them yet */
    bool looked;       /* clock_back_move() has run since the start */
};

/* A change of the clock makes the timer readable, too. */
static enum rc set_timer(const struct reminder_watch *w, int64_t at, struct err *e)
{
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(at / MS_PER_S), .tv_nsec = (long)(at % MS_PER_S) * 1000000}};
    if (timerfd_settime(w->timer_fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL) != 0)
        return err_set(e, RC_INTERNAL, "timerfd_settime: %s", strerror(errno));
    return RC_OK;
}

int64_t reminder_watch_next(int64_t now, const struct reminding_step *s)
{
    int64_t most = now + (s->waits ? HELPER_POLL_MS : REMINDER_WATCH_MOST_MS); /* waits: for a turn's end */
    int64_t at = s->next_at < most ? s->next_at : most;
    return at > now ? at : now + REMINDER_WATCH_LEAST_MS;
}

static enum rc look_at_clock(struct reminder_watch *w, int64_t now, struct err *e)
{
    const struct helper *h = w->helper;
    w->set_back += clock_set_back(&w->last_time, now, clock_mono_ms());
    if (!w->set_back && w->looked)
        return RC_OK;
    enum rc rc = clock_back_move(h->store, now, w->set_back, e);
    if (rc == RC_OK) {
        w->looked = true;
        w->set_back = 0;
        helper_notify(h->config->server.data_dir);
    }
    return rc;
}

/* Delivers the reminders that are due, and sets the timer. */
static enum rc step(struct reminder_watch *w, struct err *e)
{
    const struct helper *h = w->helper;
    struct reminding_step s;
    int64_t now = clock_wall_ms();
    enum rc rc = look_at_clock(w, now, e);
    if (rc == RC_OK)
        rc = reminding_step(h->store, now, &s, e);
    if (rc != RC_OK)
        return rc;
    if (s.posted)
        helper_notify(h->config->server.data_dir);
    if (s.ordered)
        turn_order_notify(h->config->server.data_dir);
    return set_timer(w, reminder_watch_next(now, &s), e);
}

static void *watch(void *arg)
{
    struct reminder_watch *w = arg;
    struct backoff retry = {.first_ms = WORKER_RETRY_FIRST_MS, .max_ms = WORKER_RETRY_MAX_MS};
    struct log_repeat errors = {0};
    struct pollfd fds[] = {{.fd = w->helper->signal_fd, .events = POLLIN},
        {.fd = w->wake_fd, .events = POLLIN}, {.fd = w->timer_fd, .events = POLLIN}};
    while (!(fds[0].revents & POLLIN)) {
        struct err e = ERR_INIT;
        uint64_t drop;
        enum rc rc = step(w, &e);
        if (rc == RC_OK) {
            log_repeat_end(&errors, "reminders");
            backoff_reset(&retry);
        } else {
            log_repeat(&errors, LOG_ERROR, "reminders: %s: %s", rc_name(rc), e.text);
        }
        int woken = rc == RC_OK ? poll(fds, ARRAY_LEN(fds), -1) : poll(fds, 1, (int)backoff_next(&retry));
        if (woken < 0 && errno != EINTR) {
            log_error("the thread of the reminders ends: poll: %s", strerror(errno));
            return NULL;
        }
        while (read(w->wake_fd, &drop, sizeof drop) > 0 || read(w->timer_fd, &drop, sizeof drop) > 0)
            ;
    }
    return NULL;
}

static void close_all(struct reminder_watch *w)
{
    fs_close(&w->wake_fd);
    fs_close(&w->timer_fd);
    free(w);
}

enum rc reminder_watch_start(const struct helper *h, struct reminder_watch **out, struct err *e)
{
    struct reminder_watch *w = xcalloc(1, sizeof *w);
    w->helper = h;
    w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->timer_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    enum rc rc = w->wake_fd < 0 || w->timer_fd < 0
                     ? err_set(e, RC_INTERNAL, "no descriptor for the reminders: %s", strerror(errno))
                     : thread_start(&w->thread, watch, w, "the reminders", e);
    if (rc == RC_OK)
        *out = w;
    else
        close_all(w);
    return rc;
}

void reminder_watch_wake(struct reminder_watch *w)
{
    eventfd_write(w->wake_fd, 1);
}

void reminder_watch_free(struct reminder_watch *w)
{
    if (!w)
        return;
    pthread_join(w->thread, NULL);
    close_all(w);
}
