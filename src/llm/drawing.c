#include "llm/drawing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codec/base64.h"
#include "codec/json/json.h"
#include "llm/internal.h"
#include "net/http.h"

#define ANSWER_REST_BYTES ((size_t)64 * 1024) /* of an answer, besides the picture */

/* The optional members of a request, as bits. */
enum member { MEMBER_SIZE = 1, MEMBER_RESPONSE_FORMAT = 2, MEMBER_OUTPUT_FORMAT = 4 };
static const struct {
    enum member bit;
    const char *name;
} members[] = {{MEMBER_SIZE, "size"}, {MEMBER_RESPONSE_FORMAT, "response_format"},
    {MEMBER_OUTPUT_FORMAT, "output_format"}};

struct llm_drawing {
    struct http_client *client;
    struct http_call *call;
    struct arena *arena; /* address, headers, prompt */
    struct llm_provider provider;
    const char *model, *url;
    struct http_header *headers;
    size_t headers_n;
    struct str prompt;
    enum llm_shape shape;
    size_t picture_max;
    unsigned sent; /* enum member */
    bool repeated;
    int status, retry_after_s;
    struct strbuf body;
    llm_drawn_fn *fn;
    void *arg;
};

/* "gpt-image-1", also behind gateways: "openai/gpt-image-1". */
static bool is_gpt_image(const char *model)
{
    const char *slash = strrchr(model, '/');
    struct str name = str_of(slash ? slash + 1 : model);
    return str_starts(name, STR("gpt-image")) || str_starts(name, STR("chatgpt-image"));
}

/* In pixels, of the sizes that the model takes. Those of other models are what Stable Diffusion XL and its
 * successors were trained on. */
static const char *size_of(const char *model, enum llm_shape shape)
{
    static const char *const gpt[] = {"1024x1024", "1536x1024", "1024x1536"};
    static const char *const dall_e_3[] = {"1024x1024", "1792x1024", "1024x1792"};
    static const char *const others[] = {"1024x1024", "1344x768", "768x1344"};
    if (is_gpt_image(model))
        return gpt[shape];
    if (strstr(model, "dall-e-2"))
        return others[LLM_SHAPE_SQUARE];
    return strstr(model, "dall-e-3") ? dall_e_3[shape] : others[shape];
}

static void drawing_free(struct llm_drawing *d)
{
    strbuf_release(&d->body);
    arena_free(d->arena);
    free(d);
}

static void end(struct llm_drawing *d, enum rc rc, struct str picture, const struct err *e)
{
    d->fn(d->arg, rc, picture, e);
    drawing_free(d);
}

/* ---- the answer ---- */

static enum rc no_picture(const struct llm_drawing *d, const char *key, struct err *e)
{
    return err_say(e, RC_UPSTREAM, key, arg_text("provider", d->provider.s.name));
}

/* The bytes, which the caller frees. */
static enum rc read_picture(
    const struct llm_drawing *d, const json_t *answer, char **bytes, size_t *n, struct err *e)
{
    const json_t *first = json_array_get(json_object_get(answer, "data"), 0);
    struct str text = STR("");
    if (!json_get_str(first, "b64_json", &text) || !text.len) {
        struct str url = STR("");
        json_get_str(first, "url", &url);
        if (!base64_of_data_url(url, &text))
            return no_picture(d, url.len ? "provider.picture_address" : "provider.no_drawing", e);
    } else {
        base64_of_data_url(text, &text); /* some servers put the head of a data URL before it */
    }
    *bytes = base64_decode(text, n);
    if (!*bytes || !*n)
        return no_picture(d, "provider.no_drawing", e);
    return *n > d->picture_max
               ? err_say(e, RC_TOO_BIG, "picture.too_big", arg_limit("max", (int64_t)d->picture_max))
               : RC_OK;
}

/* ---- the request ---- */

static enum rc begin(struct llm_drawing *d, struct err *e);

/* True when the refusal names a member that a request can be without; it is left out of the next one. */
static bool leaves_out(struct llm_drawing *d)
{
    struct str said = strbuf_str(&d->body);
    if (d->repeated || (d->status != 400 && d->status != 422))
        return false;
    unsigned kept = d->sent;
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (memmem(said.s, said.len, members[i].name, strlen(members[i].name)))
            kept &= ~(unsigned)members[i].bit;
    d->repeated = kept != d->sent;
    d->sent = kept;
    return d->repeated;
}

static void on_status(void *arg, int status, int retry_after_s)
{
    struct llm_drawing *d = arg;
    d->status = status;
    d->retry_after_s = retry_after_s;
}

