/* The file of a message. Apart from the code that fetches it, so that the fuzz target of updates needs no
 * network. */
#include <string.h>

#include "channel/telegram/telegram_private.h"
#include "codec/picture.h"

#define FILE_ID_MAX 512
#define PHOTO_SIDE  2000 /* pixels; models see no more than this */
#define PHOTO_BYTES (INT64_C(10) * 1024 * 1024)

/* The size of a photo that suits a model best. NULL: none. */
static const json_t *best_size(const json_t *sizes)
{
    const json_t *size, *best = NULL;
    int64_t nearest = INT64_MAX;
    size_t i;
    json_array_foreach(sizes, i, size)
    {
        int64_t width = 0, height = 0, bytes = 0;
        json_get_int(size, "width", &width);
        json_get_int(size, "height", &height);
        json_get_int(size, "file_size", &bytes);
        int64_t side = width > height ? width : height;
        if (side < 1 || side > INT32_MAX || bytes > PHOTO_BYTES)
            continue;
        int64_t off = side > PHOTO_SIDE ? side - PHOTO_SIDE : PHOTO_SIDE - side;
        best = off < nearest ? size : best;
        nearest = off < nearest ? off : nearest;
    }
    return best;
}

/* An object with sound: a voice message, a file of music or speech, a round video. NULL: none. */
static const json_t *sound(const json_t *message, const char *attachment)
{
    static const char *const kinds[] = {"voice", "audio", "video_note"};
    struct str type;
    const json_t *document = json_object_get(message, "document");
    for (size_t i = 0; attachment && i < ARRAY_LEN(kinds); i++)
        if (strcmp(attachment, kinds[i]) == 0)
            return json_object_get(message, kinds[i]);
    return attachment && strcmp(attachment, "document") == 0 && json_get_str(document, "mime_type", &type) &&
                   str_starts_nocase(type, STR("audio/"))
               ? document
               : NULL;
}

/* Not fetched. Drawings in SVG are text. */
static bool is_never_text(struct str type)
{
    return str_starts(type, STR("video/")) ||
           (str_starts(type, STR("image/")) && !str_starts(type, STR("image/svg")));
}

struct channel_file telegram_file(struct arena *a, const json_t *message, const char *attachment)
{
    struct channel_file out = {.id = NULL};
    bool is_photo = attachment && strcmp(attachment, "photo") == 0;
    bool is_document = attachment && strcmp(attachment, "document") == 0;
    const json_t *sounds = sound(message, attachment);
    const json_t *file = sounds        ? sounds
                         : is_photo    ? best_size(json_object_get(message, "photo"))
                         : is_document ? json_object_get(message, "document")
                                       : NULL;
    struct str id, type = STR(""), name = STR("");
    int64_t bytes, seconds;
    (void)json_get_str(file, "mime_type", &type);
    (void)json_get_str(file, "file_name", &name);
    out.kind = sounds                                 ? CHANNEL_VOICE
               : is_photo || picture_media_type(type) ? CHANNEL_PICTURE
                                                      : CHANNEL_DOCUMENT;
    if (out.kind == CHANNEL_DOCUMENT && is_never_text(type))
        return out;
    if (!json_get_str(file, "file_id", &id) || !id.len || id.len > FILE_ID_MAX)
        return out;
    out.id = arena_strndup(a, id.s, id.len);
    if (json_get_int(file, "file_size", &bytes) && bytes > 0)
        out.bytes = bytes;
    out.spoken = attachment && (strcmp(attachment, "voice") == 0 || strcmp(attachment, "video_note") == 0);
    if (out.kind == CHANNEL_VOICE && json_get_int(file, "duration", &seconds) && seconds > 0)
        out.seconds = seconds;
    if (name.len)
        out.name = arena_strndup(a, name.s, name.len);
    if (type.len)
        out.media_type = arena_strndup(a, type.s, type.len);
    return out;
}
