#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "codec/picture.h"

#define PNG_OF(width, height) "\x89PNG\r\n\x1a\n\0\0\0\x0DIHDR" width height
#define SOI                   "\xFF\xD8"
#define APP0                  "\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
/* A frame with one component, 8 bits each. */
#define SOF(marker, height, width) "\xFF" marker "\0\x0B\x08" height width "\x01\x01\x11\0"
#define WEBP(chunk)                "RIFF\x64\0\0\0WEBP" chunk

/* A picture inside of a segment, whose frame is not the file's. */
#define EXIF         \
    "\xFF\xE1\0\x14" \
    "Exif\0" SOF("\xC0", "\0\x08", "\0\x08")
#define COMMENT      \
    "\xFF\xFE\0\x03" \
    "c"
/* Markers between those of the frames. */
#define TABLES           \
    "\xFF\xC4\0\x04\0\0" \
    "\xFF\xC8\0\x04\0\0" \
    "\xFF\xCC\0\x04\0\0"

/* From a copy of exactly its size, so that the sanitizer finds each byte that is read outside. */
static bool looks(struct str data, struct picture_look *out)
{
    char *copy = malloc(data.len ? data.len : 1);
    assert_non_null(copy);
    if (data.len)
        memcpy(copy, data.s, data.len);
    bool known = picture_look((struct str){copy, data.len}, out);
    free(copy);
    return known;
}

/* `needed`: the bytes at the beginning without which the picture is not known. */
static void is(struct str data, const char *media_type, int width, int height, size_t needed)
{
    struct picture_look look;
    for (size_t n = 0; n <= data.len; n++) {
        bool known = looks((struct str){data.s, n}, &look);
        if (known != (n >= needed))
            fail_msg("%s: %zu of %zu bytes: %s", media_type, n, data.len, known ? "known" : "unknown");
        if (known)
            assert_string_equal(look.media_type, media_type);
        if (known && (look.width != width || look.height != height))
            fail_msg("%s: %d x %d", media_type, look.width, look.height);
    }
}

static void is_none(struct str data)
{
    struct picture_look look = {"before", 1, 2};
    assert_false(looks(data, &look));
    assert_string_equal(look.media_type, "before");
}

TEST(png_has_its_size_in_the_first_chunk)
{
    is(STR(PNG_OF("\0\0\x02\x80", "\0\0\x01\xE0") "\x08\x02\0\0\0"), "image/png", 640, 480, 24);
    is_none(STR("\x89PNG\r\n\x1a\n\0\0\0\x0DIDAT\0\0\0\x01\0\0\0\x01"));
    is_none(STR("\x89PNG\n\x1a\n\0\0\0\0\x0DIHDR\0\0\0\x01\0\0\0\x01"));
}

TEST(gif_of_both_versions_has_its_size_after_the_name)
{
    is(STR("GIF87a\x40\x01\xC8\0\0\0\0"), "image/gif", 320, 200, 10);
    is(STR("GIF89a\x40\x01\xC8\0\0\0\0"), "image/gif", 320, 200, 10);
    is_none(STR("GIF88a\x40\x01\xC8\0\0\0\0"));
}

TEST(jpeg_has_its_size_in_the_first_frame)
{
    is(STR(SOI SOF("\xC0", "\x01\xE0", "\x02\x80")), "image/jpeg", 640, 480, 11);
    is(STR(SOI APP0 SOF("\xC2", "\x01\xE0", "\x02\x80")), "image/jpeg", 640, 480, 29);
}

TEST(jpeg_segments_before_the_frame_are_passed_over)
{
    is(STR(SOI EXIF COMMENT TABLES SOF("\xC1", "\0\x09", "\0\x07")), "image/jpeg", 7, 9, 56);
    /* a segment of the greatest length */
    static char large[2 + 2 + 65535 + 13];
    memcpy(large, SOI "\xFF\xE2\xFF\xFF", 6);
    memcpy(large + 2 + 2 + 65535, SOF("\xC0", "\0\x01", "\0\x02"), 13);
    struct picture_look look;
    assert_true(looks((struct str){large, sizeof large}, &look));
    assert_int_equal(look.width, 2);
}

TEST(jpeg_may_have_filling_and_markers_without_a_length)
{
    is(STR(SOI "\xFF\xFF\xFF\xE0\0\x03x\xFF\xD0\xFF\x01\xFF\xFF" SOF("\xC0", "\0\x09", "\0\x07")),
        "image/jpeg", 7, 9, 24);
}

