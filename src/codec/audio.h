/*
 * Recognises a recording by its first bytes. Nothing is decoded. The formats are those that transcription
 * services accept: FLAC, MP3, MP4 and M4A, Ogg, WAV, WebM.
 */
#ifndef ALFRED_CODEC_AUDIO_H
#define ALFRED_CODEC_AUDIO_H

#include <stdbool.h>

#include "base/str.h"

/* Constants. */
struct audio_look {
    const char *ending;     /* of a file name: "ogg" */
    const char *media_type; /* "audio/ogg" */
};

/* False: it is none of these formats. */
bool audio_look(struct str data, struct audio_look *out);

#endif
