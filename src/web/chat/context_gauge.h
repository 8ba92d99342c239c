/*
 * What stands around the box: how full the model's window is ("gauge"), the line that offers a new chat to a
 * session that has run for long ("rest"), and the questions that wait for an answer ("questions").
 */
#ifndef ALFRED_WEB_CHAT_CONTEXT_GAUGE_H
#define ALFRED_WEB_CHAT_CONTEXT_GAUGE_H

#include "web/http/request.h"
#include "web/chat/transcript.h"

/* `t` NULL: a new chat. */
enum rc context_gauge_view(const struct req *r, const struct transcript *t, struct view *v, struct err *e);

#endif
