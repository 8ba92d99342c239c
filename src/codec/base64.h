/*
 * Base64 with the standard alphabet and padding (RFC 4648, section 4), and data URLs (RFC 2397) that have it.
 */
#ifndef ALFRED_CODEC_BASE64_H
#define ALFRED_CODEC_BASE64_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"

#define BASE64_SIZE(bytes) ((bytes) / 3 * 4 + 5) /* at most, with NUL */

struct str base64_of(struct arena *a, struct str bytes);
/* The same, appended. */
void base64_add(struct strbuf *out, struct str bytes);

/* The bytes of `text`, which the caller frees. NULL: it is no base64, or has white space in it. */
char *base64_decode(struct str text, size_t *bytes);

/* The base64 of a data URL, a part of it. False: `url` is another address. */
bool base64_of_data_url(struct str url, struct str *text);

#endif
