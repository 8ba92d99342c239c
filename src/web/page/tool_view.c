#include "web/page/tool_view.h"

#include "app/context/context.h"
#include "app/tools/tools.h"

void tool_call_view(struct arena *a, struct view *v, const struct lang *l, const struct message *m)
{
    struct llm_tool_call *calls;
    size_t n;
    bool known = context_calls(a, m->calls, &calls, &n, NULL) == RC_OK && n == 1;
    const char *args = known ? calls[0].args : "";
    view_text(v, "tool_label", tool_label_of(a, l, m->tool, args, m->text));
    view_text(v, "tool_args", args);
    view_text(v, "tool_code", tool_code(a, m->tool, args));
    view_str(v, "tool_result", tool_output(a, m->tool, m->text));
}
