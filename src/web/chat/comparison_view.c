#include "web/chat/comparison_view.h"

#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/models/models_resource.h"

#define COMPARISON_TEMPLATE "partials/compared"

static enum rc read_column(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    int64_t asked_id, int64_t begins, struct comparison_column *out, struct err *e)
{
    int64_t leaf;
    enum rc rc = store_message_leaf(db, owner, begins, &leaf, e);
    if (rc == RC_OK)
        rc = store_message_path(db, a,
            &(struct path_query){.owner = owner, .session_id = session_id, .head = leaf, .below = asked_id},
            &out->messages, &out->n, e);
    return rc == RC_OK
               ? annotations_read(db, a, owner, session_id, now, out->messages, out->n, &out->annotations, e)
               : rc;
}

enum rc comparison_read(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    struct comparison_columns *out, struct err *e)
{
    struct comparison c;
    struct turn_row *turns;
    size_t n;
    *out = (struct comparison_columns){0};
    enum rc rc = store_comparison_get(db, owner, session_id, &c, e);
    if (rc == RC_OK)
        rc = store_turns_running(db, a, owner, session_id, &turns, &n, e);
    if (rc != RC_OK)
        return rc;
    out->asked_id = c.asked_id;
    for (size_t i = 0; i < n && out->running_n < COMPARISON_COLUMNS; i++) {
        out->running[out->running_n++] = turns[i].pub;
        if (turns[i].slot >= 0 && turns[i].slot < COMPARISON_COLUMNS)
            out->of[turns[i].slot].turn = turns[i].pub;
    }
    for (size_t i = 0; rc == RC_OK && i < COMPARISON_COLUMNS; i++)
        rc = read_column(db, a, owner, session_id, now, c.asked_id, c.begins[i], &out->of[i], e);
    return rc;
}

static void view_column(
    const struct message_frame *f, const struct comparison_column *c, int number, struct view *v)
{
    const struct message *end = &c->messages[c->n - 1];
    const char *label = model_label(f->providers, f->locale.lang, end->provider, end->model);
    struct message_frame own = *f;
    own.turn = c->turn;
    own.last_id = 0; /* the user chooses one of the two first */
    own.annotations = &c->annotations;
    view_text(v, "label", label ? label : "Alfred");
    view_int(v, "number", number);
    view_bool(v, "first", number == 1);
    view_text(v, "begins", id_text(f->arena, c->messages[0].id));
    view_text(v, "column_turn", c->turn);
    view_text(v, "session_id", f->session);
    view_text(v, "csrf", f->csrf);
    struct view *list = view_list(v, "messages");
    for (size_t i = 0; i < c->n; i++)
        message_view(&own, view_item(list), &c->messages[i]);
}

void comparison_view(const struct message_frame *f, const struct comparison_columns *c, struct view *v)
{
    view_text(v, "asked", id_text(f->arena, c->asked_id));
    view_bool(v, "decidable", c->running_n == 0);
    struct view *list = view_list(v, "columns");
    for (int i = 0; i < COMPARISON_COLUMNS; i++)
        if (c->of[i].n)
            view_column(f, &c->of[i], i + 1, view_item(list));
}

enum rc comparison_html(const struct web *w, const struct message_frame *f,
    const struct comparison_columns *c, struct strbuf *out, struct err *e)
{
    struct view *v = view_new(f->arena);
    comparison_view(f, c, v);
    return templates_render(w->templates, f->locale.lang, COMPARISON_TEMPLATE, v, out, e);
}

void comparison_resource(struct arena *a, struct view *v, const struct comparison_columns *c)
{
    if (!c->asked_id) {
        view_null(v, "comparison");
        return;
    }
    struct view *o = view_obj(v, "comparison");
    view_id(a, o, "asked", c->asked_id);
    struct view *list = view_list(o, "answers");
    for (size_t i = 0; i < COMPARISON_COLUMNS; i++) {
        struct view *item = view_item(list);
        view_id(a, item, "message", c->of[i].messages[0].id);
        view_id(a, item, "end", c->of[i].messages[c->of[i].n - 1].id);
        view_text(item, "turn", c->of[i].turn);
    }
}
