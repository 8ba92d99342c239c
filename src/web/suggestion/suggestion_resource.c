#include "web/suggestion/suggestion_resource.h"

#include "base/lang.h"
#include "web/http/resource.h"

enum rc suggestions_look(struct db *db, struct arena *a, int64_t owner, struct suggestion *rows, size_t n,
    int64_t now, struct suggestions *out, struct err *e)
{
    *out = (struct suggestions){.rows = rows, .looks = ARENA_ARRAY(a, struct suggestion_look, n + 1)};
    for (size_t i = 0; i < n; i++) {
        enum rc rc = suggestion_look(db, a, owner, &rows[i], now, &out->looks[out->n], e);
        if (rc == RC_NOT_FOUND)
            continue;
        if (rc != RC_OK)
            return rc;
        out->rows[out->n++] = rows[i];
    }
    return RC_OK;
}

void suggestions_keep_questions(struct suggestions *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!s->looks[i].asks)
            continue;
        s->rows[n] = s->rows[i];
        s->looks[n++] = s->looks[i];
    }
    s->n = n;
}

void suggestion_resource(
    struct arena *a, const struct lang *l, struct view *v, const struct suggestions *s, size_t i)
{
    const struct suggestion *row = &s->rows[i];
    const struct suggestion_look *look = &s->looks[i];
    view_id(a, v, "id", row->id);
    view_text(v, "kind", row->kind);
    view_text(v, "state", suggestion_state_name(row->state));
    view_bool(v, "asks", look->asks);
    view_text(v, "question", lang_text(l, look->question));
    view_str(v, "text", look->text);
    view_str(v, "new_text", look->to);
    view_text(v, "tags", row->tags);
    view_text(v, "due", row->due);
    view_id(a, v, "subject", row->subject);
    view_text(v, "session", row->session);
    view_id(a, v, "message", row->message_id);
    view_source(a, v, row->session, row->source_id);
    view_bool(v, "can_undo", look->can_undo);
    view_at(v, "created_at", row->created_at);
    view_at(v, "lapses_at", row->state == SUGGESTION_OPEN ? row->lapses_at : 0);
}
