/*
 * Recognises a picture by its first bytes, and reads its size from its header. Nothing is decoded.
 *
 * PNG: https://www.w3.org/TR/png-3/#11IHDR. JPEG: ITU-T T.81, B.2. GIF: GIF89a, 18. WebP: RFC 9649. These are
 * the four formats that model providers accept.
 */
#ifndef ALFRED_CODEC_PICTURE_H
#define ALFRED_CODEC_PICTURE_H

#include <stdbool.h>

#include "base/str.h"

#define PICTURE_SIDE_MAX 16384 /* pixels; a larger one is refused */

struct picture_look {
    const char *media_type; /* "image/png"; a constant */
    int width, height;      /* pixels, 1 to PICTURE_SIDE_MAX, as stored: a JPEG may be shown turned */
};

/* False: it is none of the four formats, or has no readable size. */
bool picture_look(struct str data, struct picture_look *out);
/* The constant of the same text; NULL: none of the four. */
const char *picture_media_type(struct str name);

#endif