TEST(jpeg_without_a_frame_is_none)
{
    is_none(STR(SOI APP0));
    is_none(STR(SOI "\xFF\xDA\0\x08\x01\x01\0\0\x3F\0\x12\x34\xFF\xD9")); /* a scan at once */
    is_none(STR(SOI "\xFF\xE0\0\x04\0\0 no marker here"));
    is_none(STR(SOI "\xFF\xE0\xFF\xFF" SOF("\xC0", "\0\x09", "\0\x07"))); /* a segment that ends outside */
    is_none(STR(SOI "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"));
    /* lengths of 0 and 1, which do not count themselves: no endless loop */
    is_none(STR(SOI "\xFF\xE0\0\0\xFF\xE0\0\0\xFF\xE0\0\0"));
    is_none(STR(SOI "\xFF\xE0\0\x01\xFF\xE0\0\x01"));
}

TEST(webp_of_every_kind_has_its_size_in_the_first_chunk)
{
    /* lossy: 14 bits each, with two bits of scale above them */
    is(STR(WEBP("VP8 \x20\0\0\0\x30\x01\0\x9D\x01\x2A\x80\x42\xE0\x81") "\0\0"), "image/webp", 640, 480, 30);
    /* lossless: 14 bits less one each, then whether it is transparent */
    is(STR(WEBP("VP8L\x20\0\0\0\x2F\x7F\xC2\x77\x10") "\0\0\0\0\0"), "image/webp", 640, 480, 30);
    is(STR(WEBP("VP8L\x20\0\0\0\x2F\xFF\xFF\xFF\x0F") "\0\0\0\0\0"), "image/webp", 16384, 16384, 30);
    /* extended: 24 bits less one each */
    is(STR(WEBP("VP8X\x0A\0\0\0\x10\0\0\0\x7F\x02\0\xDF\x01\0") "\0"), "image/webp", 640, 480, 30);
}

TEST(webp_that_is_something_else_is_none)
{
    is_none(STR("RIFF\x64\0\0\0WAVEVP8X\x0A\0\0\0\x10\0\0\0\x7F\x02\0\xDF\x01\0\0"));
    is_none(STR("RIFX\x64\0\0\0WEBPVP8X\x0A\0\0\0\x10\0\0\0\x7F\x02\0\xDF\x01\0\0"));
    is_none(STR(WEBP("ALPH\x0A\0\0\0\x10\0\0\0\x7F\x02\0\xDF\x01\0") "\0"));
    is_none(STR(WEBP("VP8L\x20\0\0\0\x2E\x7F\xC2\x77\x10") "\0\0\0\0\0"));             /* no signature */
    is_none(STR(WEBP("VP8 \x20\0\0\0\x30\x01\0\x9D\x01\x2B\x80\x42\xE0\x81") "\0\0")); /* no start code */
}

TEST(a_side_is_1_to_16384_pixels)
{
    is(STR(PNG_OF("\0\0\x40\0", "\0\0\0\x01")), "image/png", PICTURE_SIDE_MAX, 1, 24);
    is_none(STR(PNG_OF("\0\0\x40\x01", "\0\0\0\x01")));
    is_none(STR(PNG_OF("\0\0\0\x01", "\0\0\x40\x01")));
    is_none(STR(PNG_OF("\xFF\xFF\xFF\xFF", "\0\0\0\x01")));
    is_none(STR(PNG_OF("\x80\0\0\x01", "\0\0\0\x01")));
    is_none(STR(PNG_OF("\0\0\0\0", "\0\0\0\x01")));
    is_none(STR(PNG_OF("\0\0\0\x01", "\0\0\0\0")));
    is_none(STR("GIF89a\0\0\xC8\0\0\0\0"));
    is_none(STR("GIF89a\x01\x40\x01\0\0\0\0"));
    is_none(STR(SOI SOF("\xC0", "\0\0", "\x02\x80"))); /* the height follows the first scan: DNL */
    is_none(STR(SOI SOF("\xC0", "\x40\x01", "\0\x01")));
    is_none(STR(WEBP("VP8 \x20\0\0\0\x30\x01\0\x9D\x01\x2A\0\xC0\xE0\x81") "\0\0"));
    is_none(STR(WEBP("VP8X\x0A\0\0\0\x10\0\0\0\0\x40\0\xDF\x01\0") "\0"));
    is_none(STR(WEBP("VP8X\x0A\0\0\0\x10\0\0\0\x7F\x02\0\xFF\xFF\xFF") "\0"));
}

TEST(other_files_are_none)
{
    is_none(STR(""));
    is_none((struct str){0});
    is_none(STR("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"></svg>"));
    is_none(STR("BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0"));
    is_none(STR("\0\0\0\x1C"
                "ftypavif\0\0\0\0mif1avif"));
    is_none(STR("<html>\x89PNG\r\n\x1a\n\0\0\0\x0DIHDR\0\0\0\x01\0\0\0\x01"));
}

TEST(a_media_type_is_one_of_the_four)
{
    static const char *const types[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        assert_string_equal(picture_media_type(str_of(types[i])), types[i]);
    assert_null(picture_media_type(STR("image/svg+xml")));
    assert_null(picture_media_type(STR("image/PNG")));
    assert_null(picture_media_type(STR("image/png ")));
    assert_null(picture_media_type(STR("")));
}
