#include "llm/drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/base64.h"
#include "codec/json/json.h"
#include "codec/picture.h"
#include "llm/internal.h"
#include "net/http.h"

#define ANSWER_REST_BYTES ((size_t)64 * 1024) /* of an answer, besides the picture */
#define FIELDS_MAX        ((size_t)1024)      /* bytes of the values besides prompt and pictures */

/* The optional members of a request, as bits, with their values; that of the size depends on the request.
 * WebP has a fifth of the bytes of PNG. */
enum member { MEMBER_SIZE = 1, MEMBER_RESPONSE_FORMAT = 2, MEMBER_OUTPUT_FORMAT = 4 };
static const struct {
    enum member bit;
    const char *name, *value;
} members[] = {{MEMBER_SIZE, "size", NULL}, {MEMBER_RESPONSE_FORMAT, "response_format", "b64_json"},
    {MEMBER_OUTPUT_FORMAT, "output_format", "webp"}};

struct llm_drawing {
    struct http_client *client;
    struct llm_post_call *call;
    struct arena *arena;
    struct llm_settings settings;
    const char *model;
    struct str prompt, from[LLM_DRAWING_FROM_MAX]; /* in the arena */
    size_t from_n;
    enum llm_shape shape;
    size_t picture_max;
    unsigned sent; /* enum member */
    bool repeated;
    struct llm_multipart form; /* of a change; of a new picture only the body is used, which is JSON */
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
    static const char square[] = "1024x1024";
    static const char *const gpt[] = {"auto", square, "1536x1024", "1024x1536"};
    static const char *const dall_e_3[] = {square, square, "1792x1024", "1024x1792"};
    static const char *const others[] = {square, square, "1344x768", "768x1344"};
    if (is_gpt_image(model))
        return gpt[shape];
    if (strstr(model, "dall-e-2"))
        return square;
    return strstr(model, "dall-e-3") ? dall_e_3[shape] : others[shape];
}

static void drawing_free(struct llm_drawing *d)
{
    strbuf_release(&d->form.body);
    arena_free(d->arena);
    free(d);
}

/* ---- the answer ---- */

static enum rc no_picture(const struct llm_drawing *d, const char *key, struct err *e)
{
    return err_say(e, RC_UPSTREAM, key, arg_text("provider", d->settings.name));
}

static enum rc too_big(const struct llm_drawing *d, struct err *e)
{
    return err_say(e, RC_TOO_BIG, "picture.too_big", arg_limit("max", (int64_t)d->picture_max));
}

/* The bytes, which the caller frees. */
static enum rc read_picture(
    const struct llm_drawing *d, const json_t *answer, char **bytes, size_t *n, struct err *e)
{
    const json_t *first = json_array_get(json_object_get(answer, "data"), 0);
    struct str text = STR(""), url = STR("");
    json_get_str(first, "b64_json", &text);
    json_get_str(first, "url", &url);
    /* some servers have a data URL in one of the two */
    if (!base64_of_data_url(text.len ? text : url, &text) && !text.len)
        return no_picture(d, url.len ? "provider.picture_address" : "provider.no_drawing", e);
    *bytes = base64_decode(text, n);
    if (!*bytes || !*n)
        return no_picture(d, "provider.no_drawing", e);
    return *n > d->picture_max ? too_big(d, e) : RC_OK;
}

static enum rc refused(const struct llm_drawing *d, const struct llm_answer *answer, struct err *e)
{
    const struct llm_provider p = {.s = d->settings};
    const struct llm_refusal refusal = {d->model, answer->status, answer->retry_after_s, answer->json};
    struct llm_verdict v;
    return llm_provider_error(&p, &refusal, &v, e);
}

/* ---- the request ---- */

static enum rc begin(struct llm_drawing *d, struct err *e);

/* True when the refusal names a member that a request can be without; it is left out of the next one. */
static bool leaves_out(struct llm_drawing *d, const struct llm_answer *answer)
{
    if (d->repeated || (answer->status != 400 && answer->status != 422) || !answer->json)
        return false;
    AUTO_FREE char *said = json_dumps(answer->json, JSON_COMPACT | JSON_ENCODE_ANY);
    unsigned kept = d->sent;
    for (size_t i = 0; said && i < ARRAY_LEN(members); i++)
        if (strstr(said, members[i].name))
            kept &= ~(unsigned)members[i].bit;
    d->repeated = kept != d->sent;
    d->sent = kept;
    return d->repeated;
}

