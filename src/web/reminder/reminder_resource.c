#include "web/reminder/reminder_resource.h"

#include "app/reminder/repeat.h"
#include "web/http/resource.h"

void reminder_resource(struct arena *a, struct view *v, const struct reminder *r, const struct locale *l)
{
    view_id(a, v, "id", r->id);
    view_text(v, "kind", r->kind);
    view_str(v, "text", r->text);
    view_id(a, v, "task", r->task_id);
    view_text(v, "session", r->session);
    view_text(v, "at", r->start);
    view_text(v, "zone", *r->zone ? r->zone : NULL);
    view_text(v, "repeat", r->rule);
    view_text(v, "words", repeat_time_words(a, l->lang, r->rule, r->start));
    view_at(v, "next_at", r->fires_at);
    view_at(v, "snoozed_until", r->snooze_at);
    view_bool(v, "paused", r->paused_at != 0);
    view_bool(v, "waits", r->open_due != 0);
    view_at(v, "told_at", r->told_at);
    view_at(v, "created_at", r->created_at);
    view_source(a, v, r->source_session, r->source_id);
    view_bool(v, "source_in_trash", r->source_in_trash);
}
