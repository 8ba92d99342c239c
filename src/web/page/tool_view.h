/* A call of a tool with its result, as pages show it. */
#ifndef ALFRED_WEB_PAGE_TOOL_VIEW_H
#define ALFRED_WEB_PAGE_TOOL_VIEW_H

#include "base/lang.h"
#include "codec/view.h"
#include "store/message/message.h"

/* tool_label, tool_args, tool_code (null: the tool runs no program), tool_result. `m` is the result. */
void tool_call_view(struct arena *a, struct view *v, const struct lang *l, const struct message *m);

#endif
