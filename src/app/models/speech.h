/*
 * Speech as text: the transcription model of [speech] (llm/transcription.h). Recordings are in memory only.
 * They are neither stored nor logged.
 */
#ifndef ALFRED_APP_MODELS_SPEECH_H
#define ALFRED_APP_MODELS_SPEECH_H

#include "app/models/providers.h"
#include "base/time_zone.h"
#include "llm/transcription.h"
#include "store/account/usage.h"

/* A recording may be longer than max_seconds by this: pages end one by a timer, which can be late. */
#define SPEECH_GRACE_S 10

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

/* RC_BAD_INPUT with a sentence: the user's limit of costs is reached (app/usage/budget.h). */
enum rc speech_check_budget(const struct speech *s, struct db *db, int64_t owner, const struct time_zone *z,
    int64_t now, struct err *e);

/*
 * Sets a request with the recording, for llm_transcribe() and llm_transcribe_start(). `language` NULL or "":
 * that of [speech]. RC_TOO_BIG: it has more than max_bytes, or the file says that it lasts longer than
 * max_seconds.
 *
 * Its length, for a provider that does not report one, is what the file says (codec/audio_length.h).
 * Otherwise it is estimated from the size, at the bit rate with which pages record, and is at most
 * max_seconds.
 */
enum rc speech_request(const struct speech *s, struct str audio, const char *language,
    struct llm_transcribe *out, struct err *e);

/* The usage of a recording. It counts as one answer of the model. */
struct usage_row speech_usage(const struct speech *s, const struct llm_transcript *t, int64_t now);

/* A short WAV recording of silence, for the test of a provider. In the arena. */
struct str speech_silence(struct arena *a);

#endif
