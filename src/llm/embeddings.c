#include "llm/embeddings.h"

#include <math.h>

#include "codec/json/json.h"
#include "codec/view.h"
#include "llm/internal.h"

#define ANSWER_NUMBER_BYTES 32 /* size of one number as text */
#define ANSWER_REST_BYTES   ((size_t)256 * 1024)

/* ---- request ---- */

static void write_body(const struct llm_embed *r, struct strbuf *out)
{
    strbuf_addc(out, '{');
    llm_add_member(out, "model", str_of(r->model));
    if (r->send_dimension && r->dimension)
        strbuf_addf(out, ",\"dimensions\":%lld", (long long)r->dimension);
    strbuf_adds(out, ",\"input\":[");
    for (size_t i = 0; i < r->n; i++) {
        AUTO_STRBUF text;
        strbuf_init(&text, LLM_BODY_MAX);
        strbuf_adds(&text, r->prefix ? r->prefix : "");
        strbuf_addstr(&text, r->texts[i]);
        if (i)
            strbuf_addc(out, ',');
        json_add_string(out, strbuf_str(&text));
    }
    strbuf_adds(out, "]}");
}

static enum rc post(const struct llm_embed *r, struct llm_answer *out, struct err *e)
{
    AUTO_STRBUF body;
    strbuf_init(&body, LLM_BODY_MAX);
    write_body(r, &body);
    if (body.failed)
        return err_set(e, RC_TOO_BIG, "a request for %zu embeddings is too long", r->n);
    return llm_post_wait(&(struct llm_post){.provider = &r->provider,
                             .path = "/embeddings",
                             .type = LLM_JSON,
                             .body = strbuf_str(&body),
                             .allowed = r->allowed,
                             .allowed_n = r->allowed_n,
                             .stop_fd = r->stop_fd},
        out, e);
}

/* ---- answer ---- */

static enum rc wrong(const struct llm_embed *r, struct err *e, const char *key, size_t got, size_t wanted)
{
    return err_say(e, RC_UPSTREAM, key, arg_text("provider", r->provider.name), arg_int("got", (int64_t)got),
        arg_int("wanted", (int64_t)wanted));
}

/* A vector of zeros has no direction: it would be stored for good and be similar to nothing. Some servers
 * answer with it while their model or its graphics card fails. */
static enum rc read_numbers(const struct llm_embed *r, const json_t *list, float *out, struct err *e)
{
    size_t i;
    bool zeros = true;
    json_t *number;
    json_array_foreach(list, i, number)
    {
        double d = json_number_value(number);
        if (!json_is_number(number) || !isfinite((float)d))
            return err_say(e, RC_UPSTREAM, "provider.bad_vector", arg_text("provider", r->provider.name));
        out[i] = (float)d;
        zeros = zeros && out[i] == 0;
    }
    return zeros ? err_say(e, RC_UPSTREAM, "provider.zero_vector", arg_text("provider", r->provider.name))
                 : RC_OK;
}

static enum rc read_vectors(const struct llm_embed *r, const json_t *answer, struct arena *a, float **out,
    size_t *dimension, struct err *e)
{
    const json_t *data = json_object_get(answer, "data");
    size_t n = json_array_size(data), dims = 0, i;
    if (n != r->n)
        return wrong(r, e, "provider.vectors", n, r->n);
    bool *seen = ARENA_ARRAY(a, bool, n);
    json_t *item;
    json_array_foreach(data, i, item)
    {
        const json_t *vector = json_object_get(item, "embedding");
        size_t size = json_array_size(vector);
        int64_t at = (int64_t)i;
        json_get_int(item, "index", &at);
        if (i == 0) {
            dims = size;
            if (size == 0 || size > LLM_EMBED_DIMS_MAX || (r->dimension && size != (size_t)r->dimension))
                return wrong(r, e, "provider.dimensions", size,
                    r->dimension ? (size_t)r->dimension : (size_t)LLM_EMBED_DIMS_MAX);
            *out = ARENA_ARRAY(a, float, n *dims);
        }
        if (size != dims)
            return wrong(r, e, "provider.dimensions", size, dims);
        if (at < 0 || at >= (int64_t)n || seen[at])
            return err_say(e, RC_UPSTREAM, "provider.same_vector", arg_text("provider", r->provider.name));
        seen[at] = true;
        enum rc rc = read_numbers(r, vector, *out + (size_t)at * dims, e);
        if (rc != RC_OK)
            return rc;
    }
    *dimension = dims;
    return RC_OK;
}

enum rc llm_embed(const struct llm_embed *r, struct arena *a, float **out, size_t *dimension, struct err *e)
{
    if (r->n == 0 || r->n > LLM_EMBED_TEXTS_MAX)
        return err_set(e, RC_BAD_INPUT, "%zu texts to embed at once", r->n);
    size_t dims = r->dimension ? (size_t)r->dimension : LLM_EMBED_DIMS_MAX;
    size_t cap = r->n * dims * ANSWER_NUMBER_BYTES + ANSWER_REST_BYTES;
    struct llm_embed with_cap = *r;
    struct llm_answer answer = {0};
    with_cap.provider.limits.body_max = cap;
    enum rc rc = post(&with_cap, &answer, e);
    AUTO(json_t) json = answer.json;
    if (rc == RC_OK) {
        struct llm_provider p = {.s = r->provider};
        const struct llm_refusal refusal = {r->model, answer.status, answer.retry_after_s, json};
        struct llm_verdict v;
        if (answer.status != 200)
            rc = llm_provider_error(&p, &refusal, &v, e);
        else if (!json)
            rc = llm_nonsense(&p, e);
        else
            rc = read_vectors(r, json, a, out, dimension, e);
    }
    return rc;
}
