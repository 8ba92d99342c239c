#include "codec/audio_length.h"

#include <string.h>

#include "base/little_endian.h"
#include "base/mem.h"
#include "codec/audio.h"

#define MS 1000

static uint64_t big(const char *s, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | (unsigned char)s[i];
    return v;
}

static const unsigned char *bytes_of(const char *s)
{
    return (const unsigned char *)s;
}

static int64_t limited(double ms)
{
    return ms >= 0 && ms < AUDIO_LENGTH_MAX ? (int64_t)ms : AUDIO_LENGTH_MAX;
}

static int64_t length_of(uint64_t n, uint64_t per_second)
{
    return per_second ? limited((double)n * MS / (double)per_second) : AUDIO_LENGTH_UNKNOWN;
}

/* The part after n bytes; empty if there are fewer. */
static struct str after(struct str s, size_t n)
{
    return str_from(s, n < s.len ? n : s.len);
}

static bool has(struct str data, const char *word)
{
    return str_starts(data, str_of(word));
}

/* ---- Ogg (RFC 3533): the position of the last page, in samples ---- */

#define OGG_PAGE     27
#define OGG_GRANULE  6
#define OGG_SERIAL   14
#define OGG_SEGMENTS 26
#define OPUS_HZ      48000 /* RFC 7845: whatever was recorded */
#define OPUS_HEAD    12
#define VORBIS_HEAD  16

static bool ogg_position(struct str data, uint64_t *out)
{
    for (size_t at = data.len - OGG_PAGE + 1; at-- > 0;) {
        const char *page = data.s + at;
        if (*page != 'O' || memcmp(page, "OggS", 4) != 0 ||
            memcmp(page + OGG_SERIAL, data.s + OGG_SERIAL, 4) != 0)
            continue;
        *out = le64(bytes_of(page + OGG_GRANULE));
        if (*out <= INT64_MAX) /* else no packet ends on this page */
            return true;
    }
    return false;
}

static int64_t ogg_length(struct str data)
{
    uint64_t end, hz = 0, skip = 0;
    if (data.len < OGG_PAGE)
        return AUDIO_LENGTH_UNKNOWN;
    struct str head = after(data, OGG_PAGE + (unsigned char)data.s[OGG_SEGMENTS]);
    if (head.len >= OPUS_HEAD && has(head, "OpusHead")) {
        hz = OPUS_HZ;
        skip = le16(bytes_of(head.s + 10));
    } else if (head.len >= VORBIS_HEAD && has(head, "\1vorbis"))
        hz = le32(bytes_of(head.s + 12));
    if (!hz || !ogg_position(data, &end))
        return AUDIO_LENGTH_UNKNOWN;
    return length_of(end > skip ? end - skip : 0, hz);
}

/* ---- WebM (RFC 8794, RFC 9559) ---- */

enum {
    EBML_SEGMENT = 0x18538067,
    EBML_INFO = 0x1549A966,
    EBML_SCALE = 0x2AD7B1,
    EBML_CLUSTER = 0x1F43B675,
    EBML_TIMESTAMP = 0xE7,
    EBML_GROUP = 0xA0,
    EBML_BLOCK = 0xA1,
    EBML_SIMPLE_BLOCK = 0xA3
};
#define EBML_SCALE_NS 1000000 /* nanoseconds of a unit, unless the file says otherwise */
#define EBML_SIZE_MAX 8
#define NS_PER_MS     1e6

/* A number whose first byte has its length. 0: it is broken. */
static size_t ebml_bytes(struct str d)
{
    size_t n = 1;
    for (unsigned bit = 0x80; d.len && bit && !((unsigned char)*d.s & bit); bit >>= 1)
        n++;
    return n <= EBML_SIZE_MAX && n <= d.len ? n : 0;
}

struct webm {
    uint64_t scale, cluster, last;
    bool any;
};

static bool ebml_is_parent(uint64_t id)
{
    return id == EBML_SEGMENT || id == EBML_INFO || id == EBML_CLUSTER || id == EBML_GROUP;
}

static void webm_block(struct webm *w, struct str block)
{
    size_t track = ebml_bytes(block);
    if (!track || block.len < track + 2)
        return;
    int64_t at = (int64_t)w->cluster + (int16_t)big(block.s + track, 2);
    w->any = true;
    if (at > 0 && (uint64_t)at > w->last)
        w->last = (uint64_t)at;
}

static void webm_element(struct webm *w, uint64_t id, struct str value)
{
    uint64_t number = value.len <= EBML_SIZE_MAX ? big(value.s, value.len) : 0;
    if (id == EBML_SCALE)
        w->scale = number;
    else if (id == EBML_TIMESTAMP)
        w->cluster = number & INT32_MAX;
    else if (id == EBML_BLOCK || id == EBML_SIMPLE_BLOCK)
        webm_block(w, value);
}

