#include "web/speech/speech_routes.h"

#include <string.h>

#include "app/models/speech.h"
#include "app/usage/usage.h"
#include "base/fs.h"
#include "base/log.h"
#include "web/fcgi/fcgi.h"
#include "web/http/web.h"

#define ANY_MODEL     "alfred" /* the name under which programs use the model of [speech] */
#define BUSY_RETRY_S  5
#define LANGUAGE_SIZE 3 /* with the NUL */

/* A failure to count it loses no text. */
static void count(const struct req *r, const struct speech *s, const struct llm_transcript *t)
{
    struct err e = ERR_INIT;
    const struct usage_row row = speech_usage(s, t, r->now);
    if (usage_count(r->web->store, r->who.user_id, &row, &e) != RC_OK)
        log_warn("a recording is not counted: %s", e.text);
}

static enum rc check_budget(const struct req *r, const struct speech *s, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = speech_check_budget(s, db, r->who.user_id, r->zone, r->now, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* The request holds a thread while the model works. */
static enum rc transcribe(
    struct req *r, struct str audio, const char *language, struct str *text, struct err *e)
{
    struct speech s;
    struct llm_transcribe request;
    struct llm_transcript t;
    enum rc rc = speech_configured(r->web->config, r->web->providers, &s, e);
    if (rc == RC_OK)
        rc = speech_request(&s, audio, language, &request, e);
    if (rc == RC_OK)
        rc = check_budget(r, &s, e);
    if (rc == RC_OK)
        rc = places_enter(&r->web->transcribing, r->who.user_id, "speech.busy", BUSY_RETRY_S, e);
    if (rc != RC_OK)
        return rc;
    AUTO_FD end = fcgi_end_fd(r->fcgi);
    request.stop_fd = end > 0 ? end : 0;
    rc = llm_transcribe(&request, r->arena, &t, e);
    places_leave(&r->web->transcribing, r->who.user_id);
    if (rc == RC_OK)
        count(r, &s, &t);
    *text = t.text;
    return rc == RC_CANCELLED ? err_say(e, RC_UNAVAILABLE, "speech.stopped") : rc;
}

static enum rc put_text(struct req *r, struct resp *out, struct str text, struct err *e)
{
    struct view *v = view_new(r->arena);
    view_str(v, "text", text);
    return resp_json(out, 200, v, e);
}

static enum rc script_transcribe(struct req *r, struct resp *out, struct err *e)
{
    struct str text = STR("");
    enum rc rc = transcribe(r, r->body, NULL, &text, e);
    return rc == RC_OK ? put_text(r, out, text, e) : rc;
}

/* ---- /v1 ---- */

struct form {
    struct req *r;
    const struct speech *speech;
    const char *language;
    bool has_model, plain;
};

static enum rc refuse(struct req *r, enum rc rc, const char *param, const char *key, struct err *e)
{
    r->wrong_param = param;
    return err_say(e, rc, key, arg_text("param", param));
}

static enum rc set_model(struct form *f, struct str value, struct err *e)
{
    f->has_model = true;
    if (str_is(value, ANY_MODEL) || str_is(value, f->speech->model))
        return RC_OK;
    f->r->wrong_code = "model_not_found";
    f->r->wrong_param = "model";
    return err_say(e, RC_NOT_FOUND, "v1.no_speech_model", arg_text("model", f->speech->model));
}

static enum rc set_language(struct form *f, struct str value, struct err *e)
{
    bool ok = value.len == 0 ||
              (value.len == LANGUAGE_SIZE - 1 && strspn(value.s, "abcdefghijklmnopqrstuvwxyz") >= value.len);
    f->language = arena_strndup(f->r->arena, value.s, value.len);
    return ok ? RC_OK : refuse(f->r, RC_BAD_INPUT, "language", "v1.bad_value", e);
}

/* `prompt` and `temperature` only tune a model, so they have no effect here. */
static enum rc form_field(void *arg, struct str name, struct str value, struct err *e)
{
    struct form *f = arg;
    if (str_is(name, "model"))
        return set_model(f, value, e);
    if (str_is(name, "language"))
        return set_language(f, value, e);
    if (str_is(name, "response_format")) {
        f->plain = str_is(value, "text");
        return f->plain || str_is(value, "json")
                   ? RC_OK
                   : refuse(f->r, RC_BAD_INPUT, "response_format", "v1.unsupported_value", e);
    }
    if (str_is(name, "stream"))
        return str_is(value, "false") ? RC_OK
                                      : refuse(f->r, RC_BAD_INPUT, "stream", "v1.unsupported_value", e);
    if (str_is(name, "prompt") || str_is(name, "temperature"))
        return RC_OK;
    return refuse(f->r, RC_BAD_INPUT, arena_strndup(f->r->arena, name.s, name.len), "v1.unknown_param", e);
}

static enum rc v1_transcriptions(struct req *r, struct resp *out, struct err *e)
{
    struct speech s;
    struct form f = {.r = r, .speech = &s};
    struct form_files *files;
    struct str text = STR("");
    enum rc rc = speech_configured(r->web->config, r->web->providers, &s, e);
    if (rc == RC_OK)
        rc = form_files_read(r->arena, req_param(r, "CONTENT_TYPE"), r->body, form_field, &f, &files, e);
    if (rc != RC_OK)
        return rc;
    if (!f.has_model)
        return refuse(r, RC_BAD_INPUT, "model", "v1.missing", e);
    if (files->n != 1)
        return refuse(r, RC_BAD_INPUT, "file", "v1.missing", e);
    if ((rc = transcribe(r, files->list[0].bytes, f.language, &text, e)) != RC_OK)
        return rc;
    if (!f.plain)
        return put_text(r, out, text, e);
    out->type = "text/plain; charset=utf-8";
    strbuf_addstr(&out->body, text);
    return RC_OK;
}

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST, "/page/transcriptions",     script_transcribe, SCRIPT_SPEECH(ACCESS_MEMBER), no_fields},
    {HTTP_POST, "/v1/audio/transcriptions", v1_transcriptions, V1_SPEECH(SCOPE_CHAT),        no_fields},
};
/* clang-format on */

const struct route_table speech_routes = {routes, ARRAY_LEN(routes)};
