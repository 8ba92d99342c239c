#include "app/models/model_lists.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"

#define LISTENS_MAX_US 100000 /* a port whose queue is full does not answer */

struct put {
    struct model_list_row list;
    struct model_row *models;
    size_t n;
};

static enum rc put_tx(struct db *db, void *arg, struct err *e)
{
    const struct put *p = arg;
    return store_models_put(db, &p->list, p->models, p->n, e);
}

static void take(struct arena *a, const struct llm_models *found, struct put *out)
{
    out->models = ARENA_ARRAY(a, struct model_row, found->n + 1);
    out->n = found->n;
    out->list.server = found->server;
    for (size_t i = 0; i < found->n; i++) {
        const struct llm_model *m = &found->list[i];
        out->models[i] = (struct model_row){.name = m->name,
            .chat = m->chat,
            .loaded = m->loaded,
            .window = m->window,
            .window_from = m->window_from,
            .tools = (int)m->tools,
            .images = (int)m->images,
            .reasoning = (int)m->reasoning,
            .created = m->created};
    }
}

/* The stored result of the last request; empty: there is none. */
static struct model_list_row stored(struct store *store, struct arena *a, const struct provider_source *s)
{
    struct model_list_row list = {0};
    struct db *db = store_read(store);
    enum rc rc = store_model_list_get(db, a, s->name, &list, NULL);
    store_read_done(store, db);
    return rc == RC_OK ? list : (struct model_list_row){0};
}

/* Whether the provider had models until now. It may be starting, or its disk may not be mounted: without its
 * models, sessions would continue with another one for good. */
static bool had_models(struct store *store, struct arena *a, const struct provider_source *s,
    const struct model_list_row *before)
{
    struct model_row *models;
    size_t n = 0;
    if (!before->listed_at || strcmp(before->base_url, s->settings.base_url) != 0)
        return false;
    struct db *db = store_read(store);
    enum rc rc = store_models_read(db, a, s->name, &models, &n, NULL);
    store_read_done(store, db);
    return rc == RC_OK && n > 0;
}

/* Logs what changed since the last time. `why`: the error in English; p->list.failure is for users. */
static void report(const struct provider_source *s, const struct model_list_row *before, const struct put *p,
    const char *why)
{
    bool had = before->listed_at && !before->failure;
    if (!p->list.failure && !had)
        log_info("%s at %s: %zu models%s%s", s->name, s->settings.base_url, p->n, *p->list.server ? ", " : "",
            p->list.server);
    else if (p->list.failure && !before->failure && !(s->found_only && !had))
        log_warn("%s: the list of models could not be read: %s", s->name, why);
}

/* Nothing is written then: servers that are absent are looked for every MODEL_LISTS_AGAIN_MS. */
static bool fails_as_before(const struct model_list_row *before, const struct model_list_row *now)
{
    return before->failure && now->failure && strcmp(before->failure, now->failure) == 0 &&
           strcmp(before->base_url, now->base_url) == 0;
}

/* True when something listens on a port of this machine. For a port without a listener libcurl is not
 * loaded, and the helper starts no process. Any other address counts as listening. */
static bool listens(const char *url)
{
    const struct str local = STR("http://127.0.0.1:");
    struct str rest = str_of(url);
    int64_t port;
    if (!str_starts(rest, local))
        return true;
    rest = str_from(rest, local.len);
    if (!str_to_int(str_cut(&rest, '/'), 1, UINT16_MAX, &port))
        return true;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    /* A socket that does not block would never report the refusal: connect() returns before it arrives. */
    const struct timeval longest = {.tv_usec = LISTENS_MAX_US};
    AUTO_FD fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest) < 0 ||
           connect(fd, (struct sockaddr *)&to, sizeof to) == 0 || errno != ECONNREFUSED;
}

bool model_list_is_there(const struct provider_source *s)
{
    return !s->found_only || listens(s->settings.base_url);
}

