/*
 * Escaping for HTML text and quoted attribute values, through which all text on a page passes. Also decodes
 * character references in text by other authors.
 */
#ifndef ALFRED_CODEC_HTML_H
#define ALFRED_CODEC_HTML_H

#include "base/strbuf.h"

/* Appends `s` with & < > " ' as character references. Other bytes, also invalid UTF-8, are unchanged. */
void html_escape(struct strbuf *out, struct str s);

/* The character of a reference such as "&amp;", "&#38;" or "&#x26;", in `utf8` or constant; U+FFFD for a
 * number that is no character. Empty for an unknown name: of HTML's 2,231 names about 200 are known, those
 * that people write. */
struct str html_reference(struct str ref, char utf8[4]);
/* Appends the text of `html`, which has no tags. Unknown references stay as they are. */
void html_decode(struct strbuf *out, struct str html);

#endif
