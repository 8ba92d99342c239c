/*
 * Pictures that users add to their messages (store/message/picture.h): checked and stored before the message
 * is sent.
 */
#ifndef ALFRED_APP_PICTURE_PICTURE_H
#define ALFRED_APP_PICTURE_PICTURE_H

#include "app/config/config.h"
#include "base/lang.h"
#include "store/message/message.h"

/* Fills `out`, without an id. RC_UNSUPPORTED: the bytes are no PNG, JPEG, GIF or WebP. RC_TOO_BIG: over
 * [limits] picture_bytes. Both have a sentence. */
enum rc picture_check(const struct config *c, struct str data, struct picture *out, struct err *e);
/* Stores the bytes of a picture for a message that follows; fills `out`, with its id in `a`. Fails like
 * picture_check(). RC_CONFLICT, with a sentence: the user has [limits] user_pictures_bytes of them. */
enum rc picture_store(struct store *s, const struct config *c, struct arena *a, int64_t owner,
    struct str data, struct picture *out, struct err *e);

/* Where only text can be shown: a paragraph "[Picture, 640 x 480]" for each picture, then the text. In `a`,
 * or m->text itself. */
struct str picture_text(struct arena *a, const struct lang *l, const struct message *m);

#endif
