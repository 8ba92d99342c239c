#include "helper/model_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/model_lists.h"
#include "base/clock.h"
#include "base/log.h"

struct model_watch {
    const struct helper *helper;
    pthread_t thread;
    int64_t *due; /* by source, clock_mono_ms() */
};

static bool stops(const struct helper *h, int64_t wait_ms)
{
    struct pollfd fd = {.fd = h->signal_fd, .events = POLLIN};
    int rc = poll(&fd, 1, wait_ms > 0 ? (int)wait_ms : 0);
    return rc > 0 || (rc < 0 && errno != EINTR);
}

static void ask(struct model_watch *w, const struct provider_source *s)
{
    const struct helper *h = w->helper;
    enum rc rc = model_list_ask(
        h->providers, s, h->store, h->signal_fd, s->found_only ? MODEL_LISTS_FIND_MS : 0, NULL);
    int64_t wait =
        rc == RC_OK ? h->config->models.refresh_minutes * MS_PER_MIN : (int64_t)MODEL_LISTS_AGAIN_MS;
    w->due[s->index] = clock_mono_ms() + wait;
}

static void *watch(void *arg)
{
    struct model_watch *w = arg;
    const struct providers *p = w->helper->providers;
    int64_t wait = 0;
    while (!stops(w->helper, wait)) {
        int64_t next = clock_mono_ms() + w->helper->config->models.refresh_minutes * MS_PER_MIN;
        for (size_t i = 0; i < p->sources_n && !stops(w->helper, 0); i++) {
            if (!model_list_is_asked(&p->sources[i]))
                continue;
            if (w->due[i] <= clock_mono_ms())
                ask(w, &p->sources[i]);
            if (w->due[i] < next)
                next = w->due[i];
        }
        wait = next - clock_mono_ms();
    }
    return NULL;
}

enum rc model_watch_start(const struct helper *h, struct model_watch **out, struct err *e)
{
    struct model_watch *w = xcalloc(1, sizeof *w);
    *w = (struct model_watch){.helper = h, .due = xcalloc(h->providers->sources_n, sizeof *w->due)};
    if (pthread_create(&w->thread, NULL, watch, w) != 0) {
        free(w->due);
        free(w);
        return err_set(e, RC_INTERNAL, "cannot start the thread of the model lists");
    }
    *out = w;
    return RC_OK;
}

void model_watch_free(struct model_watch *w)
{
    if (!w)
        return;
    pthread_join(w->thread, NULL);
    free(w->due);
    free(w);
}
