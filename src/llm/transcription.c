#include "llm/transcription.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "codec/audio.h"
#include "codec/json/json.h"
#include "llm/internal.h"

#define PATH       "/audio/transcriptions"
#define FIELDS_MAX 8192 /* bytes of the values besides the file */

static const struct llm_transcript NOTHING = {.text = {"", 0}};

/* ---- request ---- */

static enum rc write_form(const struct llm_transcribe *r, struct llm_multipart *f, struct err *e)
{
    struct audio_look look;
    char name[32];
    llm_multipart_begin(f, r->audio.len + FIELDS_MAX, 3);
    if (!audio_look(r->audio, &look))
        return err_say(e, RC_UNSUPPORTED, "speech.format");
    snprintf(name, sizeof name, "voice.%s", look.ending);
    llm_multipart_field(f, "model", str_of(r->model));
    if (*r->language)
        llm_multipart_field(f, "language", str_of(r->language));
    llm_multipart_file(f, "file", name, look.media_type, r->audio);
    return llm_multipart_end(f, e);
}

static struct llm_settings settings_of(const struct llm_transcribe *r)
{
    struct llm_settings s = r->provider;
    s.limits.body_max = 2 * LLM_SPEECH_TEXT_MAX; /* escapes, and members that are ignored */
    return s;
}

/* ---- answer ---- */

#define SECONDS_MAX 1e6

static int64_t read_ms(const json_t *seconds)
{
    double s = json_number_value(seconds);
    return s > 0 && s < SECONDS_MAX ? (int64_t)(s * MS_PER_S) : -1;
}

static int64_t read_tokens(const json_t *usage, const char *name)
{
    int64_t n = json_integer_value(json_object_get(usage, name));
    return n > 0 ? n : 0;
}

static void read_usage(const json_t *usage, struct llm_transcript *out)
{
    const json_t *seconds = json_object_get(usage, "seconds");
    int64_t ms = read_ms(seconds ? seconds : json_object_get(usage, "prompt_audio_seconds"));
    out->sound_ms = ms >= 0 ? ms : out->sound_ms;
    out->tokens_in = read_tokens(usage, "input_tokens");
    out->tokens_out = read_tokens(usage, "output_tokens");
}

/* The text is in the JSON. */
static enum rc read_answer(const struct llm_settings *s, const char *model, int64_t sound_ms,
    const struct llm_answer *answer, struct llm_transcript *out, struct err *e)
{
    struct llm_provider p = {.s = *s};
    struct llm_verdict v;
    *out = NOTHING;
    out->sound_ms = sound_ms;
    if (answer->status != 200)
        return llm_speech_error(
            &p, &(struct llm_refusal){model, answer->status, answer->retry_after_s, answer->json}, &v, e);
    if (!answer->json || !json_get_str(answer->json, "text", &out->text))
        return llm_nonsense(&p, e);
    out->text = str_trim(out->text);
    read_usage(json_object_get(answer->json, "usage"), out);
    return out->text.len <= LLM_SPEECH_TEXT_MAX ? RC_OK : llm_nonsense(&p, e);
}

enum rc llm_transcribe(
    const struct llm_transcribe *r, struct arena *a, struct llm_transcript *out, struct err *e)
{
    struct llm_settings s = settings_of(r);
    struct llm_answer answer = {0};
    struct llm_multipart f;
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
        rc = read_answer(&s, r->model, r->sound_ms, &answer, out, e);
    if (rc == RC_OK)
        out->text = arena_str(a, out->text);
    else
        *out = NOTHING;
    return rc;
}

/* ---- on a loop ---- */

struct llm_transcription {
    struct llm_post_call *call;
    struct llm_settings settings;
    const char *model;
    int64_t sound_ms;
    struct llm_multipart form;
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
    struct llm_transcript said = NOTHING;
    if (rc == RC_OK)
        rc = read_answer(&t->settings, t->model, t->sound_ms, answer, &said, &why);
    t->done(t->arg, rc, rc == RC_OK ? &said : &NOTHING, &why);
    release(t);
}

enum rc llm_transcribe_start(struct http_client *http, const struct llm_transcribe *r,
    llm_transcribed_fn *done, void *arg, struct llm_transcription **out, struct err *e)
{
    struct llm_transcription *t = xcalloc(1, sizeof *t);
    *t = (struct llm_transcription){
        .settings = settings_of(r), .model = r->model, .sound_ms = r->sound_ms, .done = done, .arg = arg};
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
