/* The providers of alfred.toml, of the environment or credentials, and local servers on their usual ports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/config_headers.h"
#include "app/config/config_table.h"
#include "app/config/hosts.h"
#include "app/models/providers_private.h"
#include "base/utf8.h"

/* A service that needs no base_url. */
struct service {
    const char *kind; /* also its name when it comes from the environment */
    const char *label, *url;
    const char *key_env, *url_env, *model_env;
};

static const struct service services[] = {
    {"openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"},
    {"anthropic", "Anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL"},
};

/* Usual ports of servers on this machine, all of the openai kind. */
static const struct {
    const char *name, *label, *url;
} locals[] = {
    {"ollama", "Ollama", "http://127.0.0.1:11434/v1"},
    {"llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"},
    {"lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"},
    {"vllm", "vLLM", "http://127.0.0.1:8000/v1"},
};
#define OLLAMA_PORT "11434"

struct build {
    const struct config *c;
    struct providers *p;
    struct provider_source *sources;
    const char **allowed;
    size_t allowed_room;
};

static const struct service *service_of(const char *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(services); i++)
        if (strcmp(services[i].kind, kind) == 0)
            return &services[i];
    return NULL;
}

static bool named_already(const struct build *b, const char *name)
{
    for (size_t i = 0; i < b->p->sources_n; i++)
        if (strcmp(b->sources[i].name, name) == 0)
            return true;
    return false;
}

static bool addressed_already(const struct build *b, const char *url)
{
    for (size_t i = 0; i < b->p->sources_n; i++)
        if (strcmp(b->sources[i].settings.base_url, url) == 0)
            return true;
    return false;
}

/* Adds the "host:port" of an address to the allow list. */
static void allow(struct build *b, const char *url)
{
    const char *server = server_of_url(b->p->arena, url);
    if (server && b->p->allowed_n < b->allowed_room)
        b->allowed[b->p->allowed_n++] = server;
}

static struct provider_source *add(struct build *b, const char *name, const char *label, const char *kind)
{
    struct arena *a = b->p->arena;
    struct provider_source *s = &b->sources[b->p->sources_n];
    *s = (struct provider_source){.index = b->p->sources_n++,
        .name = arena_strdup(a, name),
        .label = arena_strdup(a, label),
        .kind = kind};
    struct str shown = str_of(*label ? label : name);
    shown.len = utf8_cut_bytes(shown, sizeof s->settings.name - 1);
    memcpy(s->settings.name, shown.s, shown.len); /* in errors */
    return s;
}

/* alfred.toml */

static const char *or_null(const char *s)
{
    return *s ? s : NULL;
}

static enum rc from_config(struct build *b, const struct config_provider *set, struct err *e)
{
    const struct service *service = service_of(set->kind);
    struct provider_source *s = add(b, set->name, *set->label ? set->label : set->name, service->kind);
    const char *key_env = *set->key_env || *set->base_url ? set->key_env : service->key_env;
    const char *section = arena_printf(b->p->arena, CONFIG_PROVIDER_PREFIX "%s", set->name);
    struct http_header *headers = NULL;
    enum rc rc =
        *key_env ? config_needed_secret(b->c, b->p->arena, section, key_env, &s->settings.key, e) : RC_OK;
    if (rc == RC_OK)
        rc = config_headers(b->c, b->p->arena, section, &set->headers, 0, &headers, e);
    s->settings.headers = headers;
    s->settings.headers_n = headers ? set->headers.n : 0;
    s->set = set;
    s->model = *set->model ? set->model : set->models.n ? set->models.v[0] : NULL;
    s->settings.base_url = *set->base_url ? set->base_url : service->url;
    s->settings.key_header = or_null(set->key_header);
    s->settings.body = or_null(set->body);
    s->settings.ca_file = or_null(set->ca_file);
    s->settings.proxy = or_null(set->proxy);
    if (*set->base_url)
        allow(b, set->base_url);
    return rc;
}

/* ---- the environment and the credentials ---- */