static void on_answer(void *arg, enum rc rc, const struct llm_answer *answer, const struct err *said)
{
    struct llm_drawing *d = arg;
    AUTO_FREE char *bytes = NULL;
    size_t n = 0;
    struct err e = ERR_INIT;
    d->call = NULL;
    if (rc == RC_TOO_BIG)
        too_big(d, &e);
    else if (rc != RC_OK)
        e = *said;
    else if (answer->status == 200)
        rc = answer->json ? read_picture(d, answer->json, &bytes, &n, &e)
                          : llm_nonsense(&(struct llm_provider){.s = d->settings}, &e);
    else if (!leaves_out(d, answer))
        rc = refused(d, answer, &e);
    else if ((rc = begin(d, &e)) == RC_OK)
        return;
    d->fn(d->arg, rc, (struct str){bytes, n}, &e);
    drawing_free(d);
}

static struct str value_of(const struct llm_drawing *d, size_t member)
{
    return str_of(members[member].value ? members[member].value : size_of(d->model, d->shape));
}

static void write_json(struct llm_drawing *d)
{
    struct strbuf *out = &d->form.body;
    strbuf_init(out, LLM_BODY_MAX);
    strbuf_addc(out, '{');
    llm_add_member(out, "model", str_of(d->model));
    strbuf_addc(out, ',');
    llm_add_member(out, "prompt", d->prompt);
    strbuf_adds(out, ",\"n\":1");
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (d->sent & members[i].bit) {
            strbuf_addc(out, ',');
            llm_add_member(out, members[i].name, value_of(d, i));
        }
    strbuf_addc(out, '}');
}

/* Only models "gpt-image-..." take several pictures. */
static enum rc write_form(struct llm_drawing *d, struct err *e)
{
    struct llm_multipart *f = &d->form;
    size_t bytes = d->prompt.len + FIELDS_MAX;
    const char *name = is_gpt_image(d->model) ? "image[]" : "image";
    for (size_t i = 0; i < d->from_n; i++)
        bytes += d->from[i].len;
    llm_multipart_begin(f, bytes, d->from_n + 5);
    llm_multipart_field(f, "model", str_of(d->model));
    llm_multipart_field(f, "prompt", d->prompt);
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (d->sent & members[i].bit)
            llm_multipart_field(f, members[i].name, value_of(d, i));
    for (size_t i = 0; i < d->from_n; i++) {
        struct picture_look look;
        char file[32];
        if (!picture_look(d->from[i], &look) || strcmp(look.media_type, "image/gif") == 0)
            return err_say(e, RC_UNSUPPORTED, "picture.no_change");
        snprintf(file, sizeof file, "picture.%s", strchr(look.media_type, '/') + 1);
        llm_multipart_file(f, name, file, look.media_type, d->from[i]);
    }
    return llm_multipart_end(f, e);
}

static enum rc begin(struct llm_drawing *d, struct err *e)
{
    enum rc rc = RC_OK;
    strbuf_release(&d->form.body);
    if (d->from_n)
        rc = write_form(d, e);
    else
        write_json(d);
    if (rc != RC_OK)
        return rc;
    const struct llm_post post = {.provider = &d->settings,
        .path = d->from_n ? "/images/edits" : "/images/generations",
        .type = d->from_n ? d->form.type : LLM_JSON,
        .body = strbuf_str(&d->form.body),
        .once = true};
    return llm_post_start(d->client, &post, on_answer, d, &d->call, e);
}

enum rc llm_draw(struct http_client *c, const struct llm_drawing_request *r, llm_drawn_fn *fn, void *arg,
    struct llm_drawing **out, struct err *e)
{
    struct llm_drawing *d = xcalloc(1, sizeof *d);
    *d = (struct llm_drawing){.client = c,
        .arena = arena_new(),
        .settings = *r->provider,
        .model = r->model,
        .from_n = is_gpt_image(r->model) || r->from_n == 0 ? r->from_n : 1,
        .shape = r->shape,
        .picture_max = r->picture_max,
        .sent = (r->from_n && !r->shape ? 0 : MEMBER_SIZE) |
                (is_gpt_image(r->model) ? MEMBER_OUTPUT_FORMAT : MEMBER_RESPONSE_FORMAT),
        .fn = fn,
        .arg = arg};
    d->settings.limits.body_max = BASE64_SIZE(r->picture_max) + ANSWER_REST_BYTES;
    d->prompt = arena_str(d->arena, r->prompt);
    for (size_t i = 0; i < d->from_n; i++)
        d->from[i] = arena_str(d->arena, r->from[i]);
    enum rc rc = begin(d, e);
    if (rc == RC_OK)
        *out = d;
    else
        drawing_free(d);
    return rc;
}

void llm_drawing_cancel(struct llm_drawing *d)
{
    llm_post_cancel(d->call);
    drawing_free(d);
}
