#include "app/models/providers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/providers_private.h"
#include "app/models/query_vector_cache.h"
#include "base/clock.h"
#include "base/log.h"

struct providers_live {
    const struct config *config;
    _Atomic(const struct provider_list *) list;
    _Atomic int64_t looked_ms; /* clock_mono_ms() of the last read of the store */
    pthread_mutex_t lock;      /* guards the following members and the arena; held while a list is made */
    int64_t version;           /* version of the store's tables when `list` was made */
    struct kept_choices kept;
    bool standard_missing;    /* [models] default_model, when `list` was made; it was logged */
    struct log_repeat unread; /* not guarded */
};

/* `known` NULL: the models of the providers were not read yet. */
static void take_list(const struct providers *p, const struct provider_known *known)
{
    struct providers_live *live = p->live;
    AUTO(arena) a = arena_new();
    struct choices_made made = choices_make(live->config, p, known, a);
    if (known && made.standard_missing && !live->standard_missing)
        log_warn("[models] default_model: \"%s\" is not available at the moment",
            live->config->models.default_model);
    live->standard_missing = known && made.standard_missing;
    atomic_store(&live->list, kept_choices_list(&live->kept, p->arena, &made));
}

enum rc providers_new(const struct config *c, struct providers **out, struct err *e)
{
    struct arena *a = arena_new();
    AUTO(providers) p = ARENA_NEW(a, struct providers);
    p->arena = a;
    p->query_vectors = query_vector_cache_new();
    p->unsaved_lists = ARENA_NEW(a, struct log_repeat);
    p->live = ARENA_NEW(a, struct providers_live);
    p->live->config = c;
    pthread_mutex_init(&p->live->lock, NULL);
    enum rc rc = provider_sources_make(c, p, e);
    if (rc != RC_OK)
        return rc;
    take_list(p, NULL);
    *out = p;
    p = NULL;
    return RC_OK;
}

void providers_free(struct providers *p)
{
    if (!p)
        return;
    kept_choices_release(&p->live->kept);
    pthread_mutex_destroy(&p->live->lock);
    query_vector_cache_free(p->query_vectors);
    arena_free(p->arena);
}

/* ---- refreshing ---- */

static enum rc read_known(
    struct db *db, struct arena *a, const struct provider_source *s, struct provider_known *k, struct err *e)
{
    enum rc rc = store_model_list_get(db, a, s->name, &k->list, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    if ((rc = store_models_read(db, a, s->name, &k->models, &k->n, e)) != RC_OK)
        return rc;
    return store_models_learned(db, a, s->name, &k->learned, &k->learned_n, e);
}

static enum rc refresh(const struct providers *p, struct db *db, struct err *e)
{
    struct providers_live *live = p->live;
    AUTO(arena) a = arena_new();
    int64_t version = 0;
    enum rc rc = store_models_version(db, &version, e);
    if (rc != RC_OK || version == live->version)
        return rc;
    struct provider_known *known = ARENA_ARRAY(a, struct provider_known, p->sources_n);
    for (size_t i = 0; rc == RC_OK && i < p->sources_n; i++)
        rc = read_known(db, a, &p->sources[i], &known[i], e);
    if (rc != RC_OK)
        return rc;
    take_list(p, known);
    live->version = version;
    return RC_OK;
}

void providers_refresh(const struct providers *p, struct db *db)
{
    struct err e = ERR_INIT;
    atomic_store(&p->live->looked_ms, clock_mono_ms());
    pthread_mutex_lock(&p->live->lock);
    enum rc rc = refresh(p, db, &e);
    pthread_mutex_unlock(&p->live->lock);
    if (rc == RC_OK)
        log_repeat_end(&p->live->unread, "reading the models of the providers");
    else
        log_repeat(&p->live->unread, LOG_WARN, "the models of the providers could not be read: %s: %s",
            rc_name(rc), e.text);
}

void providers_refresh_lately(const struct providers *p, struct store *s)
{
    int64_t looked = atomic_load(&p->live->looked_ms), now = clock_mono_ms();
    if (looked && now - looked < PROVIDERS_LATELY_MS)
        return;
    struct db *db = store_read(s);
    providers_refresh(p, db);
    store_read_done(s, db);
}

/* ---- look-ups ---- */

const struct provider_list *providers_list(const struct providers *p)
{
    return atomic_load(&p->live->list);
}

const struct provider_choice *providers_find(const struct providers *p, const char *value)
{
    const struct provider_list *l = providers_list(p);
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->choices[i]->value, value) == 0)
            return l->choices[i];
    return NULL;
}

const struct provider_choice *providers_by_name(
    const struct providers *p, const char *name, const char *model)
{
    const struct provider_list *l = providers_list(p);
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->choices[i]->name, name) == 0 && (!model || strcmp(l->choices[i]->model, model) == 0))
            return l->choices[i];
    return NULL;
}

const struct provider_choice *providers_default(const struct providers *p)
{
    return providers_list(p)->standard;
}

const struct provider_choice *providers_wanted(const struct providers *p, const char *value)
{
    const struct provider_choice *c = value && *value ? providers_find(p, value) : NULL;
    return c ? c : providers_default(p);
}

bool provider_choice_is_offline(const struct provider_choice *c)
{
    return strcmp(c->kind, OFFLINE) == 0;
}

const char *provider_choice_label(const struct provider_choice *c, const struct lang *l)
{
    return l && provider_choice_is_offline(c) ? lang_text(l, "models.built_in") : c->label;
}

struct said_arg provider_choice_said(const char *name, const struct provider_choice *c)
{
    return provider_choice_is_offline(c) ? arg_key(name, "models.built_in") : arg_text(name, c->label);
}

bool providers_offline(const struct providers *p)
{
    return providers_list(p)->n == 1;
}

const struct provider_source *providers_source(const struct providers *p, const char *name)
{
    for (size_t i = 0; i < p->sources_n; i++)
        if (strcmp(p->sources[i].name, name) == 0)
            return &p->sources[i];
    return NULL;
}

/* ---- learning ---- */

static enum rc learn_tx(struct db *db, void *arg, struct err *e)
{
    return store_model_learn(db, arg, clock_wall_ms(), e);
}

bool provider_choice_learn(struct store *s, const struct provider_choice *c, struct model_learned_row m)
{
    struct err e = ERR_INIT;
    m.provider = c->name;
    m.name = c->model;
    m.base_url = c->source->settings.base_url;
    if (!m.base_url)
        return false;
    if (store_write_lazy(s, learn_tx, &m, &e) == RC_OK)
        return true;
    log_warn("a limit that %s reported could not be stored: %s", m.provider, e.text);
    return false;
}
