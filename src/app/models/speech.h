/*
 * Speech as text: the transcription model of [speech] (llm/transcription.h). Recordings are in memory only.
 * They are neither stored nor logged.
 */
#ifndef ALFRED_APP_MODELS_SPEECH_H
#define ALFRED_APP_MODELS_SPEECH_H

#include "app/models/providers.h"
#include "llm/transcription.h"

struct speech {
    const struct config *config;
    const struct providers *providers;
    const struct provider_source *source;
    const char *model;
    int timeout_ms; /* that of [speech]; a caller may shorten it */
};

/* True when [speech] names a provider. */
bool speech_is_on(const struct config *c);

/* The model of [speech]. RC_BAD_INPUT with a sentence: none is set; there is no such provider, it has no
 * transcriptions, or its model is not set. Keeps pointers into both arguments. */
enum rc speech_configured(
    const struct config *c, const struct providers *p, struct speech *out, struct err *e);

/* Sets a request with the recording, for llm_transcribe() and llm_transcribe_start(). `language` NULL or "":
 * that of [speech]. RC_TOO_BIG. */
enum rc speech_request(const struct speech *s, struct str audio, const char *language,
    struct llm_transcribe *out, struct err *e);

/* A short WAV recording of silence, for the test of a provider. In the arena. */
struct str speech_silence(struct arena *a);

#endif
