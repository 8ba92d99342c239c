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

struct channel_file telegram_file(struct arena *a, const json_t *message, const char *attachment)
{
    struct channel_file out = {.kind = CHANNEL_PICTURE};
    const json_t *file = NULL, *document = json_object_get(message, "document");
    struct str id, type;
    int64_t bytes;
    if (attachment && strcmp(attachment, "photo") == 0)
        file = best_size(json_object_get(message, "photo"));
    else if (attachment && strcmp(attachment, "document") == 0 &&
             json_get_str(document, "mime_type", &type) && picture_media_type(type))
        file = document;
    if (!json_get_str(file, "file_id", &id) || !id.len || id.len > FILE_ID_MAX)
        return out;
    out.id = arena_strndup(a, id.s, id.len);
    if (json_get_int(file, "file_size", &bytes) && bytes > 0)
        out.bytes = bytes;
    return out;
}
