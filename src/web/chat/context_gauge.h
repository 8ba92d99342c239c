/*
 * The parts around the message box: the fill of the model's window ("gauge"), the hint that suggests a new
 * chat for a long session ("rest"), and the open questions ("questions").
 */
#ifndef ALFRED_WEB_CHAT_CONTEXT_GAUGE_H
#define ALFRED_WEB_CHAT_CONTEXT_GAUGE_H

#include "web/chat/transcript.h"
#include "web/http/request.h"

/* `t` NULL: a new chat. */
enum rc context_gauge_view(const struct req *r, const struct transcript *t, struct view *v, struct err *e);

#endif
