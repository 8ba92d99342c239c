/*
 * Refusals of recordings. As of 2026-11; those of OpenAI and Groq from their pages and from reports, the
 * others as remembered:
 *
 *     OpenAI    400 "Unrecognized file format. Supported formats: [...]", "Invalid file format. ...",
 *               "Audio file might be corrupted or unsupported" (gpt-4o-transcribe, of files that whisper-1
 *               reads); 400 "Audio file is too short. Minimum audio length is 0.1 seconds."; 413
 *     Groq      400 "file must be one of the following types: [flac mp3 ...]" (unsupported_audio_format); 413
 *     speaches  415 "Failed to decode audio. The provided file type is not supported."
 *     vLLM      400 "Invalid or unsupported audio file."; "The model does not support Transcriptions API"
 */
#include "llm/failure/failure_private.h"

#define SAY(rc, key, ...) err_say(e, (rc), (key), arg_text("provider", p->s.name), ##__VA_ARGS__)

static bool is_about_format(const struct told *t, int status)
{
    return status == 415 ||
           (status >= 400 && MENTIONS(t, "file format", "following types", "unsupported_audio_format",
                                 "corrupted or unsupported", "unsupported audio", "decode audio",
                                 "does not support the format"));
}

enum rc llm_speech_error(
    const struct llm_provider *p, const struct llm_refusal *r, struct llm_verdict *v, struct err *e)
{
    const struct told t = told_by(r->answer);
    *v = (struct llm_verdict){0};
    if (r->status == 413)
        return SAY(RC_TOO_BIG, "speech.too_large_there");
    if (r->status == 400 && MENTIONS(&t, "audio file is too short", "audio_too_short"))
        return RC_OK;
    if (is_about_format(&t, r->status))
        return SAY(RC_UNSUPPORTED, "speech.format_refused", arg_text("model", r->model));
    if (told_is_unknown_address(&t, r->status, r->model) || MENTIONS(&t, "support transcriptions"))
        return SAY(RC_BAD_INPUT, "speech.no_service", arg_text("model", r->model));
    return llm_provider_error(p, r, v, e);
}
