/*
 * Whose words a message holds. People paste mails and pages into their messages; what a message quotes or
 * forwards was written by somebody else and asks for nothing.
 *
 * Foreign is everything from the first line on that begins a quotation (">"), a code block, or a forwarded
 * mail: a line of "---" or "___", "Begin forwarded message:" and the like, or a mail's head ("From: ..." with
 * another such line below it); and everything below a line such as "On Monday Eve wrote:". Own words behind a
 * quotation are not told from it; it is better to miss a wish than to take one from a stranger.
 */
#ifndef ALFRED_CODEC_QUOTED_H
#define ALFRED_CODEC_QUOTED_H

#include "base/str.h"

/* The beginning of the text that is its author's own; all of it when nothing is foreign. */
struct str quoted_own(struct str text);

#endif
