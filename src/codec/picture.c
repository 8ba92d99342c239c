#include "codec/picture.h"

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

static const char png[] = "image/png", jpeg[] = "image/jpeg", gif[] = "image/gif", webp[] = "image/webp";

const char *picture_media_type(struct str name)
{
    static const char *const types[] = {png, jpeg, gif, webp};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (str_is(name, types[i]))
            return types[i];
    return NULL;
}

static uint32_t byte_at(struct str data, size_t at)
{
    return (unsigned char)data.s[at];
}

static uint32_t big16(struct str data, size_t at)
{
    return byte_at(data, at) << 8 | byte_at(data, at + 1);
}

static uint32_t little16(struct str data, size_t at)
{
    return byte_at(data, at) | byte_at(data, at + 1) << 8;
}

static bool has_at(struct str data, size_t at, const char *bytes, size_t n)
{
    return data.len >= at + n && memcmp(data.s + at, bytes, n) == 0;
}
#define HAS_AT(data, at, text) has_at(data, at, text, sizeof(text) - 1)

static bool sized(struct picture_look *out, const char *type, uint32_t width, uint32_t height)
{
    if (width < 1 || height < 1 || width > PICTURE_SIDE_MAX || height > PICTURE_SIDE_MAX)
        return false;
    *out = (struct picture_look){type, (int)width, (int)height};
    return true;
}

/* The header is the first chunk: length, name, width and height as 32 bits each. */
static bool look_png(struct str data, struct picture_look *out)
{
    if (!HAS_AT(data, 0, "\x89PNG\r\n\x1a\n") || !HAS_AT(data, 12, "IHDR") || data.len < 24)
        return false;
    return sized(out, png, big16(data, 16) << 16 | big16(data, 18), big16(data, 20) << 16 | big16(data, 22));
}

static bool look_gif(struct str data, struct picture_look *out)
{
    if ((!HAS_AT(data, 0, "GIF87a") && !HAS_AT(data, 0, "GIF89a")) || data.len < 10)
        return false;
    return sized(out, gif, little16(data, 6), little16(data, 8));
}

/* Markers of frames, which have the size: SOF0 to SOF15 without DHT, JPG and DAC. */
static bool is_frame(uint32_t marker)
{
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/* Markers without a length: TEM, RST0 to RST7 and SOI. */
static bool is_bare(uint32_t marker)
{
    return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
}

/* Segments of a marker and a length each, up to the first frame. */
static bool look_jpeg(struct str data, struct picture_look *out)
{
    if (!HAS_AT(data, 0, "\xFF\xD8\xFF"))
        return false;
    size_t at = 2;
    while (at + 4 <= data.len && byte_at(data, at) == 0xFF) {
        uint32_t marker = byte_at(data, at + 1);
        if (marker == 0xFF) { /* filling before a marker */
            at++;
        } else if (is_bare(marker)) {
            at += 2;
        } else if (is_frame(marker)) {
            return at + 9 <= data.len && sized(out, jpeg, big16(data, at + 7), big16(data, at + 5));
        } else {
            at += 2 + big16(data, at + 2);
        }
    }
    return false;
}

/* The first chunk: VP8X with 24 bits less one for each side, VP8L with 14 bits less one, or VP8. */
static bool look_webp(struct str data, struct picture_look *out)
{
    if (!HAS_AT(data, 0, "RIFF") || !HAS_AT(data, 8, "WEBP") || data.len < 30)
        return false;
    if (HAS_AT(data, 12, "VP8X"))
        return sized(out, webp, 1 + (little16(data, 24) | byte_at(data, 26) << 16),
            1 + (little16(data, 27) | byte_at(data, 29) << 16));
    if (HAS_AT(data, 12, "VP8L") && byte_at(data, 20) == 0x2F) {
        uint32_t bits = little16(data, 21) | little16(data, 23) << 16;
        return sized(out, webp, 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF));
    }
    if (HAS_AT(data, 12, "VP8 ") && HAS_AT(data, 23, "\x9D\x01\x2A"))
        return sized(out, webp, little16(data, 26) & 0x3FFF, little16(data, 28) & 0x3FFF);
    return false;
}

bool picture_look(struct str data, struct picture_look *out)
{
    return look_png(data, out) || look_jpeg(data, out) || look_gif(data, out) || look_webp(data, out);
}
