#include "web/models/v1_routes.h"

#include <math.h>

#include "app/context/context.h"
#include "app/models/embedder.h"
#include "base/clock.h"
#include "codec/base64.h"
#include "codec/json/json.h"
#include "llm/embeddings.h"
#include "web/http/web.h"

#define EMBEDDINGS_ANY     "alfred" /* the name under which programs use the model of [embedding] */
#define EMBEDDINGS_TEXTS   2048     /* in one request, as OpenAI's */
#define EMBEDDINGS_GROUP   64       /* of these in one request to the model: many servers take no more */
#define EMBEDDINGS_MS      45000    /* for all groups; nginx waits a minute */
#define EMBEDDINGS_RETRY_S 5
/* Of JSON, in the whole body. More are token ids: a list for each text. */
#define EMBEDDINGS_VALUES 20000
#define MODEL_NAME_MAX    300

static enum rc refuse(struct req *r, enum rc rc, const char *param, const char *key, struct err *e)
{
    r->wrong_param = param;
    return err_say(e, rc, key, arg_text("param", param));
}

/* ---- models ---- */

static void model_resource(struct view *v, const struct provider_choice *c)
{
    view_text(v, "id", c->value);
    view_text(v, "object", "model");
    view_int(v, "created", 0); /* providers do not report it */
    view_text(v, "owned_by", c->name);
}

static enum rc v1_models(struct req *r, struct resp *out, struct err *e)
{
    const struct provider_list *all = providers_list(r->web->providers);
    struct view *v = view_new(r->arena);
    view_text(v, "object", "list");
    struct view *data = view_list(v, "data");
    for (size_t i = 0; i < all->n; i++)
        model_resource(view_item(data), all->choices[i]);
    return resp_json(out, 200, v, e);
}

static enum rc v1_model(struct req *r, struct resp *out, struct err *e)
{
    const struct provider_choice *c = providers_find(r->web->providers, req_text(r, F_MODEL));
    if (!c) {
        r->wrong_code = "model_not_found";
        return refuse(r, RC_NOT_FOUND, "model", "v1.no_model", e);
    }
    struct view *v = view_new(r->arena);
    model_resource(v, c);
    return resp_json(out, 200, v, e);
}

/* ---- embeddings ---- */

struct embeddings_request {
    struct str *texts; /* of the body */
    size_t n;
    bool base64;
};

static enum rc add_text(struct req *r, struct embeddings_request *w, const json_t *v, struct err *e)
{
    struct str text = {json_string_value(v), json_string_length(v)};
    if (json_is_integer(v) || json_is_integer(json_array_get(v, 0)))
        return refuse(r, RC_BAD_INPUT, "input", "v1.token_ids", e);
    if (!json_is_string(v) || str_trim(text).len == 0)
        return refuse(r, RC_BAD_INPUT, "input", "v1.bad_value", e);
    if (w->n == EMBEDDINGS_TEXTS)
        return refuse(r, RC_BAD_INPUT, "input", "v1.too_many", e);
    if (text.len > EMBEDDER_TEXT_MAX)
        return refuse(r, RC_BAD_INPUT, "input", "v1.text_too_long", e);
    w->texts[w->n++] = text;
    return RC_OK;
}

static enum rc read_input(struct req *r, struct embeddings_request *w, const json_t *input, struct err *e)
{
    size_t i;
    json_t *v;
    enum rc rc = RC_OK;
    w->texts = ARENA_ARRAY(r->arena, struct str, EMBEDDINGS_TEXTS);
    if (!json_is_array(input))
        return add_text(r, w, input, e);
    json_array_foreach(input, i, v)
    {
        if ((rc = add_text(r, w, v, e)) != RC_OK)
            return rc;
    }
    return w->n ? RC_OK : refuse(r, RC_BAD_INPUT, "input", "v1.bad_value", e);
}

static enum rc read_format(struct req *r, struct embeddings_request *w, const json_t *body, struct err *e)
{
    struct str format = STR("float");
    json_get_str(body, "encoding_format", &format);
    w->base64 = str_is(format, "base64");
    return w->base64 || str_is(format, "float")
               ? RC_OK
               : refuse(r, RC_BAD_INPUT, "encoding_format", "v1.unsupported_value", e);
}

static enum rc check_names(struct req *r, const json_t *body, struct err *e)
{
    static const char *const known[] = {"model", "input", "encoding_format", "user"};
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)body, name, v)
    {
        bool is_known = false;
        for (size_t i = 0; i < ARRAY_LEN(known); i++)
            is_known |= strcmp(known[i], name) == 0;
        if (!is_known)
            return refuse(r, RC_BAD_INPUT, arena_strdup(r->arena, name), "v1.unknown_param", e);
    }
    return RC_OK;
}

static enum rc check_model(struct req *r, const struct embedder *m, const json_t *body, struct err *e)
{
    struct str name = STR("");
    if (!json_get_str(body, "model", &name))
        return refuse(r, RC_BAD_INPUT, "model", "v1.missing", e);
    if (str_is(name, EMBEDDINGS_ANY) || str_is(name, m->model))
        return RC_OK;
    r->wrong_param = "model";
    r->wrong_code = "model_not_found";
    return err_say(e, RC_NOT_FOUND, "v1.no_embedding_model", arg_text("model", m->model));
}

