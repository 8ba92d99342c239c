/* Base32 (RFC 4648, section 6) without padding: secrets that people may have to type. */
#ifndef ALFRED_CODEC_BASE32_H
#define ALFRED_CODEC_BASE32_H

#include "base/str.h"
#include "base/strbuf.h"

/* Appended, in upper case. */
void base32_add(struct strbuf *out, struct str bytes);

#endif
