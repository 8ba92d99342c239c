#include "llm/transcription.h"

#include <stdlib.h>

#include "base/rand.h"
#include "codec/audio.h"
#include "codec/json/json.h"
#include "llm/internal.h"

#define PATH           "/audio/transcriptions"
#define BOUNDARY_BYTES 16
#define FORM_MORE      8192 /* of a body, besides the file */

/* ---- request ---- */

struct form {
    struct strbuf body;
    char boundary[2 * BOUNDARY_BYTES + 1];
    char type[64]; /* Content-Type */
};

static void add_field(struct form *f, const char *name, const char *value)
{
    strbuf_addf(&f->body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", f->boundary,
        name, value);
}

/* The fields come before the file, for servers that read the form as it arrives. */
static enum rc write_form(const struct llm_transcribe *r, struct form *f, struct err *e)
{
    struct audio_look look;
    strbuf_init(&f->body, r->audio.len + FORM_MORE);
    if (!audio_look(r->audio, &look))
        return err_say(e, RC_UNSUPPORTED, "speech.format");
    rand_hex(f->boundary, BOUNDARY_BYTES);
    snprintf(f->type, sizeof f->type, "multipart/form-data; boundary=%s", f->boundary);
    add_field(f, "model", r->model);
    if (*r->language)
        add_field(f, "language", r->language);
    strbuf_addf(&f->body,
        "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"voice.%s\"\r\nContent-Type: "
        "%s\r\n\r\n",
        f->boundary, look.ending, look.media_type);
    strbuf_addstr(&f->body, r->audio);
    strbuf_addf(&f->body, "\r\n--%s--\r\n", f->boundary);
    return f->body.failed ? err_set(e, RC_TOO_BIG, "the form of a recording is too long") : RC_OK;
}

static struct llm_settings settings_of(const struct llm_transcribe *r)
{
    struct llm_settings s = r->provider;
    s.limits.body_max = 2 * LLM_SPEECH_TEXT_MAX; /* escapes, and members that are ignored */
    return s;
}

/* ---- answer ---- */

/* `text` is in the JSON. */
static enum rc read_answer(const struct llm_settings *s, const char *model, const struct llm_answer *answer,
    struct str *text, struct err *e)
{
    struct llm_provider p = {.s = *s};
    struct llm_verdict v;
    *text = STR("");
    if (answer->status != 200)
        return llm_speech_error(
            &p, &(struct llm_refusal){model, answer->status, answer->retry_after_s, answer->json}, &v, e);
    if (!answer->json || !json_get_str(answer->json, "text", text))
        return llm_nonsense(&p, e);
    *text = str_trim(*text);
    return text->len <= LLM_SPEECH_TEXT_MAX ? RC_OK : llm_nonsense(&p, e);
}

enum rc llm_transcribe(const struct llm_transcribe *r, struct arena *a, struct str *text, struct err *e)
{
    struct llm_settings s = settings_of(r);
    struct llm_answer answer = {0};
    struct form f;
    struct str said;
    enum rc rc = write_form(r, &f, e);
    if (rc == RC_OK)
        rc = llm_post_wait(&(struct llm_post){.provider = &s,
                               .path = PATH,
                               .type = f.type,
                               .body = strbuf_str(&f.body),
                               .allowed = r->allowed,
                               .allowed_n = r->allowed_n,
                               .stop_fd = r->stop_fd},
            &answer, e);
    AUTO(json_t) json = answer.json;
    strbuf_release(&f.body);
    if (rc == RC_OK)
        rc = read_answer(&s, r->model, &answer, &said, e);
    *text = rc == RC_OK ? arena_str(a, said) : STR("");
    return rc;
}

/* ---- on a loop ---- */

struct llm_transcription {
    struct llm_post_call *call;
    struct llm_settings settings;
    const char *model;
    struct form form;
    llm_transcribed_fn *done;
    void *arg;
};

static void release(struct llm_transcription *t)
{
    strbuf_release(&t->form.body);
    free(t);
}

static void posted(void *arg, enum rc rc, const struct llm_answer *answer, const struct err *e)
{
    struct llm_transcription *t = arg;
    struct err why = rc == RC_OK ? ERR_INIT : *e;
    struct str text = STR("");
    if (rc == RC_OK)
        rc = read_answer(&t->settings, t->model, answer, &text, &why);
    t->done(t->arg, rc, rc == RC_OK ? text : STR(""), &why);
    release(t);
}

enum rc llm_transcribe_start(struct http_client *http, const struct llm_transcribe *r,
    llm_transcribed_fn *done, void *arg, struct llm_transcription **out, struct err *e)
{
    struct llm_transcription *t = xcalloc(1, sizeof *t);
    *t = (struct llm_transcription){.settings = settings_of(r), .model = r->model, .done = done, .arg = arg};
    enum rc rc = write_form(r, &t->form, e);
    if (rc == RC_OK)
        rc = llm_post_start(http,
            &(struct llm_post){.provider = &t->settings,
                .path = PATH,
                .type = t->form.type,
                .body = strbuf_str(&t->form.body)},
            posted, t, &t->call, e);
    if (rc != RC_OK)
        release(t);
    else
        *out = t;
    return rc;
}

void llm_transcribe_cancel(struct llm_transcription *t)
{
    if (!t)
        return;
    llm_post_cancel(t->call);
    release(t);
}
