/* Escaping for HTML text and quoted attribute values. All text on a page passes through it. */
#ifndef ALFRED_CODEC_HTML_H
#define ALFRED_CODEC_HTML_H

#include "base/strbuf.h"

/* Appends `s` with & < > " ' as character references. Other bytes, invalid UTF-8 too, go through as they are.
 */
void html_escape(struct strbuf *out, struct str s);

#endif
