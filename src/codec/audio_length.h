/*
 * The length of a recording as its container says. Nothing is decoded, so a file can claim another length
 * than its sound has.
 */
#ifndef ALFRED_CODEC_AUDIO_LENGTH_H
#define ALFRED_CODEC_AUDIO_LENGTH_H

#include <stdint.h>

#include "base/str.h"

#define AUDIO_LENGTH_UNKNOWN (-1)
#define AUDIO_LENGTH_MAX     INT32_MAX /* 24 days; longer ones have this length */

/*
 * Milliseconds. WebM: to the beginning of its last block, because browsers do not write the length. Ogg: Opus
 * and Vorbis. MP3 without a count of frames: from its size and the bit rate of its first frame. Unknown: MP4
 * in fragments, a broken file, every other format.
 */
int64_t audio_length_ms(struct str data);

#endif
