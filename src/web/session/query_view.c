#include "web/session/query_view.h"

#include "codec/url.h"

static bool is_operator(const struct search_query *q, size_t i)
{
    const struct query_part *p = &q->parts.part[i];
    return q->used[i] && (query_op_name(p->op) || p->negated);
}

void query_view_chips(const struct req *r, struct view *v, const struct search_query *q, query_url_fn *url)
{
    struct view *list = view_list(v, "chips");
    bool any = false;
    for (size_t i = 0; i < q->parts.n; i++) {
        const struct query_part *p = &q->parts.part[i];
        if (!is_operator(q, i))
            continue;
        struct view *item = view_item(list);
        view_str(item, "label", p->source);
        view_text(item, "url", url(r, query_without(r->arena, q->text, p)));
        any = true;
    }
    view_bool(v, "any_chips", any);
}

void query_view_notes(const struct req *r, struct view *v, const struct search_query *q)
{
    struct view *list = view_list(v, "notes");
    for (size_t i = 0; i < q->notices_n; i++)
        view_item_text(
            list, lang_fill(r->arena, r->lang, q->notices[i].key, LANG_ARGS({"name", q->notices[i].name})));
}

const char *query_view_trash_url(const struct req *r, const struct search_query *q)
{
    return URL_WITH(r->arena, "/trash", {field_name(F_Q), q->words});
}
