#include "web/chat/message_resource.h"

#include "app/context/context.h"
#include "web/chat/compaction_mark.h"
#include "web/http/resource.h"
#include "web/models/models_resource.h"
#include "web/picture/picture_resource.h"

void usage_resource(struct view *v, const struct message *m)
{
    if (m->role != ROLE_ASSISTANT || (!m->tokens_in && !m->tokens_out)) {
        view_null(v, "usage");
        return;
    }
    struct view *usage = view_obj(v, "usage");
    view_int(usage, "input_tokens", m->tokens_in);
    view_int(usage, "output_tokens", m->tokens_out);
    view_int(usage, "cached_tokens", m->tokens_cached);
    view_int(usage, "reasoning_tokens", m->tokens_reasoning);
}

static void put_tool(struct arena *a, struct view *v, const struct message *m)
{
    struct llm_tool_call *calls;
    size_t n;
    bool known = m->role == ROLE_TOOL && context_calls(a, m->calls, &calls, &n, NULL) == RC_OK && n == 1;
    view_text(v, "tool", m->role == ROLE_TOOL ? m->tool : NULL);
    view_text(v, "arguments", known ? calls[0].args : NULL);
}

/* The calls of an answer. */
static void put_calls(struct arena *a, struct view *v, const struct message *m)
{
    struct llm_tool_call *calls;
    size_t n = 0;
    struct view *list = view_list(v, "calls");
    if (m->role != ROLE_ASSISTANT || !m->calls || context_calls(a, m->calls, &calls, &n, NULL) != RC_OK)
        return;
    for (size_t i = 0; i < n; i++) {
        struct view *call = view_item(list);
        view_text(call, "id", calls[i].id);
        view_text(call, "name", calls[i].name);
        view_text(call, "arguments", calls[i].args);
    }
}

void message_resource(const struct message_frame *f, struct view *v, const struct message *m)
{
    struct arena *a = f->arena;
    bool answer = m->role == ROLE_ASSISTANT;
    view_id(a, v, "id", m->id);
    view_text(v, "session", f->session);
    view_text(v, "url", message_url(a, f->session, m->id));
    view_id(a, v, "parent_id", m->parent_id);
    view_text(v, "role", message_role_name(m->role));
    view_text(v, "status", message_status_name(m->status));
    view_str(v, "text", m->text.s ? m->text : STR(""));
    pictures_resource(a, v, m->pictures, m->pictures_n);
    view_text(v, "error", said_words(f->arena, f->locale.lang, m->error));
    view_text(v, "stop", message_stop_name(m->stop));
    view_at(v, "created_at", m->created_at);
    view_text(v, "model", answer ? model_label(f->providers, NULL, m->provider, m->model) : NULL);
    view_bool(v, "edited", m->edited);
    view_bool(v, "calls_tools", answer && m->calls);
    put_calls(a, v, m);
    usage_resource(v, m);
    view_text(v, "reasoning", m->reasoning.len ? m->reasoning.s : NULL);
    view_int(v, "reasoning_ms", m->reasoning_ms);
    view_text(v, "turn", m->status == MESSAGE_RUNNING ? f->turn : NULL);
    put_tool(a, v, m);
    view_int(v, "sibling", m->sibling);
    view_int(v, "siblings", m->siblings);
    view_id(a, v, "prev_id", m->prev_sibling);
    view_id(a, v, "next_id", m->next_sibling);
    annotations_resource(f->annotations, a, f->locale.lang, v, m);
    compaction_mark_resource(f, v, m);
}
