#include "app/models/providers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/query_vector_cache.h"
#include "base/strbuf.h"
#include "llm/models.h"

#define OFFLINE           "offline"
#define OPENAI_URL        "https://api.openai.com/v1"
#define OPENAI_MODEL      "gpt-4.1-mini"
#define OPENAI_WINDOW     128000
#define ANTHROPIC_URL     "https://api.anthropic.com"
#define ANTHROPIC_MODEL   "claude-sonnet-4-5"
#define ANTHROPIC_WINDOW  200000
#define OLLAMA_NAME       "ollama"
#define OLLAMA_PORT       "11434"
#define OLLAMA_ANSWER_MAX (32 * 1024) /* an environment variable has at most 128 KiB */

/* A service that needs no base_url. */
struct service {
    const char *kind; /* also its name when it comes from the environment */
    const char *label, *url, *model;
    int64_t window;
    const char *key_env, *url_env, *model_env;
};

static const struct service services[] = {
    {"openai", "OpenAI", OPENAI_URL, OPENAI_MODEL, OPENAI_WINDOW, "OPENAI_API_KEY", "OPENAI_BASE_URL",
        "OPENAI_MODEL"},
    {"anthropic", "Anthropic", ANTHROPIC_URL, ANTHROPIC_MODEL, ANTHROPIC_WINDOW, "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"},
};

static const struct service *service_of(const char *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(services); i++)
        if (strcmp(services[i].kind, kind) == 0)
            return &services[i];
    return NULL;
}

/* The list while it is made */

struct build {
    const struct config *c;
    struct providers *p;
    struct provider_choice *choices; /* room for PROVIDERS_CHOICES_MAX */
    const char **allowed;
    size_t allowed_room;
};

/* What all models of one provider share. */
struct source {
    const char *name, *label, *kind, *base_url, *key;
    int64_t window;
    bool one; /* its only model: the label says enough */
};

static void add(struct build *b, const struct source *s, const char *model)
{
    if (b->p->n == PROVIDERS_CHOICES_MAX - 1) /* the last place is offline's */
        return;
    struct arena *a = b->p->arena;
    b->choices[b->p->n++] = (struct provider_choice){
        .value = arena_printf(a, "%s/%s", s->name, model),
        .name = s->name,
        .label = s->one ? s->label : arena_printf(a, "%s · %s", s->label, model),
        .kind = s->kind,
        .model = arena_strdup(a, model),
        .base_url = s->base_url,
        .key = s->key,
        .window = s->window,
    };
}

static bool named_already(const struct build *b, const char *name)
{
    for (size_t i = 0; i < b->c->providers_n; i++)
        if (strcmp(b->c->providers[i].name, name) == 0)
            return true;
    return false;
}

/* The "host:port" of an address onto the allow list. */
static void allow(struct build *b, const char *url)
{
    bool https = strncmp(url, "https://", 8) == 0;
    const char *host = strstr(url, "://");
    if (!host || b->p->allowed_n == b->allowed_room)
        return;
    host += 3;
    size_t n = strcspn(host, "/");
    const char *after = memchr(host, ']', n); /* of an IPv6 address, whose colons are no port */
    const char *colon = memchr(after ? after : host, ':', n - (size_t)((after ? after : host) - host));
    b->allowed[b->p->allowed_n++] = arena_printf(b->p->arena, "%.*s%s", (int)n, host,
        colon   ? ""
        : https ? ":443"
                : ":80");
}

/* alfred.toml */

static enum rc key_of(struct build *b, const struct config_provider *set, const char **key, struct err *e)
{
    const char *name = set->key_env;
    if (!*name && !*set->base_url)
        name = service_of(set->kind)->key_env;
    *key = NULL;
    if (!*name)
        return RC_OK;
    enum rc rc = config_secret(b->c, b->p->arena, name, key, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, RC_BAD_INPUT,
            "[provider.%s] needs the key %.60s: set that environment variable, or add a line %.60s=... to "
            "the file "
            "credentials in the data folder (chmod 600).",
            set->name, name, name);
    return rc;
}

static enum rc from_config(struct build *b, const struct config_provider *set, struct err *e)
{
    const struct service *service = service_of(set->kind);
    struct arena *a = b->p->arena;
    struct source s = {
        .name = arena_strdup(a, set->name),
        .label = arena_strdup(a, *set->label ? set->label : set->name),
        .kind = service->kind,
        .base_url = *set->base_url ? arena_strdup(a, set->base_url) : service->url,
        .window = set->window           ? set->window
                  : *set->base_url == 0 ? service->window
                                        : b->c->context.model_window,
    };
    enum rc rc = key_of(b, set, &s.key, e);
    if (rc != RC_OK)
        return rc;
    if (*set->base_url)
        allow(b, set->base_url);
    size_t others = 0;
    for (size_t i = 0; i < set->models.n; i++)
        others += strcmp(set->models.v[i], set->model) != 0;
    s.one = *set->label && others + (*set->model != '\0') == 1;
    if (*set->model)
        add(b, &s, set->model);
    for (size_t i = 0; i < set->models.n; i++)
        if (strcmp(set->models.v[i], set->model) != 0)
            add(b, &s, set->models.v[i]);
    return RC_OK;
}

/* The environment */

