/*
 * Separates a message's own words from quoted and forwarded text. Users paste mails and pages into messages;
 * another author wrote those parts, so they are not requests of the user.
 *
 * Foreign text begins at the first line that begins a quotation (">"), a code block, HTML, a table, or a
 * forwarded mail: a line of "---" or "___", "Begin forwarded message:" and similar ones, or a mail's head
 * ("From: ..." with another such line below it). Text below a line such as "On Monday Eve wrote:" is foreign,
 * too. Own words after a quotation are not recognised: missing a request is better than accepting one from a
 * stranger.
 */
#ifndef ALFRED_CODEC_WORDS_QUOTED_REPLY_H
#define ALFRED_CODEC_WORDS_QUOTED_REPLY_H

#include "base/str.h"

/* The part of the text, from its beginning, that is its author's own. */
struct str quoted_reply_own_words(struct str text);

#endif
