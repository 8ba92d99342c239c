/* Character references of HTML as text. The page's HTML keeps named ones for the browser. */
#ifndef ALFRED_CHANNEL_TELEGRAM_TELEGRAM_REFERENCES_H
#define ALFRED_CHANNEL_TELEGRAM_TELEGRAM_REFERENCES_H

#include "base/strbuf.h"

/* Appends the text of `html`, which has no tags. Unknown names stay as they are. */
void html_decode(struct strbuf *out, struct str html);

#endif
