#include "web/session/session_view.h"

#include "codec/url.h"
#include "codec/words/search_query.h"
#include "store/session/tag.h"
#include "web/http/resource.h"
#include "web/page/views.h"

const char *tag_url(struct arena *a, const char *name)
{
    return URL_WITH(a, "/sessions", {"q", str_of(arena_printf(a, "tag:%s", query_quoted(a, str_of(name))))});
}

const char *workspace_url(struct arena *a, const char *name)
{
    return URL_WITH(a, "/sessions", {"workspace", str_of(name)});
}

static void view_tags(struct arena *a, struct view *v, const struct session *s)
{
    struct tag t;
    if (!s->tags) {
        view_bool(v, "any_tags", false);
        return;
    }
    struct view *list = view_list(v, "tags");
    const char *line = "";
    for (struct str rest = str_of(s->tags); session_tag_next(a, &rest, &t);) {
        struct view *item = view_item(list);
        view_text(item, "name", t.name);
        view_int(item, "colour", t.colour);
        line = arena_printf(a, "%s%s%s", line, *line ? ", " : "", t.name);
    }
    view_lasting(v, "tags_line", line);
    view_bool(v, "any_tags", *line);
}

void session_view(struct arena *a, struct view *v, const struct locale *l, const struct session *s)
{
    session_row_view(l->lang, v, s);
    view_lasting(v, "url", session_url(a, s->pub));
    view_lasting(v, "topic", s->topic);
    view_lasting(v, "workspace", s->workspace);
    view_tags(a, v, s);
    view_lasting(v, "count_words", lang_count(a, l->lang, "count.messages", s->message_count, NULL));
    view_at(v, "active_at", s->active_at);
    view_time_words(a, v, l, "active_words", "active_exact", s->active_at);
}
