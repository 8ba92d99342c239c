#include "app/models/speech.h"

#include <string.h>

#include "base/clock.h"
#include "llm/models.h"

#define CONNECT_MS     10000
#define OPENAI_MODEL   "whisper-1" /* gpt-4o-transcribe is reported to refuse some recordings */
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
        out->model = OPENAI_MODEL;
    if (!*out->model)
        return err_tell(e, RC_BAD_INPUT, "[speech] model: set the model of \"%.60s\" to use.", provider);
    return RC_OK;
}

enum rc speech_request(
    const struct speech *s, struct str audio, const char *language, struct llm_transcribe *out, struct err *e)
{
    int64_t most = s->config->speech.max_bytes;
    if (audio.len > (size_t)most)
        return err_say(e, RC_TOO_BIG, "speech.too_big", arg_limit("max", most));
    *out = (struct llm_transcribe){.provider = s->source->settings,
        .model = s->model,
        .language = language && *language ? language : s->config->speech.language,
        .audio = audio,
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
