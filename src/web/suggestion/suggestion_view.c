#include "web/suggestion/suggestion_view.h"

#include "app/reminder/repeat.h"
#include "base/clock.h"
#include "base/humanize.h"
#include "base/utf8.h"
#include "web/http/resource.h"
#include "web/http/web.h"

#define LISTED_MAX 100 /* SUGGESTIONS_OPEN_MAX, and the questions of several sessions */

/* A sentence that ends in ":" is followed by the text. */
static bool names_text(const char *sentence)
{
    size_t n = strlen(sentence);
    return n && sentence[n - 1] == ':';
}

/* A text in the middle of a question. Isolates keep it from changing the direction of the words around it. */
static struct str quoted(struct arena *a, struct str text)
{
    if (!text.s)
        return text;
    char *copy = arena_strndup(a, text.s, text.len);
    return (struct str){copy, utf8_drop_directional(copy, text.len)};
}

/* "Friday, 4 December", with the year when it is not that of the suggestion. */
static const char *day_words(struct arena *a, const struct lang *l, const struct suggestion *row)
{
    char at[CLOCK_RFC3339_SIZE];
    clock_rfc3339(row->created_at, at);
    return humanize_iso_day(a, l, row->due, at);
}

/* Adds a task's day as `due`, or a reminder's time as `time`, both in words. */
static void add_due(struct arena *a, const struct lang *l, struct view *v, const struct suggestion *row)
{
    bool timed = row->due && strchr(row->due, 'T');
    view_text(v, "due", row->due && !timed ? day_words(a, l, row) : NULL);
    view_text(v, "time", timed ? repeat_time_words(a, l, row->rule, row->due) : NULL);
}

void suggestion_view(struct arena *a, const struct lang *l, struct view *v, const struct suggestions *s,
    size_t i, enum suggestion_at at)
{
    bool pinned = at == SUGGESTION_ABOVE_BOX;
    const struct suggestion *row = &s->rows[i];
    const struct suggestion_look *look = &s->looks[i];
    bool open = row->state == SUGGESTION_OPEN, done = row->state == SUGGESTION_DONE;
    const char *done_words = lang_text(l, look->done);
    struct str after = look->to.s ? look->to : look->text, none = {NULL, 0};
    view_id(a, v, "id", row->id);
    view_text(v, "kind", row->kind);
    view_text(v, "state", suggestion_state_name(row->state));
    view_bool(v, "is_open", open);
    view_bool(v, "is_done", done);
    view_bool(v, "is_dismissed", row->state == SUGGESTION_DISMISSED);
    view_bool(v, "is_undone", row->state == SUGGESTION_UNDONE);
    view_bool(v, "can_reach_done", open || done);
    view_bool(
        v, "can_reach_undone", (open && look->undone) || look->can_undo || row->state == SUGGESTION_UNDONE);
    view_bool(v, "asks", look->asks);
    view_bool(v, "pinned", pinned);
    view_bool(v, "waits_elsewhere", look->asks && open && !pinned); /* the buttons are above the box */
    view_text(v, "question", lang_text(l, look->question));
    view_str(v, "text", quoted(a, look->text));
    view_str(v, "to", quoted(a, look->to));
    view_str(v, "done_text", names_text(done_words) ? quoted(a, after) : none);
    add_due(a, l, v, row);
    view_text(v, "tags", row->tags && *row->tags ? row->tags : NULL);
    view_text(v, "keep_label", lang_text(l, look->keep_label));
    view_text(v, "dismiss_label", lang_text(l, look->dismiss_label));
    view_text(v, "done_words", done_words);
    view_text(v, "dismissed_words", lang_text(l, look->dismissed));
    view_text(v, "undone_words", look->undone ? lang_text(l, look->undone) : "");
    view_bool(v, "can_undo", look->can_undo);
    view_bool(v, "offers_undo", look->can_undo || (open && look->undone));
    view_at(v, "lapses", open ? row->lapses_at : 0);
}

static size_t keep_kinds(struct suggestion *rows, size_t n, const char *const *kinds)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const char *const *k = kinds;
        while (k && *k && strcmp(*k, rows[i].kind) != 0)
            k++;
        if (!k || *k)
            rows[kept++] = rows[i];
    }
    return kept;
}

enum rc suggestions_open(
    const struct req *r, const char *const *kinds, struct suggestions *out, struct err *e)
{
    struct suggestion *rows;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_suggestion_list(db, r->arena, r->who.user_id, NULL, r->now, LISTED_MAX, &rows, &n, e);
    if (rc == RC_OK)
        n = keep_kinds(rows, n, kinds);
    if (rc == RC_OK)
        rc = suggestions_look(db, r->arena, r->who.user_id, rows, n, r->now, out, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc suggestions_view(const struct req *r, const char *const *kinds, struct view *v, struct err *e)
{
    struct suggestions all;
    enum rc rc = suggestions_open(r, kinds, &all, e);
    if (rc != RC_OK)
        return rc;
    struct view *list = view_list(v, "suggestions");
    for (size_t i = 0; i < all.n; i++) {
        struct view *item = view_item(list);
        const struct suggestion *s = &all.rows[i];
        view_id(r->arena, item, "id", s->id);
        view_str(item, "text", quoted(r->arena, all.looks[i].text));
        add_due(r->arena, r->lang, item, s);
        view_text(item, "question", lang_text(r->lang, all.looks[i].question));
        view_text(item, "keep_label", lang_text(r->lang, all.looks[i].keep_label));
        view_text(item, "dismiss_label", lang_text(r->lang, all.looks[i].dismiss_label));
        view_source(r->arena, item, s->session, s->source_id);
    }
    view_id(r->arena, v, "upto", all.n ? all.rows[0].id : 0);
    view_bool(v, "several", all.n > 1);
    return RC_OK;
}