/* Not for secrets, which may also come from a credential. */
static const char *env(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

static const char *without_slash_at_end(struct arena *a, const char *url)
{
    size_t n = strlen(url);
    while (n && url[n - 1] == '/')
        n--;
    return arena_strndup(a, url, n);
}

static enum rc from_environment(struct build *b, const struct service *service, struct err *e)
{
    struct arena *a = b->p->arena;
    const char *url = env(service->url_env), *model = env(service->model_env), *key = NULL;
    if (named_already(b, service->kind))
        return RC_OK;
    enum rc rc = config_secret(b->c, a, service->key_env, &key, e);
    if (rc == RC_NOT_FOUND && !url) /* an own server may need no key */
        return RC_OK;
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    if (url && strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
        return err_say(e, RC_BAD_INPUT, "%s must be an address like %s.", service->url_env, service->url);
    struct source s = {
        .name = service->kind,
        .label = url ? service->kind : service->label,
        .kind = service->kind,
        .base_url = url ? without_slash_at_end(a, url) : service->url,
        .key = key,
        .window = url ? b->c->context.model_window : service->window,
    };
    if (url)
        allow(b, s.base_url);
    add(b, &s, model ? model : service->model);
    return RC_OK;
}

/* Ollama */

static void from_ollama(struct build *b)
{
    const char *found = env(PROVIDERS_OLLAMA_ENV);
    if (!found || named_already(b, OLLAMA_NAME))
        return;
    struct str rest = str_of(arena_strdup(b->p->arena, found)), url = str_cut(&rest, ' ');
    struct source s = {
        .name = OLLAMA_NAME,
        .label = "Ollama",
        .kind = "openai",
        .base_url = arena_strndup(b->p->arena, url.s, url.len),
        .window = b->c->context.model_window,
    };
    allow(b, s.base_url);
    while (rest.s) {
        struct str model = str_cut(&rest, ' ');
        if (model.len)
            add(b, &s, arena_strndup(b->p->arena, model.s, model.len));
    }
}

/* Where Ollama listens: OLLAMA_HOST has a host, a port, or a whole address, and often the one it binds to. */
static const char *ollama_url(struct arena *a)
{
    const char *set = env("OLLAMA_HOST");
    if (!set)
        return LLM_OLLAMA_URL;
    const char *scheme = strncmp(set, "https://", 8) == 0 ? "https" : "http", *host = strstr(set, "://");
    host = host ? host + 3 : set;
    size_t n = strcspn(host, "/");
    const char *at = arena_strndup(a, host, n);
    const char *colon = strrchr(at, ':'), *bracket = strrchr(at, ']');
    bool port = colon && (!bracket || colon > bracket);
    const char *name = arena_strndup(a, at, port ? (size_t)(colon - at) : n);
    if (!*name || strcmp(name, "0.0.0.0") == 0)
        name = "127.0.0.1";
    return arena_printf(a, "%s://%s:%s", scheme, name, port ? colon + 1 : OLLAMA_PORT);
}

char *providers_ask_ollama(void)
{
    AUTO(arena) a = arena_new();
    const char *url = ollama_url(a), *host = strstr(url, "://") + 3;
    struct llm_models found;
    if (llm_list_ollama(url, &host, 1, a, &found, NULL) != RC_OK || found.n == 0)
        return NULL;
    AUTO_STRBUF out;
    strbuf_init(&out, OLLAMA_ANSWER_MAX);
    strbuf_addf(&out, "%s/v1", url);
    for (size_t i = 0; i < found.n; i++)
        if (found.names[i][strcspn(found.names[i], " \t\r\n")] == '\0')
            strbuf_addf(&out, " %s", found.names[i]);
    return strbuf_take(&out, NULL);
}

/* The list */

enum rc providers_new(const struct config *c, struct providers **out, struct err *e)
{
    struct arena *a = arena_new();
    AUTO(providers) p = ARENA_NEW(a, struct providers);
    p->arena = a;
    p->questions = questions_new();
    struct build b = {.c = c, .p = p};
    b.choices = ARENA_ARRAY(a, struct provider_choice, PROVIDERS_CHOICES_MAX);
    b.allowed_room = c->net.allow.n + c->providers_n + ARRAY_LEN(services) + 1;
    b.allowed = ARENA_ARRAY(a, const char *, b.allowed_room);
    p->choices = b.choices;
    p->allowed = b.allowed;
    for (size_t i = 0; i < c->net.allow.n; i++)
        b.allowed[p->allowed_n++] = arena_strdup(a, c->net.allow.v[i]);

    enum rc rc = RC_OK;
    for (size_t i = 0; i < c->providers_n && rc == RC_OK; i++)
        rc = from_config(&b, &c->providers[i], e);
    for (size_t i = 0; i < ARRAY_LEN(services) && rc == RC_OK; i++)
        rc = from_environment(&b, &services[i], e);
    if (rc != RC_OK)
        return rc;
    from_ollama(&b);
    b.choices[p->n++] = (struct provider_choice){.value = OFFLINE "/" OFFLINE,
        .name = OFFLINE,
        .label = "Offline",
        .kind = OFFLINE,
        .model = OFFLINE,
        .window = c->context.model_window};
    *out = p;
    p = NULL;
    return RC_OK;
}

void providers_free(struct providers *p)
{
    if (!p)
        return;
    questions_free(p->questions);
    arena_free(p->arena);
}

const struct provider_choice *providers_find(const struct providers *p, const char *value)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->choices[i].value, value) == 0)
            return &p->choices[i];
    return NULL;
}

const struct provider_choice *providers_by_name(
    const struct providers *p, const char *name, const char *model)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->choices[i].name, name) == 0 && (!model || strcmp(p->choices[i].model, model) == 0))
            return &p->choices[i];
    return NULL;
}

const struct provider_choice *providers_default(const struct providers *p)
{
    return &p->choices[0];
}
