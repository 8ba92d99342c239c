#include "llm/models.h"

#include <strings.h>

#include "codec/json.h"
#include "llm/internal.h"

#define LIST_MAX (512 * 1024)

/* Models that only embed cannot chat; neither API says so, their names do. */
static bool can_chat(const char *name)
{
    return *name && strcasestr(name, "embed") == NULL;
}

static enum rc read_list(struct str text, struct arena *a, struct llm_models *out, struct err *e)
{
    AUTO(json_t) answer = NULL;
    json_parse(text, LIST_MAX, &answer, NULL);            /* no JSON has no list */
    const json_t *list = json_object_get(answer, "data"); /* {"data":[{"id"}]} */
    const char *key = "id";
    if (!list) {
        list = json_object_get(answer, "models"); /* {"models":[{"name"}]} */
        key = "name";
    }
    enum rc rc = RC_OK;
    if (json_is_array(list)) {
        size_t i;
        json_t *model;
        out->names = ARENA_ARRAY(a, char *, LLM_MODELS_MAX);
        json_array_foreach(list, i, model)
        {
            const char *name = json_string_value(json_object_get(model, key));
            if (name && can_chat(name) && out->n < LLM_MODELS_MAX)
                out->names[out->n++] = arena_strdup(a, name);
        }
    } else {
        rc = err_set(e, RC_UPSTREAM, "no list of models in the answer");
    }
    return rc;
}

static enum rc get_list(const char *url, const char *key, const char *const *allowed, size_t allowed_n,
    struct arena *a, struct llm_models *out, struct err *e)
{
    struct http_header auth = {"Authorization", key ? arena_printf(a, "Bearer %s", key) : ""};
    struct http_request r = {
        .method = "GET",
        .url = url,
        .headers = &auth,
        .headers_n = key ? 1 : 0,
        .limits = {.connect_ms = LLM_MODELS_WAIT_MS,
            .silence_ms = LLM_MODELS_WAIT_MS,
            .total_ms = LLM_MODELS_WAIT_MS,
            .body_max = LIST_MAX},
    };
    AUTO_STRBUF body;
    int status = 0;
    *out = (struct llm_models){0};
    strbuf_init(&body, LIST_MAX);
    enum rc rc = http_fetch(&r, allowed, allowed_n, &status, &body, e);
    if (rc)
        return rc;
    if (status == 401 || status == 403)
        return err_set(e, RC_FORBIDDEN, "the key is refused (%d)", status);
    if (status != 200)
        return err_set(e, RC_UPSTREAM, "the list of models is answered with %d", status);
    return read_list(strbuf_str(&body), a, out, e);
}

enum rc llm_list_models(const char *base_url, const char *key, const char *const *allowed, size_t allowed_n,
    struct arena *a, struct llm_models *out, struct err *e)
{
    return get_list(arena_printf(a, "%s/models", base_url), key, allowed, allowed_n, a, out, e);
}

enum rc llm_list_ollama(const char *url, const char *const *allowed, size_t allowed_n, struct arena *a,
    struct llm_models *out, struct err *e)
{
    return get_list(arena_printf(a, "%s/api/tags", url), NULL, allowed, allowed_n, a, out, e);
}
