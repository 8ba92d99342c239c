#include "web/memory/memory_resource.h"

#include "web/http/resource.h"

void memory_resource(struct arena *a, struct view *v, const struct memory *m)
{
    view_id(a, v, "id", m->id);
    view_str(v, "text", m->text);
    view_text(v, "tags", m->tags);
    view_bool(v, "permanent", m->expires_at == 0);
    view_at(v, "created_at", m->created_at);
    view_at(v, "used_at", m->used_at);
    view_at(v, "expires_at", m->expires_at);
    view_source(a, v, m->source_session, m->source_id);
    view_bool(v, "source_in_trash", m->source_in_trash);
}