/* As OpenAI's are. */
static void normalise(float *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)v[i] * (double)v[i];
    for (size_t i = 0; sum > 0 && i < n; i++)
        v[i] = (float)(v[i] / sqrt(sum));
}

/* base64 is of the floats, little-endian as this machine. */
static void put_vector(struct strbuf *out, const float *v, size_t n, bool base64)
{
    if (base64) {
        strbuf_addc(out, '"');
        base64_add(out, (struct str){(const char *)v, n * sizeof *v});
        strbuf_addc(out, '"');
        return;
    }
    for (size_t i = 0; i < n; i++)
        strbuf_addf(out, "%s%.9g", i ? "," : "[", (double)v[i]);
    strbuf_addc(out, ']');
}

/* Appends the vectors of the texts from `from` on, at most a group. */
static enum rc put_group(const struct embedder *m, const struct embeddings_request *w, size_t from,
    struct strbuf *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    size_t left = w->n - from, n = left < EMBEDDINGS_GROUP ? left : EMBEDDINGS_GROUP, dimension;
    float *vectors;
    enum rc rc = embedder_documents(m, a, w->texts + from, n, &vectors, &dimension, e);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < n; i++) {
        normalise(vectors + i * dimension, dimension);
        strbuf_addf(
            out, "%s{\"object\":\"embedding\",\"index\":%zu,\"embedding\":", from + i ? "," : "", from + i);
        put_vector(out, vectors + i * dimension, dimension, w->base64);
        strbuf_addc(out, '}');
    }
    return RC_OK;
}

/* Each group is written before the next one is asked for, so that a request holds the vectors of one group.
 */
static enum rc answer(
    struct req *r, struct resp *out, struct embedder *m, const struct embeddings_request *w, struct err *e)
{
    int64_t tokens = 0, left, until = clock_mono_ms() + EMBEDDINGS_MS;
    out->type = "application/json";
    strbuf_adds(&out->body, "{\"object\":\"list\",\"data\":[");
    for (size_t i = 0; i < w->n; i += EMBEDDINGS_GROUP) {
        if ((left = until - clock_mono_ms()) <= 0)
            return err_say(e, RC_TIMEOUT, "v1.embedding_slow", arg_int("done", (int64_t)i));
        m->timeout_ms = (int)left;
        enum rc rc = put_group(m, w, i, &out->body, e);
        if (rc != RC_OK)
            return rc;
        if (out->body.failed)
            return refuse(r, RC_BAD_INPUT, "input", "v1.embedding_too_long", e);
    }
    for (size_t i = 0; i < w->n; i++)
        tokens += context_tokens(w->texts[i]);
    strbuf_adds(&out->body, "],\"model\":");
    json_add_short(&out->body, str_of(m->model));
    strbuf_addf(&out->body, ",\"usage\":{\"prompt_tokens\":%lld,\"total_tokens\":%lld}}", (long long)tokens,
        (long long)tokens);
    return out->body.failed ? refuse(r, RC_BAD_INPUT, "input", "v1.embedding_too_long", e) : RC_OK;
}

static enum rc v1_embeddings(struct req *r, struct resp *out, struct err *e)
{
    AUTO(json_t) body = NULL;
    struct embedder m;
    struct embeddings_request w = {.n = 0};
    struct str text = r->body.len ? r->body : STR("null");
    if (json_values(text) > EMBEDDINGS_VALUES)
        return refuse(r, RC_BAD_INPUT, "input", "v1.token_ids", e);
    enum rc rc = json_parse(text, text.len, &body, e);
    if (rc == RC_OK && !json_is_object(body))
        rc = err_say(e, RC_BAD_INPUT, "form.json_object");
    if (rc == RC_OK)
        rc = embedder_configured(r->web->config, r->web->providers, &m, e);
    if (rc == RC_OK)
        rc = check_names(r, body, e);
    if (rc == RC_OK)
        rc = check_model(r, &m, body, e);
    if (rc == RC_OK)
        rc = read_format(r, &w, body, e);
    if (rc == RC_OK)
        rc = read_input(r, &w, json_object_get(body, "input"), e);
    if (rc != RC_OK)
        return rc;
    m.prefix = ""; /* the program adds the prefix of its model */
    rc = places_enter(&r->web->embedding, r->who.user_id, "v1.embedding_busy", EMBEDDINGS_RETRY_S, e);
    if (rc != RC_OK)
        return rc;
    rc = answer(r, out, &m, &w, e);
    places_leave(&r->web->embedding, r->who.user_id);
    return rc;
}

static const struct field_rule model_fields[] = {
    {.field = F_MODEL, .type = FIELD_LINE, .required = true, .max = MODEL_NAME_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/v1/models",         v1_models,     V1_READ(SCOPE_CHAT | SCOPE_READ), no_fields},
    {HTTP_GET,  "/v1/models/{model}", v1_model,      V1_READ(SCOPE_CHAT | SCOPE_READ), model_fields},
    {HTTP_POST, "/v1/embeddings",     v1_embeddings, V1_CALL(SCOPE_CHAT),              no_fields},
};
/* clang-format on */

const struct route_table v1_routes = {routes, ARRAY_LEN(routes)};
