#include "unit.h"

#include "codec/audio.h"

TEST(audio_is_known_by_its_first_bytes)
{
    static const struct {
        struct str data;
        const char *ending;
    } all[] = {
        {{"OggS\0\2", 6}, "ogg"},
        {{"\x1A\x45\xDF\xA3", 4}, "webm"},
        {{"RIFF\0\0\0\0WAVE", 12}, "wav"},
        {{"\0\0\0\x1C"
          "ftypM4A ",
             12},
            "m4a"},
        {{"\0\0\0\x1C"
          "ftypiso5",
             12},
            "mp4"},
        {{"fLaC", 4}, "flac"},
        {{"ID3\4", 4}, "mp3"},
        {{"\xFF\xFB", 2}, "mp3"},
        {{"\xFF\xF3", 2}, "mp3"},
        {{"\xFF\xF1", 2}, NULL}, /* AAC in ADTS */
        {{"RIFF\0\0\0\0WEBP", 12}, NULL},
        {{"#!AMR\n", 6}, NULL},
        {{"Og", 2}, NULL},
        {{"\xFF", 1}, NULL},
        {{"", 0}, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct audio_look look;
        assert_int_equal(audio_look(all[i].data, &look), all[i].ending != NULL);
        if (all[i].ending)
            assert_string_equal(look.ending, all[i].ending);
    }
}
