#include "web/session/session_view.h"

#include "web/http/resource.h"
#include "web/page/humanize.h"
#include "web/page/views.h"

void session_view(struct arena *a, struct view *v, const struct locale *l, const struct session *s)
{
    view_session_row(l->lang, v, s);
    view_text(v, "url", session_url(a, s->pub));
    view_text(v, "topic", s->topic);
    view_text(v, "workspace", s->workspace);
    view_text(v, "count_words", lang_count(a, l->lang, "count.messages", s->message_count, NULL));
    view_at(v, "active_at", s->active_at);
    view_time_words(a, v, l, "active_words", "active_exact", s->active_at);
}