static int64_t webm_length(struct str rest)
{
    struct webm w = {.scale = EBML_SCALE_NS};
    for (;;) {
        size_t id_bytes = ebml_bytes(rest);
        if (!id_bytes)
            break;
        uint64_t id = big(rest.s, id_bytes);
        rest = after(rest, id_bytes);
        size_t bytes = ebml_bytes(rest);
        if (!bytes)
            break;
        uint64_t size = big(rest.s, bytes) & ((UINT64_C(1) << 7 * bytes) - 1);
        rest = after(rest, bytes);
        if (ebml_is_parent(id)) /* its size may be unknown */
            continue;
        if (size > rest.len)
            break;
        webm_element(&w, id, (struct str){rest.s, (size_t)size});
        rest = after(rest, (size_t)size);
    }
    return w.any ? limited((double)w.last * (double)w.scale / NS_PER_MS) : AUDIO_LENGTH_UNKNOWN;
}

/* ---- WAV, FLAC, MP4 ---- */

static int64_t wav_length(struct str rest)
{
    uint64_t rate = 0;
    rest = after(rest, 12);
    while (rest.len >= 8) {
        uint64_t size = le32(bytes_of(rest.s + 4));
        bool is_data = has(rest, "data"), is_format = has(rest, "fmt ");
        rest = after(rest, 8);
        if (is_format && rest.len >= 12)
            rate = le32(bytes_of(rest.s + 8));
        if (is_data) /* a recorder that could not go back wrote no size */
            return length_of(size && size < rest.len ? size : rest.len, rate);
        if (size >= rest.len)
            break;
        rest = after(rest, (size_t)size + (size & 1));
    }
    return AUDIO_LENGTH_UNKNOWN;
}

static int64_t flac_length(struct str data) /* RFC 9639, 8.2 */
{
    struct str info = after(data, 8);
    if (info.len < 18)
        return AUDIO_LENGTH_UNKNOWN;
    uint64_t packed = big(info.s + 10, 8), samples = packed & ((UINT64_C(1) << 36) - 1);
    return samples ? length_of(samples, packed >> 44) : AUDIO_LENGTH_UNKNOWN;
}

static int64_t mvhd_length(struct str head)
{
    bool is_long = head.len && *head.s == 1;
    size_t at = is_long ? 20 : 12, bytes = is_long ? 8 : 4;
    if (head.len < at + 4 + bytes)
        return AUDIO_LENGTH_UNKNOWN;
    uint64_t units = big(head.s + at + 4, bytes);
    return units ? length_of(units, big(head.s + at, 4)) : AUDIO_LENGTH_UNKNOWN;
}

static int64_t mp4_length(struct str rest) /* ISO/IEC 14496-12 */
{
    while (rest.len >= 8) {
        uint64_t size = big(rest.s, 4), head = 8;
        struct str kind = after(rest, 4);
        if (size == 1 && rest.len >= 16) {
            size = big(rest.s + 8, 8);
            head = 16;
        }
        if (has(kind, "mvhd"))
            return mvhd_length(after(rest, (size_t)head));
        if (has(kind, "moov"))
            size = head; /* its boxes follow */
        if (size < head || size >= rest.len)
            break;
        rest = after(rest, (size_t)size);
    }
    return AUDIO_LENGTH_UNKNOWN;
}

/* ---- MP3 (ISO/IEC 11172-3, 13818-3): layer III ---- */

#define XING_HAS_FRAMES 1

static struct str without_id3(struct str data)
{
    if (data.len < 10 || !has(data, "ID3"))
        return data;
    size_t size = 0;
    for (size_t i = 6; i < 10; i++)
        size = size << 7 | ((unsigned char)data.s[i] & 0x7F);
    return after(data, 10 + size);
}

static int64_t mp3_length(struct str data)
{
    static const unsigned kbits[2][16] = {{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0},
        {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0}};
    static const unsigned hertz[4] = {44100, 48000, 32000, 0};
    struct str f = without_id3(data);
    const unsigned char *b = (const unsigned char *)f.s;
    if (f.len < 4 || b[0] != 0xFF || (b[1] & 0xE6) != 0xE2)
        return AUDIO_LENGTH_UNKNOWN;
    unsigned version = b[1] >> 3 & 3; /* 3: MPEG 1, 2: MPEG 2, 0: MPEG 2.5 */
    bool first = version == 3, mono = b[3] >> 6 == 3;
    unsigned hz = hertz[b[2] >> 2 & 3] / (first ? 1 : version == 2 ? 2 : 4);
    struct str xing = after(f, first ? (mono ? 21 : 36) : (mono ? 13 : 21));
    if (xing.len >= 12 && (has(xing, "Xing") || has(xing, "Info")) && (xing.s[7] & XING_HAS_FRAMES))
        return length_of(big(xing.s + 8, 4) * (first ? 1152 : 576), hz);
    return length_of(f.len, kbits[first][b[2] >> 4] * MS / 8);
}

int64_t audio_length_ms(struct str data)
{
    static const struct {
        const char *ending;
        int64_t (*read)(struct str data);
    } readers[] = {{"ogg", ogg_length}, {"webm", webm_length}, {"wav", wav_length}, {"flac", flac_length},
        {"m4a", mp4_length}, {"mp4", mp4_length}, {"mp3", mp3_length}};
    struct audio_look look;
    if (audio_look(data, &look))
        for (size_t i = 0; i < ARRAY_LEN(readers); i++)
            if (strcmp(look.ending, readers[i].ending) == 0)
                return readers[i].read(data);
    return AUDIO_LENGTH_UNKNOWN;
}
