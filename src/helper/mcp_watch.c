#include "helper/mcp_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/config/config_table.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "helper/helper.h"
#include "helper/models_program.h"
#include "store/mcp.h"

struct mcp_watch {
    const struct helper *helper;
    pthread_t thread;
    bool started;
    int wake_fd;  /* an eventfd */
    int64_t *due; /* by server, clock_mono_ms() */
    struct log_repeat failures;
};

/* False: the helper is stopping. */
static bool wait_for(struct mcp_watch *w, int64_t wait_ms)
{
    struct pollfd fds[] = {
        {.fd = w->helper->signal_fd, .events = POLLIN}, {.fd = w->wake_fd, .events = POLLIN}};
    uint64_t drop;
    int rc = poll(fds, ARRAY_LEN(fds), wait_ms > 0 ? (int)wait_ms : 0);
    if (rc > 0 && fds[1].revents && read(w->wake_fd, &drop, sizeof drop) < 0)
        log_debug("the eventfd was read already");
    return !(rc > 0 && fds[0].revents) && (rc >= 0 || errno == EINTR);
}

/* Servers whose list is out of date are due now. */
static void find_stale(struct mcp_watch *w)
{
    const struct config *c = w->helper->config;
    struct db *db = store_read(w->helper->store);
    for (size_t i = 0; i < c->mcp_n; i++) {
        bool stale;
        if (store_mcp_is_stale(db, c->mcp[i].name, &stale, NULL) == RC_OK && stale)
            w->due[i] = 0;
    }
    store_read_done(w->helper->store, db);
}

static void ask_due(struct mcp_watch *w)
{
    const struct config *c = w->helper->config;
    AUTO(arena) a = arena_new();
    const char **names = ARENA_ARRAY(a, const char *, c->mcp_n);
    size_t *asked = ARENA_ARRAY(a, size_t, c->mcp_n), n = 0;
    bool *answered = ARENA_ARRAY(a, bool, c->mcp_n);
    for (size_t i = 0; i < c->mcp_n; i++)
        if (c->mcp[i].enabled == CONFIG_YES && w->due[i] <= clock_mono_ms()) {
            names[n] = arena_printf(a, CONFIG_MCP_PREFIX "%s", c->mcp[i].name);
            asked[n++] = i;
        }
    if (!n)
        return;
    struct err e = ERR_INIT;
    if (models_program_run(names, n, w->helper->signal_fd, answered, &e) == RC_OK)
        log_repeat_end(&w->failures, "the lists of tools");
    else
        log_repeat(&w->failures, LOG_ERROR, "the lists of tools: %s", e.text);
    for (size_t i = 0; i < n; i++)
        w->due[asked[i]] =
            clock_mono_ms() + (answered[i] ? c->models.refresh_minutes * MS_PER_MIN : MCP_AGAIN_MS);
}

static void *watch(void *arg)
{
    struct mcp_watch *w = arg;
    const struct config *c = w->helper->config;
    int64_t wait = 0;
    setpriority(PRIO_PROCESS, 0, HELPER_NICE); /* of this thread and of the program that it starts */
    while (wait_for(w, wait)) {
        find_stale(w);
        ask_due(w);
        int64_t next = INT64_MAX;
        for (size_t i = 0; i < c->mcp_n; i++)
            if (c->mcp[i].enabled == CONFIG_YES && w->due[i] < next)
                next = w->due[i];
        wait = next == INT64_MAX ? MS_PER_DAY : next - clock_mono_ms();
    }
    return NULL;
}

enum rc mcp_watch_start(const struct helper *h, struct mcp_watch **out, struct err *e)
{
    if (!h->config->mcp_n)
        return RC_OK;
    struct mcp_watch *w = xcalloc(1, sizeof *w);
    *w = (struct mcp_watch){.helper = h,
        .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
        .due = xcalloc(h->config->mcp_n, sizeof *w->due)};
    enum rc rc = w->wake_fd < 0 ? err_set(e, RC_INTERNAL, "eventfd: %s", strerror(errno))
                                : thread_start(&w->thread, watch, w, "the lists of tools", e);
    w->started = rc == RC_OK;
    if (w->started)
        *out = w;
    else
        mcp_watch_free(w);
    return rc;
}

void mcp_watch_wake(struct mcp_watch *w)
{
    if (w && eventfd_write(w->wake_fd, 1) != 0)
        log_debug("the thread of the lists of tools is awake already");
}

void mcp_watch_free(struct mcp_watch *w)
{
    if (!w)
        return;
    if (w->started)
        pthread_join(w->thread, NULL);
    if (w->wake_fd >= 0)
        close(w->wake_fd);
    free(w->due);
    free(w);
}
