/*
 * Speech to text with OpenAI's protocol: POST {base_url}/audio/transcriptions as multipart/form-data with
 * `file`, `model` and `language`, answered by {"text"}
 * (https://platform.openai.com/docs/api-reference/audio). `usage` of the answer has the length of the
 * recording (OpenAI's whisper-1 and vLLM: {"type": "duration", "seconds"}; Mistral: "prompt_audio_seconds")
 * or tokens (gpt-4o-transcribe: "input_tokens", "output_tokens"); Groq, speaches and LocalAI have none.
 * `response_format` is not sent: json is the default of OpenAI, Groq, vLLM, speaches and LocalAI, the only
 * one of gpt-4o-transcribe, and Mistral does not document the parameter.
 *
 * The file's name and media type follow from its first bytes (codec/audio.h), because servers decide by them:
 * Groq refuses Telegram's ending .oga, for example.
 *
 * It does not retry. Each failure has a sentence. Failures are those of llm_speech_error() by status
 * (RC_UNSUPPORTED: the format; RC_RATE_LIMITED with retry_after_s), those of the transport (RC_UNAVAILABLE,
 * RC_TIMEOUT, RC_TOO_BIG, RC_FORBIDDEN, RC_UPSTREAM), and RC_UPSTREAM for an invalid answer. Silence is no
 * failure: its text is "", also where the server refuses a recording as too short.
 */
#ifndef ALFRED_LLM_TRANSCRIPTION_H
#define ALFRED_LLM_TRANSCRIPTION_H

#include "llm/llm.h"

#define LLM_SPEECH_TEXT_MAX ((size_t)256 * 1024) /* bytes of the text */

/* Of a recording. */
struct llm_transcript {
    struct str text;               /* without white space around it */
    int64_t sound_ms;              /* as the provider says, else llm_transcribe.sound_ms */
    int64_t tokens_in, tokens_out; /* of a provider that counts tokens; 0: it does not say */
};

struct llm_transcribe {
    struct llm_settings provider;
    const char *model;
    const char *language;       /* ISO 639-1: "de"; "": the model recognises it */
    struct str audio;           /* copied */
    int64_t sound_ms;           /* its length, for a provider that does not report it */
    const char *const *allowed; /* as in http_client_new(), for llm_transcribe() */
    size_t allowed_n;
    int stop_fd; /* for llm_transcribe(): readable ends the wait with RC_CANCELLED; 0: none */
};

/* Blocks. The text is in the arena. */
enum rc llm_transcribe(
    const struct llm_transcribe *r, struct arena *a, struct llm_transcript *out, struct err *e);

struct llm_transcription;
/* The transcript is valid during the call, and empty after a failure. */
typedef void llm_transcribed_fn(
    void *arg, enum rc rc, const struct llm_transcript *transcript, const struct err *e);

/* The same on the loop of `http`. Calls `done` once; after a failure it is not called. */
enum rc llm_transcribe_start(struct http_client *http, const struct llm_transcribe *r,
    llm_transcribed_fn *done, void *arg, struct llm_transcription **out, struct err *e);
void llm_transcribe_cancel(struct llm_transcription *t); /* NULL is fine; no call follows */

#endif