/* A variable of the environment or a credential; NULL without one. */
static enum rc variable(struct build *b, const char *name, const char **out, struct err *e)
{
    enum rc rc = config_secret(b->c, b->p->arena, name, out, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* The address and the model are read like the key: a key that stands beside an address in the credentials
 * must not go to another service. */
static enum rc from_environment(struct build *b, const struct service *service, struct err *e)
{
    struct arena *a = b->p->arena;
    const char *url = NULL, *model = NULL, *key = NULL;
    if (named_already(b, service->kind))
        return RC_OK;
    enum rc rc = variable(b, service->key_env, &key, e);
    if (rc == RC_OK)
        rc = variable(b, service->url_env, &url, e);
    if (rc == RC_OK)
        rc = variable(b, service->model_env, &model, e);
    if (rc != RC_OK || (!key && !url)) /* a server of the owner's may need no key */
        return rc;
    if (url && strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
        return err_tell(e, RC_BAD_INPUT, "%s must be an address like %s.", service->url_env, service->url);
    if (url && llm_url_method(url))
        return err_tell(e, RC_BAD_INPUT, "%s must end before \"%s\".", service->url_env, llm_url_method(url));
    struct provider_source *s = add(b, service->kind, url ? service->kind : service->label, service->kind);
    s->settings.base_url = url ? llm_base_url(a, service->kind, url) : service->url;
    s->settings.key = key;
    s->model = model;
    if (url)
        allow(b, s->settings.base_url);
    return RC_OK;
}

/* ---- local servers ---- */

/* The address of Ollama. OLLAMA_HOST is a host, a port, or a whole address, often the one that it binds
 * to. */
static const char *ollama_url(struct arena *a, const char *usual)
{
    const char *set = getenv("OLLAMA_HOST");
    if (!set || !*set)
        return usual;
    const char *scheme = strncmp(set, "https://", 8) == 0 ? "https" : "http", *host = strstr(set, "://");
    host = host ? host + 3 : set;
    size_t n = strcspn(host, "/");
    const char *at = arena_strndup(a, host, n);
    const char *colon = strrchr(at, ':'), *bracket = strrchr(at, ']');
    bool port = colon && (!bracket || colon > bracket);
    const char *name = arena_strndup(a, at, port ? (size_t)(colon - at) : n);
    if (!*name || strcmp(name, "0.0.0.0") == 0)
        name = "127.0.0.1";
    return arena_printf(a, "%s://%s:%s/v1", scheme, name, port ? colon + 1 : OLLAMA_PORT);
}

static bool is_own_port(const struct config *c, const char *url)
{
    const char *port = strrchr(url, ':') + 1;
    long n = strtol(port, NULL, 10);
    return n == c->server.http_port || n == c->server.https_port;
}

/* A server in OLLAMA_HOST is asked even when discovery is off. */
static void add_locals(struct build *b)
{
    for (size_t i = 0; i < ARRAY_LEN(locals); i++) {
        const char *url = i == 0 ? ollama_url(b->p->arena, locals[i].url) : locals[i].url;
        bool named = url != locals[i].url; /* by OLLAMA_HOST */
        if ((b->c->models.discover == CONFIG_NO && !named) || named_already(b, locals[i].name) ||
            addressed_already(b, url) || is_own_port(b->c, url))
            continue;
        struct provider_source *s = add(b, locals[i].name, locals[i].label, "openai");
        s->settings.base_url = url;
        s->found_only = true;
        allow(b, url);
    }
}

enum rc provider_sources_make(const struct config *c, struct providers *p, struct err *e)
{
    struct arena *a = p->arena;
    struct build b = {.c = c, .p = p};
    b.sources =
        ARENA_ARRAY(a, struct provider_source, c->providers_n + ARRAY_LEN(services) + ARRAY_LEN(locals) + 1);
    b.allowed_room = c->net.allow.n + c->providers_n + ARRAY_LEN(services) + ARRAY_LEN(locals);
    b.allowed = ARENA_ARRAY(a, const char *, b.allowed_room + 1);
    p->sources = b.sources;
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
    add_locals(&b);
    add(&b, OFFLINE, "Built-in model", OFFLINE);
    return RC_OK;
}