static bool on_data(void *arg, struct str piece)
{
    struct llm_drawing *d = arg;
    strbuf_addstr(&d->body, piece);
    return true;
}

static void on_done(void *arg, enum rc rc, const struct err *said)
{
    struct llm_drawing *d = arg;
    AUTO(json_t) answer = NULL;
    AUTO_FREE char *bytes = NULL;
    size_t n = 0;
    struct err e = ERR_INIT;
    d->call = NULL;
    if (rc == RC_TOO_BIG) {
        rc = err_say(&e, rc, "picture.too_big", arg_limit("max", (int64_t)d->picture_max));
    } else if (rc != RC_OK) {
        e = *said;
    } else if (d->status != 200 && leaves_out(d)) {
        strbuf_clear(&d->body);
        rc = begin(d, &e);
        if (rc == RC_OK)
            return;
    } else {
        bool is_json = json_parse(strbuf_str(&d->body), d->body.len, &answer, NULL) == RC_OK;
        const struct llm_refusal refusal = {d->model, d->status, d->retry_after_s, answer};
        struct llm_verdict v;
        if (d->status != 200)
            rc = llm_provider_error(&d->provider, &refusal, &v, &e);
        else
            rc = is_json ? read_picture(d, answer, &bytes, &n, &e) : llm_nonsense(&d->provider, &e);
    }
    end(d, rc, (struct str){bytes, n}, &e);
}

static void write_body(const struct llm_drawing *d, struct strbuf *out)
{
    strbuf_addc(out, '{');
    llm_add_member(out, "model", str_of(d->model));
    strbuf_addc(out, ',');
    llm_add_member(out, "prompt", d->prompt);
    strbuf_adds(out, ",\"n\":1");
    if (d->sent & MEMBER_SIZE)
        strbuf_addf(out, ",\"size\":\"%s\"", size_of(d->model, d->shape));
    if (d->sent & MEMBER_RESPONSE_FORMAT)
        strbuf_adds(out, ",\"response_format\":\"b64_json\"");
    if (d->sent & MEMBER_OUTPUT_FORMAT) /* a fifth of the bytes of PNG */
        strbuf_adds(out, ",\"output_format\":\"webp\"");
    strbuf_addc(out, '}');
}

static enum rc begin(struct llm_drawing *d, struct err *e)
{
    static const struct http_callbacks cb = {.on_status = on_status, .on_data = on_data, .on_done = on_done};
    AUTO_STRBUF body;
    strbuf_init(&body, LLM_BODY_MAX);
    write_body(d, &body);
    struct http_request request = {.method = "POST",
        .server = d->provider.s.name,
        .url = d->url,
        .headers = d->headers,
        .headers_n = d->headers_n,
        .ca_file = d->provider.s.ca_file,
        .proxy = d->provider.s.proxy,
        .body = strbuf_str(&body),
        .once = true,
        .limits = d->provider.s.limits};
    request.limits.body_max = BASE64_SIZE(d->picture_max) + ANSWER_REST_BYTES;
    return http_start(d->client, &request, &cb, d, &d->call, e);
}

enum rc llm_draw(struct http_client *c, const struct llm_drawing_request *r, llm_drawn_fn *fn, void *arg,
    struct llm_drawing **out, struct err *e)
{
    struct llm_drawing *d = xcalloc(1, sizeof *d);
    struct arena *a = arena_new();
    *d = (struct llm_drawing){.client = c,
        .arena = a,
        .provider = {.s = *r->provider},
        .model = r->model,
        .url = llm_url(a, r->provider->base_url, "/images/generations"),
        .headers = ARENA_ARRAY(a, struct http_header, LLM_HEADERS_ROOM),
        .prompt = arena_str(a, r->prompt),
        .shape = r->shape,
        .picture_max = r->picture_max,
        .sent = MEMBER_SIZE | (is_gpt_image(r->model) ? MEMBER_OUTPUT_FORMAT : MEMBER_RESPONSE_FORMAT),
        .fn = fn,
        .arg = arg};
    d->headers_n = llm_headers("openai", r->provider, a, d->headers);
    strbuf_init(&d->body, BASE64_SIZE(r->picture_max) + ANSWER_REST_BYTES);
    enum rc rc = begin(d, e);
    if (rc == RC_OK)
        *out = d;
    else
        drawing_free(d);
    return rc;
}

void llm_drawing_cancel(struct llm_drawing *d)
{
    http_cancel(d->call);
    drawing_free(d);
}
