#include "web/chat/questions.h"

#include "web/http/web.h"
#include "web/suggestion/suggestion_view.h"

#define QUESTIONS_TEMPLATE "partials/questions"

static enum rc add_answered(
    struct db *db, struct arena *a, const struct questions_of *q, struct view *list, struct err *e)
{
    struct suggestion s;
    struct suggestions shown;
    enum rc rc = q->answered_id ? store_suggestion_get(db, a, q->owner, q->answered_id, q->now, &s, NULL)
                                : RC_NOT_FOUND;
    if (rc == RC_NOT_FOUND || (rc == RC_OK && (s.session_id != q->session_id || s.message_id == q->leaf ||
                                                  s.state == SUGGESTION_OPEN)))
        return RC_OK;
    if (rc == RC_OK)
        rc = suggestions_look(db, a, q->owner, &s, 1, q->now, &shown, e);
    if (rc == RC_OK && shown.n)
        suggestion_view(a, q->lang, view_item(list), &shown, 0, SUGGESTION_ABOVE_BOX);
    return rc;
}

enum rc questions_view(
    struct db *db, struct arena *a, const struct questions_of *q, struct view *v, struct err *e)
{
    struct suggestion *rows;
    struct suggestions open;
    size_t n;
    enum rc rc = store_suggestion_of_session(db, a, q->owner, q->session_id, q->now, &rows, &n, e);
    if (rc == RC_OK)
        rc = suggestions_look(db, a, q->owner, rows, n, q->now, &open, e);
    if (rc != RC_OK)
        return rc;
    suggestions_keep_questions(&open);
    struct view *list = view_list(v, "questions");
    for (size_t i = 0; i < open.n; i++)
        suggestion_view(a, q->lang, view_item(list), &open, i, SUGGESTION_ABOVE_BOX);
    return add_answered(db, a, q, list, e);
}

enum rc questions_html(const struct web *w, struct db *db, struct arena *a, const struct questions_of *q,
    const char *csrf, struct strbuf *out, struct err *e)
{
    struct view *v = view_new(a);
    view_text(v, "csrf", csrf);
    enum rc rc = questions_view(db, a, q, v, e);
    return rc == RC_OK ? templates_render(w->templates, q->lang, QUESTIONS_TEMPLATE, v, out, e) : rc;
}
