#include "web/suggestion/suggestion_view.h"

#include "web/chat/message_view.h"
#include "web/http/web.h"

static void view_suggestion(const struct req *r, struct view *v, const struct suggestion *s)
{
    struct arena *a = r->arena;
    long long source = (long long)s->source_id;
    view_text(v, "id", arena_printf(a, "%lld", (long long)s->id));
    view_str(v, "text", s->text);
    view_text(v, "source_message", arena_printf(a, "%lld", source));
    view_text(v, "source_url", arena_printf(a, "/s/%s?at=%lld#m-%lld", s->source_session, source, source));
    view_created(a, v, s->created_at, r->now);
}

enum rc suggestions_view(const struct req *r, struct view *v, struct err *e)
{
    struct suggestion *rows;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_suggestion_list(db, r->arena, r->who.user_id, &rows, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *list = view_list(v, "suggestions");
    for (size_t i = 0; i < n; i++)
        view_suggestion(r, view_item(list), &rows[i]);
    view_text(v, "upto", n ? arena_printf(r->arena, "%lld", (long long)rows[0].id) : NULL);
    return RC_OK;
}
