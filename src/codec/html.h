/* Escaping for HTML text and quoted attribute values. All text on a page passes through it. */
#ifndef ALFRED_CODEC_HTML_H
#define ALFRED_CODEC_HTML_H

#include "base/strbuf.h"

/* Appends `s` with & < > " ' as character references. Other bytes, also invalid UTF-8, are unchanged. */
void html_escape(struct strbuf *out, struct str s);

#endif
