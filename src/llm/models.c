#include "llm/models.h"

#include <strings.h>

#include "codec/json.h"
#include "llm/internal.h"

#define LIST_MAX (512 * 1024)

/* Models that only embed cannot chat; the list does not say so, their names do. */
static bool can_chat(const char *name)
{
    return *name && strcasestr(name, "embed") == NULL;
}

/* {"models":[{"name": ...}, ...]} */
static enum rc read_list(struct str text, struct arena *a, struct llm_models *out, struct err *e)
{
    AUTO(json_t) answer = NULL;
    json_parse(text, LIST_MAX, &answer, NULL); /* no JSON has no list */
    const json_t *list = json_object_get(answer, "models");
    if (!json_is_array(list))
        return err_set(e, RC_UPSTREAM, "no list of models in the answer");
    size_t i;
    json_t *model;
    out->names = ARENA_ARRAY(a, char *, LLM_MODELS_MAX);
    json_array_foreach(list, i, model)
    {
        const char *name = json_string_value(json_object_get(model, "name"));
        if (name && can_chat(name) && out->n < LLM_MODELS_MAX)
            out->names[out->n++] = arena_strdup(a, name);
    }
    return RC_OK;
}

enum rc llm_list_ollama(const char *url, const char *const *allowed, size_t allowed_n, struct arena *a,
    struct llm_models *out, struct err *e)
{
    struct http_request r = {
        .method = "GET",
        .url = arena_printf(a, "%s/api/tags", url),
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
    if (rc != RC_OK)
        return rc;
    if (status != 200)
        return err_set(e, RC_UPSTREAM, "the list of models is answered with %d", status);
    return read_list(strbuf_str(&body), a, out, e);
}
