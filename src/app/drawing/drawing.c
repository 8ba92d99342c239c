#include "app/drawing/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

struct drawing_client {
    struct awaited_client awaits;
    struct http_client *http;
    const struct config *config;
    const struct providers *providers;
};

bool drawing_configured(const struct config *c)
{
    return *c->drawing.provider != '\0';
}

enum rc drawing_source(
    const struct config *c, const struct providers *p, const struct provider_source **out, struct err *e)
{
    *out = providers_source(p, c->drawing.provider);
    if (!*out)
        return err_tell(
            e, RC_BAD_INPUT, "[drawing] provider: there is no provider \"%.60s\".", c->drawing.provider);
    if (strcmp((*out)->kind, "openai") != 0)
        return err_tell(
            e, RC_BAD_INPUT, "[drawing] provider: \"%.60s\" draws no pictures.", c->drawing.provider);
    return RC_OK;
}

/* ---- the drawing as a value ---- */

void drawing_want(struct drawing *d, struct str prompt, enum llm_shape shape)
{
    d->awaited.wanted = true;
    d->arena = arena_new();
    d->prompt = arena_str(d->arena, prompt);
    d->shape = shape;
}

void drawing_release(struct drawing *d)
{
    awaited_release(&d->awaited);
    d->awaited.wanted = false;
    strbuf_release(&d->bytes);
    arena_free(d->arena);
    d->arena = NULL;
}

/* ---- running ---- */

static void on_drawn(void *arg, enum rc rc, struct str picture, const struct err *e)
{
    struct drawing *d = arg;
    d->call = NULL;
    if (rc != RC_OK)
        *err_kept(&d->awaited.err) = *e;
    strbuf_init(&d->bytes, picture.len);
    strbuf_addstr(&d->bytes, picture);
    awaited_end(&d->awaited, rc);
}

static void start(struct awaited *w)
{
    struct drawing *d = (struct drawing *)w;
    const struct drawing_client *c = (const struct drawing_client *)w->client;
    const struct provider_source *source;
    struct err e = ERR_INIT;
    enum rc rc = drawing_source(c->config, c->providers, &source, &e);
    if (rc == RC_OK) {
        struct llm_settings settings = source->settings;
        settings.limits = (struct http_limits){.connect_ms = DRAWING_CONNECT_MS,
            .silence_ms = DRAWING_TOTAL_MINUTES * MS_PER_MIN,
            .total_ms = DRAWING_TOTAL_MINUTES * MS_PER_MIN};
        const struct llm_drawing_request r = {.provider = &settings,
            .model = c->config->drawing.model,
            .prompt = d->prompt,
            .shape = d->shape,
            .from = d->from,
            .from_n = d->from_n,
            .picture_max = (size_t)c->config->limits.picture_bytes};
        rc = llm_draw(c->http, &r, on_drawn, d, &d->call, &e);
    }
    if (rc == RC_OK)
        return;
    *err_kept(&d->awaited.err) = e;
    awaited_end(&d->awaited, rc);
}

static void cancel(struct awaited *w)
{
    struct drawing *d = (struct drawing *)w;
    if (!d->call)
        return;
    llm_drawing_cancel(d->call);
    d->call = NULL;
    awaited_fail(w, RC_CANCELLED, AWAITED_STOPPED);
}

static void free_client(struct awaited_client *c)
{
    free(c);
}

struct awaited_client *drawing_client_new(
    struct loop *l, struct http_client *http, const struct config *c, const struct providers *p)
{
    struct drawing_client *d = xcalloc(1, sizeof *d);
    *d = (struct drawing_client){
        .awaits = {.loop = l,
            .running = {.max = DRAWINGS_MAX, .max_per_user = DRAWINGS_PER_USER},
            .busy = "Too many pictures are being drawn at the moment. Try again later.",
            .start = start,
            .cancel = cancel,
            .free = free_client},
        .http = http,
        .config = c,
        .providers = p};
    const struct provider_source *source;
    struct err e = ERR_INIT;
    if (drawing_configured(c) && drawing_source(c, p, &source, &e) != RC_OK)
        log_warn("%s", e.text);
    return &d->awaits;
}
