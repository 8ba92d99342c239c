#include "helper/model_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "app/models/model_lists.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "helper/helper.h"
#include "helper/models_program.h"

struct model_watch {
    const struct helper *helper;
    pthread_t thread;
    bool started;
    int64_t *due; /* by source, clock_mono_ms() */
    struct log_repeat failures;
};

static bool stops(const struct helper *h, int64_t wait_ms)
{
    struct pollfd fd = {.fd = h->signal_fd, .events = POLLIN};
    int rc = poll(&fd, 1, wait_ms > 0 ? (int)wait_ms : 0);
    return rc > 0 || (rc < 0 && errno != EINTR);
}

static void plan(struct model_watch *w, const struct provider_source *s, bool answered)
{
    int64_t wait = answered ? w->helper->config->models.refresh_minutes * MS_PER_MIN : MODEL_LISTS_AGAIN_MS;
    w->due[s->index] = clock_mono_ms() + wait;
}

/* Stores that a local server is absent, which needs no libcurl. */
static void note_absent(struct model_watch *w, const struct provider_source *s)
{
    const struct helper *h = w->helper;
    plan(w, s, model_list_ask(h->providers, s, h->store, h->signal_fd, MODEL_LISTS_FIND_MS, NULL) == RC_OK);
}

static void ask_due(struct model_watch *w)
{
    const struct providers *p = w->helper->providers;
    AUTO(arena) a = arena_new();
    const struct provider_source **asked = ARENA_ARRAY(a, const struct provider_source *, p->sources_n);
    const char **names = ARENA_ARRAY(a, const char *, p->sources_n);
    bool *answered = ARENA_ARRAY(a, bool, p->sources_n);
    size_t n = 0;
    for (size_t i = 0; i < p->sources_n; i++) {
        const struct provider_source *s = &p->sources[i];
        if (!model_list_is_asked(s) || w->due[i] > clock_mono_ms())
            continue;
        if (!model_list_is_there(s)) {
            note_absent(w, s);
            continue;
        }
        asked[n] = s;
        names[n++] = s->name;
    }
    if (!n)
        return;
    struct err e = ERR_INIT;
    if (models_program_run(names, n, w->helper->signal_fd, answered, &e) == RC_OK)
        log_repeat_end(&w->failures, "the lists of models");
    else
        log_repeat(&w->failures, LOG_ERROR, "the lists of models: %s", e.text);
    for (size_t i = 0; i < n; i++)
        plan(w, asked[i], answered[i]);
}

static void *watch(void *arg)
{
    struct model_watch *w = arg;
    const struct providers *p = w->helper->providers;
    int64_t wait = 0;
    setpriority(PRIO_PROCESS, 0, HELPER_NICE); /* of this thread and of the program that it starts */
    while (!stops(w->helper, wait)) {
        ask_due(w);
        int64_t next = clock_mono_ms() + w->helper->config->models.refresh_minutes * MS_PER_MIN;
        for (size_t i = 0; i < p->sources_n; i++)
            if (model_list_is_asked(&p->sources[i]) && w->due[i] < next)
                next = w->due[i];
        wait = next - clock_mono_ms();
    }
    return NULL;
}

enum rc model_watch_start(const struct helper *h, struct model_watch **out, struct err *e)
{
    struct model_watch *w = xcalloc(1, sizeof *w);
    *w = (struct model_watch){.helper = h, .due = xcalloc(h->providers->sources_n, sizeof *w->due)};
    enum rc rc = thread_start(&w->thread, watch, w, "the lists of models", e);
    w->started = rc == RC_OK;
    if (w->started)
        *out = w;
    else
        model_watch_free(w);
    return rc;
}

void model_watch_free(struct model_watch *w)
{
    if (!w)
        return;
    if (w->started)
        pthread_join(w->thread, NULL);
    free(w->due);
    free(w);
}
