/* An uploaded file, or a recording. Whatever its bytes are, no byte outside of it is read, and a picture has
 * one of the four types and a size within the limits. */
#include <stdlib.h>

#include "codec/audio.h"
#include "codec/audio_length.h"
#include "codec/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct picture_look look = {0};
    struct audio_look sound;
    if (audio_look((struct str){(const char *)data, size}, &sound) && !*sound.ending)
        abort();
    if (audio_length_ms((struct str){(const char *)data, size}) < AUDIO_LENGTH_UNKNOWN)
        abort();
    if (!picture_look((struct str){(const char *)data, size}, &look))
        return 0;
    if (look.width < 1 || look.width > PICTURE_SIDE_MAX || look.height < 1 || look.height > PICTURE_SIDE_MAX)
        abort();
    if (picture_media_type(str_of(look.media_type)) != look.media_type)
        abort();
    return 0;
}
