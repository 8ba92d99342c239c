#include "unit.h"

#include <stdlib.h>

#include "codec/audio.h"
#include "codec/audio_length.h"

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

#define BYTES(text)            \
    {                          \
        text, sizeof(text) - 1 \
    }
#define OGG(granule)              \
    "OggS\0\0" granule "\1\2\3\4" \
    "\0\0\0\0"                    \
    "\0\0\0\0"                    \
    "\1\0"

TEST(audio_length_is_what_the_container_says)
{
    static const struct {
        struct str data;
        int64_t ms;
    } all[] = {
        /* Opus: 48312 samples, of which the first 312 are not heard; the last page ends no packet */
        {BYTES(OGG("\0\0\0\0\0\0\0\0") "OpusHead\1\1\x38\1" OGG("\xB8\xBC\0\0\0\0\0\0")
                 OGG("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")),
            1000},
        {BYTES(OGG("\0\0\0\0\0\0\0\0") "\1vorbis\0\0\0\0\1\x40\x1F\0\0" OGG("\0\xFA\0\0\0\0\0\0")), 8000},
        {BYTES(OGG("\0\0\0\0\0\0\0\0") "\177FLAC\1\0\0\0\0\0\0\0"), AUDIO_LENGTH_UNKNOWN},
        /* WebM of a browser: segment and clusters without a size, blocks at 2000 + 5 and at 4000 - 1 */
        {BYTES("\x1A\x45\xDF\xA3\x80\x18\x53\x80\x67\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
               "\x15\x49\xA9\x66\x87\x2A\xD7\xB1\x83\x0F\x42\x40"
               "\x1F\x43\xB6\x75\xFF\xE7\x82\x07\xD0\xA3\x85\x81\0\5\x80s"
               "\x1F\x43\xB6\x75\xFF\xE7\x82\x0F\xA0\xA0\x87\xA1\x85\x81\xFF\xFF\x80s"),
            3999},
        {BYTES("\x1A\x45\xDF\xA3\x80\x18\x53\x80\x67\x80"), AUDIO_LENGTH_UNKNOWN},
        /* 32000 bytes a second, 16 of them there */
        {BYTES("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3E\0\0\0\x7D\0\0\2\0\x10\0"
               "data\xFF\xFF\xFF\xFF"
               "0123456789abcdef0123456789abcdef"),
            1},
        {BYTES("fLaC\0\0\0\x22"
               "0123456789\x03\xE8\0\xF0\0\1\xF4\0"),
            8000},
        {BYTES("\0\0\0\x0C"
               "ftypM4A "
               "\0\0\0\x74moov"
               "\0\0\0\x6Cmvhd\0\0\0\0"
               "ccccmmmm"
               "\0\0\3\xE8"
               "\0\0\x30\x39"),
            12345},
        {BYTES("\0\0\0\x0C"
               "ftypiso5"
               "\0\0\0\x74moov"
               "\0\0\0\x6Cmvhd\0\0\0\0"
               "ccccmmmm"
               "\0\0\3\xE8"
               "\0\0\0\0"),
            AUDIO_LENGTH_UNKNOWN},
        /* 64 kbit/s, mono: 8 bytes a millisecond; the same with a count of 100 frames */
        {BYTES("ID3\4\0\0\0\0\0\2??\xFF\xFB\x50\xC0"
               "0123456789ab"),
            2},
        {BYTES("\xFF\xFB\x50\xC0"
               "01234567890123456"
               "Xing\0\0\0\1"
               "\0\0\0\x64"),
            2612},
        {BYTES("\xFF\xFB\xF0\xC0"), AUDIO_LENGTH_UNKNOWN},
        {BYTES("#!AMR\n"), AUDIO_LENGTH_UNKNOWN},
        {BYTES(""), AUDIO_LENGTH_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(audio_length_ms(all[i].data), all[i].ms);
        for (size_t n = 0; n < all[i].data.len; n++) { /* a file that was cut, in memory of this size */
            char *cut = malloc(n + 1);
            memcpy(cut, all[i].data.s, n);
            cut = realloc(cut, n ? n : 1);
            assert_true(audio_length_ms((struct str){cut, n}) >= AUDIO_LENGTH_UNKNOWN);
            free(cut);
        }
    }
}
