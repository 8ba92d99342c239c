/* Texts in other charsets than UTF-8, by iconv. */
#ifndef ALFRED_CODEC_CHARSET_H
#define ALFRED_CODEC_CHARSET_H

#include "base/strbuf.h"

/* Appends `bytes` as UTF-8 without NUL. `charset`: a name of iconv, which the caller has chosen from a list
 * of its own: some converters of glibc had overflows and endless loops. `*bad` (may be NULL) is set when
 * bytes do not belong to the charset, which become U+FFFD, and for NUL. False: glibc has no converter for it
 * here. */
bool charset_decode(struct str bytes, const char *charset, bool *bad, struct strbuf *out);

/* Appends the text of a file as editors read it: UTF-16 with a byte order mark, UTF-8, else Windows-1252,
 * with LF as the end of lines. static/js/composer/read_file.js has the same rules. Any bytes are
 * Windows-1252, so control characters tell binary files there. False: it is no text; `out` is as before. */
bool charset_decode_file(struct str bytes, struct strbuf *out);

#endif
