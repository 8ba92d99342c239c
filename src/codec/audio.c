#include "codec/audio.h"

#include "base/mem.h"

/* `at`: where the bytes are. An MP4 file begins with the size of its first box (ISO/IEC 14496-12). */
static const struct {
    size_t at;
    struct str bytes;
    struct audio_look look;
} known[] = {
    {0, {"OggS", 4}, {"ogg", "audio/ogg"}},
    {0, {"\x1A\x45\xDF\xA3", 4}, {"webm", "audio/webm"}},
    {8, {"WAVE", 4}, {"wav", "audio/wav"}},
    {4, {"ftypM4A", 7}, {"m4a", "audio/mp4"}},
    {4, {"ftyp", 4}, {"mp4", "audio/mp4"}},
    {0, {"fLaC", 4}, {"flac", "audio/flac"}},
    {0, {"ID3", 3}, {"mp3", "audio/mpeg"}},
};

/* The head of an MPEG audio frame, layer III (ISO/IEC 11172-3). AAC in ADTS has layer 0. */
static bool is_mpeg(struct str data)
{
    const unsigned char *b = (const unsigned char *)data.s;
    return data.len >= 2 && b[0] == 0xFF && (b[1] & 0xE6) == 0xE2;
}

bool audio_look(struct str data, struct audio_look *out)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (data.len >= known[i].at && str_starts(str_from(data, known[i].at), known[i].bytes)) {
            *out = known[i].look;
            return true;
        }
    *out = (struct audio_look){"mp3", "audio/mpeg"};
    return is_mpeg(data);
}
