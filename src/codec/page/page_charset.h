/* The text of a document's bytes, by the rules of HTML in short. */
#ifndef ALFRED_CODEC_PAGE_PAGE_CHARSET_H
#define ALFRED_CODEC_PAGE_PAGE_CHARSET_H

#include "base/strbuf.h"

/* Appends `html` as UTF-8 without NUL. The charset is that of a byte order mark, else that at the beginning
 * of `charset`, perhaps in quotes, else that of a <meta> element in the first 1024 bytes, else UTF-8 if the
 * bytes are valid, else windows-1252. Bytes that the charset does not have become U+FFFD. */
void page_charset_decode(struct str html, struct str charset, struct strbuf *out);

#endif
