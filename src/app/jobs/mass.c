#include "app/jobs/mass.h"

#include <poll.h>

#include "base/clock.h"
#include "store/search/text_merge.h"

#define PAUSE_US_MIN 1000
#define PAUSE_US_MAX 100000

#define STEPS_BETWEEN_MERGES 8

struct step {
    store_fn *fn;
    void *arg;
    int64_t begun_us;
};

/* The wait for the lock is no part of the step. */
static enum rc run_step(struct db *db, void *arg, struct err *e)
{
    struct step *s = arg;
    s->begun_us = clock_mono_us();
    return s->fn(db, s->arg, e);
}

/* The pause before a step, which a stop ends. */
static bool told_to_stop(const struct mass *m)
{
    struct pollfd stop = {.fd = m->stop_fd ? m->stop_fd : -1, .events = POLLIN};
    return ppoll(&stop, 1, &(struct timespec){.tv_nsec = m->owed_us * 1000}, NULL) > 0;
}

enum rc mass_step(struct mass *m, store_fn *fn, void *arg, struct err *e)
{
    struct step s = {fn, arg, clock_mono_us()};
    if (told_to_stop(m))
        return err_set(e, RC_CANCELLED, "the helper is stopping");
    enum rc rc = store_write_lazy(m->store, run_step, &s, e);
    int64_t took = clock_mono_us() - s.begun_us;
    m->owed_us = took < PAUSE_US_MIN ? PAUSE_US_MIN : took > PAUSE_US_MAX ? PAUSE_US_MAX : took;
    return rc;
}

enum rc mass_steps(struct mass *m, store_fn *fn, void *arg, const bool *more, struct err *e)
{
    enum rc rc;
    do
        rc = mass_step(m, fn, arg, e);
    while (rc == RC_OK && *more);
    return rc;
}

static enum rc merge_tx(struct db *db, void *arg, struct err *e)
{
    return store_text_merge(db, arg, e);
}

enum rc mass_merge(struct mass *m, struct err *e)
{
    int64_t until = clock_mono_ms() + MASS_MERGES_MS;
    bool more = true;
    enum rc rc = RC_OK;
    while (rc == RC_OK && more && clock_mono_ms() < until)
        rc = mass_step(m, merge_tx, &more, e);
    return rc;
}

enum rc mass_index_steps(struct mass *m, store_fn *fn, void *arg, const bool *more, struct err *e)
{
    enum rc rc = mass_step(m, fn, arg, e);
    for (int i = 1; rc == RC_OK && *more; i++) {
        rc = i % STEPS_BETWEEN_MERGES == 0 ? mass_merge(m, e) : RC_OK;
        if (rc == RC_OK)
            rc = mass_step(m, fn, arg, e);
    }
    return rc;
}
