#include "llm/models.h"

#include <stdio.h>
#include <string.h>

#include "codec/json/json.h"
#include "llm/internal.h"
#include "llm/models_private.h"

#define LIST_MAX        ((size_t)16 * 1024 * 1024) /* OpenRouter's list has 0.5 MB */
#define LIST_CONTAINERS 400000 /* objects and lists; a list of 50,000 models is read up to LLM_MODELS_MAX */
#define PAGES_MAX       20
#define OLLAMA_TCP      ":11434"
#define OLLAMA_TRIES    3 /* descriptions; then the server is another one */
#define STATUS_OK       200

struct asking {
    const struct llm_models_ask *ask;
    struct arena *arena;
    struct llm_models *out;
};

/* One request. `answer` is NULL unless RC_OK. `e` may be NULL. */
static enum rc fetch(const struct asking *g, const char *method, const char *url, struct str body,
    json_t **answer, struct err *e)
{
    const struct llm_settings *s = g->ask->provider;
    const struct llm_provider p = {.s = *s};
    struct http_header headers[LLM_HEADERS_ROOM];
    struct http_request r = {.method = method,
        .server = s->name,
        .url = url,
        .headers = headers,
        .headers_n = llm_headers(g->ask->kind, LLM_JSON, s, g->arena, headers),
        .body = body,
        .stop_fd = g->ask->stop_fd,
        .ca_file = s->ca_file,
        .proxy = s->proxy,
        .limits = s->limits};
    r.limits.first_ms = r.limits.silence_ms = g->ask->limit_ms ? g->ask->limit_ms : LLM_LIST_SILENCE_MS;
    r.limits.connect_ms = r.limits.silence_ms;
    r.limits.total_ms = g->ask->limit_ms ? g->ask->limit_ms : LLM_LIST_TOTAL_MS;
    r.limits.body_max = LIST_MAX;
    AUTO_STRBUF text;
    int status = 0;
    *answer = NULL;
    strbuf_init(&text, LIST_MAX);
    enum rc rc = http_fetch(&r, g->ask->allowed, g->ask->allowed_n, &status, &text, e);
    if (rc != RC_OK)
        return rc;
    AUTO(json_t) json = NULL;
    json_parse_within(strbuf_str(&text), LIST_MAX, (struct json_limits){JSON_DEPTH_MAX, LIST_CONTAINERS},
        &json, NULL); /* NULL when it is not JSON */
    struct llm_verdict v;
    if (status == 404 || status == 405)
        return err_say(e, RC_NOT_FOUND, "provider.no_list", arg_text("provider", s->name),
            arg_text("url", url), arg_int("status", status));
    if (status != STATUS_OK)
        return llm_provider_error(
            &p, &(struct llm_refusal){.model = "", .status = status, .answer = json}, &v, e);
    if (!json)
        return llm_nonsense(&p, e);
    *answer = json;
    json = NULL;
    return RC_OK;
}

static enum rc ask_list(struct asking *g, struct err *e)
{
    const char *base = g->ask->provider->base_url;
    bool anthropic = strcmp(g->ask->kind, "anthropic") == 0;
    const char *url = anthropic
                          ? arena_printf(g->arena, "%s?limit=1000", llm_url(g->arena, base, "/v1/models"))
                          : llm_url(g->arena, base, "/models");
    for (int page = 0; page < PAGES_MAX; page++) {
        AUTO(json_t) answer = NULL;
        size_t before = g->out->n;
        enum rc rc = fetch(g, "GET", url, (struct str){0}, &answer, e);
        if (rc == RC_OK)
            rc = models_read_list(answer, g->arena, g->out, e);
        if (rc != RC_OK)
            return rc;
        struct str last = llm_json_str(answer, "last_id");
        if (!anthropic || !json_is_true(json_object_get(answer, "has_more")) || !last.len ||
            g->out->n == before || last.len != strspn(last.s, LLM_URL_SAFE))
            break;
        url = arena_printf(
            g->arena, "%s?limit=1000&after_id=%s", llm_url(g->arena, base, "/v1/models"), last.s);
    }
    return RC_OK;
}

/* The server's root: its own protocol is next to /v1. */
static const char *root_of(const struct asking *g)
{
    const char *base = g->ask->provider->base_url;
    size_t n = strlen(base);
    return n > 3 && strcmp(base + n - 3, "/v1") == 0 ? arena_strndup(g->arena, base, n - 3) : base;
}

static json_t *ask_more(const struct asking *g, const char *path)
{
    json_t *answer = NULL;
    fetch(g, "GET", arena_printf(g->arena, "%s%s", root_of(g), path), (struct str){0}, &answer, NULL);
    return answer;
}

/* A model whose description fails, such as one of ollama.com without a sign-in, is left out. */
static void ask_ollama(const struct asking *g)
{
    bool any = false;
    size_t n = g->out->n < LLM_SHOWN_MAX ? g->out->n : LLM_SHOWN_MAX;
    for (size_t i = 0; i < n; i++) {
        AUTO(json_t) show = NULL;
        AUTO_STRBUF body;
        strbuf_init(&body, 8 * LLM_MODEL_NAME_MAX);
        strbuf_addc(&body, '{');
        llm_add_member(&body, "model", str_of(g->out->list[i].name));
        strbuf_addc(&body, '}');
        enum rc rc = fetch(
            g, "POST", arena_printf(g->arena, "%s/api/show", root_of(g)), strbuf_str(&body), &show, NULL);
        any |= rc == RC_OK;
        if (rc == RC_CANCELLED || (!any && i + 1 >= OLLAMA_TRIES))
            return; /* another server that uses the same name */
        if (rc == RC_OK)
            models_read_show(show, &g->out->list[i]);
    }
    AUTO(json_t) running = ask_more(g, "/api/ps");
    models_read_ps(running, g->out);
}

/* Only own servers are asked for more; a hosted service has one protocol. */
static void ask_server(const struct asking *g)
{
    const char *server = g->out->server;
    if (strcmp(server, "llama.cpp") == 0) {
        AUTO(json_t) props = ask_more(g, "/props");
        models_read_props(props, g->out);
    } else if (strcmp(server, "Ollama") == 0) {
        ask_ollama(g);
    } else if (strcmp(server, "LM Studio") == 0) {
        AUTO(json_t) list = ask_more(g, "/api/v0/models");
        models_read_lmstudio(list, g->out);
    } else if (strcmp(server, "KoboldCpp") == 0) {
        AUTO(json_t) length = ask_more(g, "/api/extra/true_max_context_length");
        models_read_kobold(length, g->out);
    }
}

enum rc llm_models_ask(
    const struct llm_models_ask *ask, struct arena *a, struct llm_models *out, struct err *e)
{
    *out = (struct llm_models){.list = ARENA_ARRAY(a, struct llm_model, LLM_MODELS_MAX), .server = ""};
    struct asking g = {.ask = ask, .arena = a, .out = out};
    enum rc rc = ask_list(&g, e);
    if (rc != RC_OK)
        return rc;
    if (strstr(ask->provider->base_url, OLLAMA_TCP))
        out->server = "Ollama";
    ask_server(&g);
    models_apply_families(out);
    return RC_OK;
}
