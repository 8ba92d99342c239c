#include "web/summary/summary_view.h"

#include "web/page/markdown_view.h"
#include "web/page/views.h"
#include "web/session/session_resource.h"
#include "web/session/session_view.h"

static void view_pending(struct arena *a, const struct lang *l, struct view *v, const struct summaries *f)
{
    struct view *p = summary_pending_resource(v, f);
    if (!p)
        return;
    struct str state = view_as_str(view_get(p, STR("state")));
    view_text(p, "count_words", lang_count(a, l, "count.summaries", (int64_t)f->asked_n, NULL));
    view_bool(p, "failed", str_is(state, "failed"));
    view_bool(p, "running", str_is(state, "running"));
    view_bool(p, "delayed", str_is(state, "delayed"));
}

void summaries_view(const struct req *r, struct view *v, const struct summaries *f)
{
    struct arena *a = r->arena;
    const struct locale l = req_locale(r);
    const struct session *s = &f->session;
    struct view *session = view_obj(v, "session"), *list = view_list(v, "summaries");
    session_view(a, session, &l, s);
    session_keywords(a, session, s);
    for (size_t i = 0; i < f->n; i++) {
        const struct summary *m = &f->rows[i];
        struct view *item = view_item(list);
        summary_resource(r, item, s, m);
        view_markdown(a, item, r->lang, m->text);
        view_text(item, "count_words", lang_count(a, r->lang, "count.messages", m->messages, NULL));
        view_created_words(a, item, &l, m->created_at);
        view_bool(item, "open", m->current || (i == 0 && !req_has(r, F_BEFORE)));
    }
    view_pending(a, r->lang, v, f);
    view_bool(v, "any", f->n > 0);
    view_bool(v, "empty", s->head_id == 0);
    view_text(v, "action", arena_printf(a, "/sessions/%s/summaries", s->pub));
    view_text(v, "next_url",
        f->next ? arena_printf(a, "/s/%s/summary?before=%lld", s->pub, (long long)f->next) : NULL);
}
