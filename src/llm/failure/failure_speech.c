/*
 * Refusals of recordings, as of 2026-11. Those of vLLM and speaches are from their sources, those of OpenAI,
 * Groq and Mistral from what programs report. Mistral's refusal of a format is not known.
 *
 * OpenAI, 400: "Invalid file format. Supported formats: [...]", "Unsupported file format ..." (by the name);
 * "The audio file could not be decoded or its format is not supported." (whisper-1); "Audio file might be
 * corrupted or unsupported", "This model does not support the format you provided." (gpt-4o-transcribe, also
 * of files that whisper-1 reads); "Audio file is too short. Minimum audio length is 0.1 seconds.". 413.
 *
 * Groq, 400: "file must be one of the following types: [flac mp3 ...]" (unsupported_audio_format); "could not
 * process file - is it a valid media file?" (some versions: invalid_media_file); "Audio file is too short.
 * Minimum audio length is 0.01 seconds.". 413.
 *
 * Mistral, 400: "Invalid model: ..." (invalid_model).
 *
 * speaches, 415: "Failed to decode audio. The provided file type is not supported."; 400: "Failed to decode
 * audio. The provided file is likely empty."; 404, of a model that is no Whisper: "Model '...' is not
 * supported. ...".
 *
 * vLLM, 400: "Invalid or unsupported audio file."; "Maximum file size exceeded"; 501, before it 400: "The
 * model does not support Transcriptions API".
 */
#include "llm/failure/failure_private.h"

#define SAY(rc, key, ...) err_say(e, (rc), (key), arg_text("provider", p->s.name), ##__VA_ARGS__)

static bool is_about_format(const struct told *t, int status)
{
    return status == 415 ||
           (status >= 400 && MENTIONS(t, "file format", "following types", "unsupported_audio_format",
                                 "corrupted or unsupported", "unsupported audio", "decode audio",
                                 "could not be decoded", "valid media file", "does not support the format"));
}

enum rc llm_speech_error(
    const struct llm_provider *p, const struct llm_refusal *r, struct llm_verdict *v, struct err *e)
{
    const struct told t = told_by(r->answer);
    *v = (struct llm_verdict){0};
    if (r->status == 413 || MENTIONS(&t, "maximum file size"))
        return SAY(RC_TOO_BIG, "speech.too_large_there");
    if (r->status == 400 && MENTIONS(&t, "audio file is too short", "audio_too_short"))
        return RC_OK;
    if (is_about_format(&t, r->status))
        return SAY(RC_UNSUPPORTED, "speech.format_refused", arg_text("model", r->model));
    if (told_is_unknown_address(&t, r->status, r->model) || MENTIONS(&t, "support transcriptions") ||
        (r->status == 404 && MENTIONS(&t, "is not supported")))
        return SAY(RC_BAD_INPUT, "speech.no_service", arg_text("model", r->model));
    return llm_provider_error(p, r, v, e);
}
