#include "web/http/templates.h"

#include <pthread.h>
#include <stdlib.h>

#include "assets.h"

struct templates {
    const char *dir;
    pthread_mutex_t making; /* held while a set is made */
    size_t n;
    struct mustache_set *_Atomic sets[]; /* by lang_index(); NULL: not made yet */
};

struct templates *templates_new(const char *dir)
{
    size_t n = 0;
    while (lang_at(n))
        n++;
    struct templates *t = xcalloc(1, sizeof *t + n * sizeof t->sets[0]);
    t->dir = dir;
    t->n = n;
    pthread_mutex_init(&t->making, NULL);
    return t;
}

void templates_free(struct templates *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        mustache_set_free(t->sets[i]);
    pthread_mutex_destroy(&t->making);
    free(t);
}

static const char *text(const void *lang, struct str key)
{
    return lang_lookup(lang, key);
}

static enum rc make(const char *dir, const struct lang *l, struct mustache_set **out, struct err *e)
{
    AUTO(mustache_set) set = mustache_set_new();
    mustache_set_constant(set, "asset", ASSET_VERSION);
    mustache_set_texts(set, text, l);
    enum rc rc = mustache_set_load(set, dir, e);
    if (rc == RC_OK)
        rc = mustache_check_raw(set, e);
    if (rc == RC_OK)
        rc = mustache_check_names(set, e);
    if (rc == RC_OK) {
        *out = set;
        set = NULL;
    }
    return rc;
}

static enum rc set_of(
    struct templates *t, const struct lang *l, const struct mustache_set **out, struct err *e)
{
    struct mustache_set *_Atomic *place = &t->sets[lang_index(l)];
    struct mustache_set *set = *place;
    enum rc rc = RC_OK;
    if (!set) {
        pthread_mutex_lock(&t->making);
        set = *place;
        if (!set && (rc = make(t->dir, l, &set, e)) == RC_OK)
            *place = set;
        pthread_mutex_unlock(&t->making);
    }
    *out = set;
    return rc;
}

enum rc templates_check(struct templates *t, struct err *e)
{
    const struct mustache_set *set;
    return set_of(t, lang_english(), &set, e);
}

enum rc templates_render(struct templates *t, const struct lang *l, const char *name, const struct view *v,
    struct strbuf *out, struct err *e)
{
    const struct mustache_set *set;
    enum rc rc = set_of(t, l, &set, e);
    return rc == RC_OK ? mustache_render(set, name, v, out, e) : rc;
}
