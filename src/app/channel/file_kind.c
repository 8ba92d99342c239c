#include "app/channel/file_kind.h"

#include "app/channel/file_document.h"
#include "app/context/message_files.h"
#include "app/models/speech.h"
#include "app/picture/picture.h"

#define VOICES_PER_MESSAGE 8

static int64_t document_bytes(const struct config *c)
{
    (void)c;
    return DOCUMENT_BYTES_MAX;
}

static int64_t picture_bytes(const struct config *c)
{
    return c->limits.picture_bytes;
}

/* Its id. A picture without a message is removed by the sweep. */
static enum rc take_picture(const struct file_taking *t, struct str *out, struct err *e)
{
    struct picture picture;
    enum rc rc = picture_store(t->store, t->config, t->a, t->user, t->data, &picture, e);
    if (rc == RC_OK)
        *out = str_of(picture.pub);
    return rc;
}

static int64_t voice_bytes(const struct config *c)
{
    return c->speech.max_bytes;
}

static const struct file_kind kinds[] = {
    [CHANNEL_PICTURE] = {.per_question = PICTURES_PER_MESSAGE,
        .many = "channel.many_pictures",
        .gone = "channel.picture_gone",
        .too_big = "picture.too_big",
        .bytes_max = picture_bytes,
        .take = take_picture},
    [CHANNEL_VOICE] = {.per_question = VOICES_PER_MESSAGE,
        .many = "channel.many_voices",
        .gone = "channel.voice_gone",
        .too_big = "speech.too_big",
        .is_on = speech_is_on,
        .left_out = "voice_off",
        .bytes_max = voice_bytes},
    [CHANNEL_DOCUMENT] = {.per_question = MESSAGE_FILES_MAX,
        .many = "channel.many_documents",
        .gone = "channel.document_gone",
        .too_big = "channel.document_big",
        .bytes_max = document_bytes,
        .take = file_document_take},
};

const struct file_kind *file_kind(enum channel_file_kind kind)
{
    return &kinds[kind];
}
