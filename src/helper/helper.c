#include "helper/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/jobs/helper_notify.h"
#include "app/tools/tools.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "helper/channels.h"
#include "helper/lane.h"
#include "helper/mcp_watch.h"
#include "helper/model_watch.h"
#include "helper/reminder_watch.h"
#include "helper/worker.h"

static enum rc add_regular_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *now = arg;
    enum rc rc = store_job_add(db, JOB_SWEEP, 0, 0, *now, *now, e);
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, 0, 0, *now, *now, e) : rc;
}

static enum rc release_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *now = arg;
    return store_job_release_all(db, *now, e);
}

/* The remaining steps of work(). */
struct state {
    struct helper *helper;
    struct lanes *lanes; /* NULL: not started */
    struct model_watch *watch;
    struct mcp_watch *mcp; /* NULL: no server is configured */
    bool mcp_started;
    struct reminder_watch *reminders;
    struct channels *channels; /* NULL: none is configured */
    bool channels_started;
    int64_t regular_at; /* clock_mono_ms() of the next regular jobs: the wall clock can be set back */
};

/* The lanes start after leased jobs of the previous helper are back in the queue. */
static enum rc start_lanes(struct state *s, struct err *e)
{
    int64_t now = clock_wall_ms();
    enum rc rc = store_write_lazy(s->helper->store, release_tx, &now, e);
    return rc == RC_OK ? lanes_start(s->helper, &s->lanes, e) : rc;
}

/* Starts what does not run yet. After a failure the next step goes on here. */
static enum rc start(struct state *s, struct err *e)
{
    enum rc rc = RC_OK;
    if (!s->lanes)
        rc = start_lanes(s, e);
    if (rc == RC_OK && !s->watch)
        rc = model_watch_start(s->helper, &s->watch, e);
    if (rc == RC_OK && !s->mcp_started) {
        rc = mcp_watch_start(s->helper, &s->mcp, e);
        s->mcp_started = rc == RC_OK;
    }
    if (rc == RC_OK && !s->reminders)
        rc = reminder_watch_start(s->helper, &s->reminders, e);
    if (rc == RC_OK && !s->channels_started) {
        rc = channels_start(s->helper, &s->channels, e);
        s->channels_started = rc == RC_OK;
    }
    return rc;
}

static enum rc add_regular(struct state *s, struct err *e)
{
    int64_t now = clock_wall_ms(), mono = clock_mono_ms();
    if (mono < s->regular_at)
        return RC_OK;
    enum rc rc = store_write_lazy(s->helper->store, add_regular_tx, &now, e);
    if (rc == RC_OK)
        s->regular_at = mono + HELPER_SWEEP_EVERY_MS;
    return rc;
}

static enum rc step(struct state *s, struct err *e)
{
    enum rc rc = start(s, e);
    if (rc == RC_OK)
        rc = add_regular(s, e);
    if (rc != RC_OK)
        return rc;
    channels_wake(s->channels); /* first: people wait */
    lanes_wake(s->lanes);
    reminder_watch_wake(s->reminders);
    mcp_watch_wake(s->mcp);
    return RC_OK;
}

/* Runs until a signal to end: adds the regular jobs, and passes datagrams to the lanes. */
static void work(struct helper *h, int wake_fd)
{
    struct state s = {.helper = h};
    struct backoff retry = {.first_ms = WORKER_RETRY_FIRST_MS, .max_ms = WORKER_RETRY_MAX_MS};
    struct log_repeat errors = {0};
    struct pollfd fds[] = {{.fd = h->signal_fd, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
    while (!(fds[0].revents & POLLIN)) {
        struct err e = ERR_INIT;
        int64_t wait;
        enum rc rc = step(&s, &e);
        if (rc != RC_OK) {
            log_repeat(&errors, LOG_ERROR, "the regular jobs: %s: %s", rc_name(rc), e.text);
            wait = backoff_next(&retry);
        } else {
            log_repeat_end(&errors, "the regular jobs");
            backoff_reset(&retry);
            wait = s.regular_at - clock_mono_ms();
        }
        if (poll(fds, rc == RC_OK ? ARRAY_LEN(fds) : 1, wait > 0 ? (int)wait : 0) < 0 && errno != EINTR) {
            log_error("the helper ends: poll: %s", strerror(errno));
            break;
        }
        char drop[64];
        while (read(wake_fd, drop, sizeof drop) > 0)
            ;
    }
    channels_free(s.channels);
    lanes_free(s.lanes);
    model_watch_free(s.watch);
    mcp_watch_free(s.mcp);
    reminder_watch_free(s.reminders);
}

static enum rc open_helper(struct helper *h, struct config **c, struct providers **p, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = config_load(NULL, c, e);
    if (rc != RC_OK)
        return rc;
    h->config = *c;
    log_init("helper", h->config->server.log_level);
    if (sodium_init() < 0)
        return err_set(e, RC_INTERNAL, "libsodium cannot be initialised");
    if ((rc = providers_new(h->config, p, e)) != RC_OK)
        return rc;
    h->providers = *p;
    rc = fs_join(path, h->config->server.data_dir, CONFIG_DATABASE, e);
    return rc == RC_OK ? store_open(path, JOB_LANES + 3 + CHANNELS_READERS, &h->store, e) : rc;
}

int helper_main(void)
{
    struct helper h = {.tools_offered = tools_offered};
    struct err e = ERR_INIT;
    AUTO(config) config = NULL;
    AUTO(providers) providers = NULL;
    AUTO_FD wake_fd = -1;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    log_init("helper", LOG_INFO);
    AUTO_FD signal_fd = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
    h.signal_fd = signal_fd;

    enum rc rc = RC_OK;
    if (signal_fd < 0) /* without it a stop would kill the helper */
        rc = err_set(&e, RC_IO, "signalfd: %s", strerror(errno));
    if (rc == RC_OK)
        rc = open_helper(&h, &config, &providers, &e);
    if (rc == RC_OK)
        rc = helper_listen(h.config->server.data_dir, &wake_fd, &e);
    if (rc == RC_OK)
        work(&h, wake_fd);
    else
        log_error("%s: %s", rc_name(rc), e.text);
    store_free(h.store);
    return rc == RC_OK ? 0 : 1;
}
