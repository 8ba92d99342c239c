/*
 * Pictures that users add to their messages (store/message/picture.h): checked and stored before the message
 * is sent.
 */
#ifndef ALFRED_APP_PICTURE_PICTURE_H
#define ALFRED_APP_PICTURE_PICTURE_H

#include "app/config/config.h"
#include "store/message/picture.h"

/* Stores the bytes of a picture for a message that follows; fills `out`, with its id in `a`. RC_UNSUPPORTED:
 * it is no PNG, JPEG, GIF or WebP. RC_TOO_BIG: over [limits] picture_bytes, or the user has too many that
 * were not sent. All have a sentence. */
enum rc picture_store(struct store *s, const struct config *c, struct arena *a, int64_t owner,
    struct str data, struct picture *out, struct err *e);

#endif