enum rc model_list_ask(const struct providers *p, const struct provider_source *s, struct store *store,
    int stop_fd, int limit_ms, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct err why = ERR_INIT;
    struct llm_models found = {.server = ""};
    struct llm_models_ask ask = {.kind = s->kind,
        .provider = &s->settings,
        .allowed = p->allowed,
        .allowed_n = p->allowed_n,
        .stop_fd = stop_fd,
        .limit_ms = limit_ms};
    struct put put = {.list = {.provider = s->name, .base_url = s->settings.base_url, .server = ""}};
    enum rc rc = model_list_is_there(s) ? llm_models_ask(&ask, a, &found, &why)
                                        : err_say(&why, RC_UNAVAILABLE, "server.nothing_listens",
                                              arg_text("url", s->settings.base_url));
    if (rc == RC_CANCELLED) {
        if (e)
            *e = why;
        return rc;
    }
    put.list.asked_at = clock_wall_ms();
    struct model_list_row before = stored(store, a, s);
    if (rc == RC_OK && found.n == 0 && had_models(store, a, s, &before))
        rc = err_say(&why, RC_UNAVAILABLE, "provider.lists_nothing", arg_text("provider", s->name));
    if (rc == RC_OK)
        take(a, &found, &put);
    else
        put.list.failure = why.for_user ? err_stored(&why) : why.text;
    report(s, &before, &put, why.text);
    struct err fault = ERR_INIT;
    if (fails_as_before(&before, &put.list) || store_write_lazy(store, put_tx, &put, &fault) == RC_OK)
        log_repeat_end(p->unsaved_lists, "saving lists of models");
    else
        log_repeat(p->unsaved_lists, LOG_WARN, "a list of models could not be saved: %s", fault.text);
    if (rc != RC_OK && e)
        *e = why;
    return rc;
}

/* ---- several at once ---- */

struct asking {
    const struct providers *providers;
    const struct provider_source *source;
    struct store *store;
    int limit_ms;
    bool answered;
    bool started; /* in a thread of its own */
    pthread_t thread;
};

static void *ask_one(void *arg)
{
    struct asking *q = arg;
    enum rc rc =
        q->source ? model_list_ask(q->providers, q->source, q->store, 0, q->limit_ms, NULL) : RC_NOT_FOUND;
    q->answered = !rc_is_temporary(rc);
    return NULL;
}

void model_lists_ask(const struct providers *p, const struct provider_source *const *sources, size_t n,
    struct store *store, int limit_ms, bool *answered)
{
    AUTO(arena) a = arena_new();
    struct asking *all = ARENA_ARRAY(a, struct asking, n);
    for (size_t i = 0; i < n; i++) {
        struct asking *q = &all[i];
        *q = (struct asking){.providers = p,
            .source = sources[i],
            .store = store,
            .limit_ms = sources[i] && sources[i]->found_only ? MODEL_LISTS_FIND_MS : limit_ms};
        q->started = i + 1 < n && pthread_create(&q->thread, NULL, ask_one, q) == 0;
        if (!q->started) /* the last one needs no thread */
            ask_one(q);
    }
    for (size_t i = 0; i < n; i++) {
        if (all[i].started)
            pthread_join(all[i].thread, NULL);
        answered[i] = all[i].answered;
    }
}

static bool was_asked(struct store *store, const struct provider_source *s)
{
    AUTO(arena) a = arena_new();
    struct model_list_row before = stored(store, a, s);
    return before.asked_at && strcmp(before.base_url, s->settings.base_url) == 0;
}

void model_lists_start(const struct providers *p, struct store *store)
{
    AUTO(arena) a = arena_new();
    const struct provider_source **asked = ARENA_ARRAY(a, const struct provider_source *, p->sources_n);
    bool *answered = ARENA_ARRAY(a, bool, p->sources_n);
    size_t n = 0;
    for (size_t i = 0; i < p->sources_n; i++) {
        const struct provider_source *s = &p->sources[i];
        if (model_list_is_asked(s) && (s->found_only || !was_asked(store, s)))
            asked[n++] = s;
    }
    model_lists_ask(p, asked, n, store, MODEL_LISTS_START_MS, answered);
}
