#include "app/models/speech.h"

#include <string.h>

#include "app/usage/budget.h"
#include "base/clock.h"
#include "codec/audio_length.h"
#include "llm/models.h"

#define CONNECT_MS     10000
#define BYTES_PER_MS   4 /* 32 kbit/s, as in composer/record.js */
#define SILENCE_HZ     16000
#define SILENCE_BYTES  (2 * SILENCE_HZ) /* a second of 16-bit samples */
#define WAV_HEAD_BYTES 44

bool speech_is_on(const struct config *c)
{
    return *c->speech.provider != '\0';
}

enum rc speech_configured(
    const struct config *c, const struct providers *p, struct speech *out, struct err *e)
{
    const char *provider = c->speech.provider;
    *out = (struct speech){.config = c,
        .providers = p,
        .model = c->speech.model,
        .timeout_ms = (int)(c->speech.timeout_seconds * MS_PER_S)};
    if (!speech_is_on(c))
        return err_say(e, RC_BAD_INPUT, "speech.off");
    out->source = providers_source(p, provider);
    if (!out->source)
        return err_tell(e, RC_BAD_INPUT, "[speech] provider: there is no provider \"%.60s\".", provider);
    if (strcmp(out->source->kind, "openai") != 0)
        return err_tell(e, RC_BAD_INPUT, "[speech] provider: \"%.60s\" has no transcriptions.", provider);
    if (!*out->model && llm_is_openai(out->source->settings.base_url))
        out->model = CONFIG_SPEECH_MODEL;
    if (!*out->model)
        return err_tell(e, RC_BAD_INPUT, "[speech] model: set the model of \"%.60s\" to use.", provider);
    return RC_OK;
}

enum rc speech_check_budget(const struct speech *s, struct db *db, int64_t owner, const struct time_zone *z,
    int64_t now, struct err *e)
{
    return budget_check_saying(
        db, s->config, owner, s->source->name, s->model, z, now, "speech.budget_spent", e);
}

struct usage_row speech_usage(const struct speech *s, const struct llm_transcript *t, int64_t now)
{
    return (struct usage_row){.quarter = now / USAGE_QUARTER_MS,
        .provider = s->source->name,
        .model = s->model,
        .answers = 1,
        .tokens_in = t->tokens_in,
        .tokens_out = t->tokens_out,
        .sound_ms = t->sound_ms};
}

static int64_t estimate_ms(int64_t bytes, int64_t max_ms)
{
    int64_t ms = bytes / BYTES_PER_MS;
    return ms < max_ms ? ms : max_ms;
}

enum rc speech_request(
    const struct speech *s, struct str audio, const char *language, struct llm_transcribe *out, struct err *e)
{
    int64_t most = s->config->speech.max_bytes;
    if (audio.len > (size_t)most)
        return err_say(e, RC_TOO_BIG, "speech.too_big", arg_limit("max", most));
    int64_t longest = s->config->speech.max_seconds, ms = audio_length_ms(audio);
    if (ms > (longest + SPEECH_GRACE_S) * MS_PER_S)
        return err_say(e, RC_TOO_BIG, "speech.too_long", arg_int("n", longest));
    if (ms == AUDIO_LENGTH_UNKNOWN)
        ms = estimate_ms((int64_t)audio.len, longest * MS_PER_S);
    *out = (struct llm_transcribe){.provider = s->source->settings,
        .model = s->model,
        .language = language && *language ? language : s->config->speech.language,
        .audio = audio,
        .sound_ms = ms,
        .allowed = s->providers->allowed,
        .allowed_n = s->providers->allowed_n};
    out->provider.limits = (struct http_limits){
        .connect_ms = CONNECT_MS, .silence_ms = s->timeout_ms, .total_ms = s->timeout_ms};
    return RC_OK;
}

static void put_number(char *to, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        to[i] = (char)(n >> (8 * i));
}

/* RIFF WAVE with PCM: http://soundfile.sapp.org/doc/WaveFormat/ */
struct str speech_silence(struct arena *a)
{
    static const char head[WAV_HEAD_BYTES + 1] =
        "RIFF....WAVEfmt \x10\0\0\0\1\0\1\0........\2\0\x10\0data....";
    char *wav = arena_alloc(a, WAV_HEAD_BYTES + SILENCE_BYTES);
    memcpy(wav, head, WAV_HEAD_BYTES);
    put_number(wav + 4, WAV_HEAD_BYTES - 8 + SILENCE_BYTES);
    put_number(wav + 24, SILENCE_HZ);
    put_number(wav + 28, 2 * SILENCE_HZ);
    put_number(wav + 40, SILENCE_BYTES);
    memset(wav + WAV_HEAD_BYTES, 0, SILENCE_BYTES);
    return (struct str){wav, WAV_HEAD_BYTES + SILENCE_BYTES};
}
