#include "app/suggestion/suggestion_private.h"

#include "base/strbuf.h"
#include "codec/markdown/markdown.h"

#define DECIDED "suggest.decided"
#define CHANGED "suggest.changed"

static enum rc find_kind(const struct suggestion *s, const struct suggestion_kind **out, struct err *e)
{
    *out = suggestion_kind_of(s->kind);
    return *out ? RC_OK : err_set(e, RC_INTERNAL, "suggestions have no kind %s", s->kind);
}

bool suggestion_asks(const struct suggestion *s)
{
    const struct suggestion_kind *k = suggestion_kind_of(s->kind);
    return k && k->asks;
}

/* ---- called by tools ---- */

static enum rc carry_out(const struct suggestion_change *c, const struct suggestion_kind *k, struct err *e)
{
    enum rc rc = k->run(c, e);
    if (rc != RC_OK)
        return rc;
    c->s->state = SUGGESTION_DONE;
    c->s->settled_at = c->now;
    c->s->undo_until = k->asks && k->undo ? c->now + SUGGESTION_UNDO_MS : 0;
    return RC_OK;
}

static bool is_same(
    const struct suggestion_change *c, const struct suggestion_kind *k, const struct suggestion *before)
{
    struct str text = before->text;
    struct suggestion_change other = *c;
    struct suggestion copy = *before;
    other.s = &copy;
    if (strcmp(before->kind, c->s->kind) != 0)
        return false;
    if (c->s->subject)
        return before->subject == c->s->subject && str_eq(text, c->s->text);
    return before->subject && k->text(&other, &text, NULL) == RC_OK && str_eq(text, c->s->text);
}

/* Searches the changes of the same message: `*same` is this very change, `*n` counts all. */
static enum rc find_before(
    const struct suggestion_change *c, const struct suggestion_kind *k, size_t *n, bool *same, struct err *e)
{
    struct suggestion *before = NULL;
    *n = 0;
    *same = false;
    if (!c->s->source_id)
        return RC_OK;
    enum rc rc = store_suggestion_of_source(c->db, c->a, c->owner, c->s->source_id, &before, n, e);
    for (size_t i = 0; rc == RC_OK && !*same && i < *n; i++)
        if (is_same(c, k, &before[i])) {
            *c->s = before[i];
            *same = true;
        }
    return rc;
}

static enum rc check_room(const struct suggestion_change *c, const struct suggestion_kind *k, struct err *e)
{
    struct suggestion *open;
    size_t n = 0, asked = 0;
    int64_t waiting = 0, dropped = 0;
    enum rc rc =
        k->asks ? store_suggestion_of_session(c->db, c->a, c->owner, c->s->session_id, c->now, &open, &n, e)
                : store_suggestion_open_count(c->db, c->owner, &waiting, e);
    if (rc == RC_OK && waiting >= SUGGESTIONS_OPEN_MAX)
        rc = store_suggestion_drop_oldest(c->db, c->owner, &dropped, e);
    for (size_t i = 0; i < n; i++)
        asked += suggestion_asks(&open[i]);
    if (rc == RC_OK && asked >= SUGGESTION_QUESTIONS_MAX)
        return err_tell(e, RC_CONFLICT,
            "%d questions wait for the user already. Ask nothing more before they "
            "are answered.",
            SUGGESTION_QUESTIONS_MAX);
    if (rc == RC_OK && waiting - dropped >= SUGGESTIONS_OPEN_MAX)
        return err_tell(
            e, RC_CONFLICT, "%d suggestions wait for the user already. Make no more.", SUGGESTIONS_OPEN_MAX);
    return rc;
}

enum rc suggestion_put(struct db *db, struct arena *a, int64_t owner, struct suggestion *s, bool at_once,
    int64_t now, struct err *e)
{
    const struct suggestion_kind *k;
    struct suggestion_change c = {db, a, owner, now, s};
    size_t before = 0;
    bool same = false;
    s->created_at = now;
    enum rc rc = find_kind(s, &k, e);
    if (rc == RC_OK && k->clean)
        rc = k->clean(&c, e);
    if (rc == RC_OK && at_once && !k->asks)
        rc = find_before(&c, k, &before, &same, e);
    if (rc != RC_OK || same)
        return rc;
    if (at_once && !k->asks && before < SUGGESTION_AT_ONCE_MAX) {
        rc = carry_out(&c, k, e);
        bool new = rc == RC_OK && (s->subject || strcmp(s->kind, SUGGESTION_REMEMBER) != 0);
        return new ? store_suggestion_add(db, owner, s, e) : rc;
    }
    s->state = SUGGESTION_OPEN;
    if (!k->asks)
        s->lapses_at = 0;
    else if (!s->lapses_at)
        s->lapses_at = now + SUGGESTION_QUESTION_MS;
    if (s->subject || strcmp(s->kind, SUGGESTION_REMEMBER) != 0) /* an open fact is not suggested again */
        rc = store_suggestion_replace(db, owner, s, e);
    if (rc == RC_OK)
        rc = check_room(&c, k, e);
    if (rc == RC_OK)
        rc = store_suggestion_add(db, owner, s, e);
    return rc == RC_CONFLICT && e && !e->for_user
               ? err_tell(e, rc,
                     "This was suggested before, and waits for the user or was dismissed. Do not "
                     "suggest it again.")
               : rc;
}

/* ---- decisions of the user ---- */

static enum rc keep(const struct suggestion_change *c, const struct suggestion_kind *k, struct err *e)
{
    enum rc rc = carry_out(c, k, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, RC_CONFLICT, DECIDED);
    return rc == RC_OK ? store_suggestion_set_state(c->db, c->owner, c->s, SUGGESTION_OPEN, e) : rc;
}

static enum rc dismiss(const struct suggestion_change *c, struct err *e)
{
    c->s->state = SUGGESTION_DISMISSED;
    c->s->settled_at = c->now;
    return store_suggestion_set_state(c->db, c->owner, c->s, SUGGESTION_OPEN, e);
}

static bool is_in_time(const struct suggestion_change *c, const struct suggestion_kind *k)
{
    const struct suggestion *s = c->s;
    return s->state == SUGGESTION_DONE && k->undo && s->subject && (!s->undo_until || c->now < s->undo_until);
}

static bool can_undo(const struct suggestion_change *c, const struct suggestion_kind *k)
{
    return is_in_time(c, k) && k->stands(c);
}

/* True when the suggestion was carried out, and its subject was changed again elsewhere. */
static bool is_overtaken(const struct suggestion_change *c, const struct suggestion_kind *k)
{
    return is_in_time(c, k) && !k->stands(c);
}

static enum rc undo(const struct suggestion_change *c, const struct suggestion_kind *k, struct err *e)
{
    if (!can_undo(c, k))
        return err_say(e, RC_CONFLICT, CHANGED);
    enum rc rc = k->undo(c, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, RC_CONFLICT, CHANGED);
    c->s->state = SUGGESTION_UNDONE;
    c->s->text = STR("");
    c->s->prior_text = (struct str){NULL, 0};
    c->s->prior_tags = NULL;
    return rc == RC_OK ? store_suggestion_set_state(c->db, c->owner, c->s, SUGGESTION_DONE, e) : rc;
}

enum rc suggestion_decide_in(struct db *db, struct arena *a, const struct suggestion_decision *d,
    int64_t message_id, struct suggestion *out, struct err *e)
{
    const struct suggestion_kind *k;
    struct suggestion_change c = {db, a, d->owner, d->now, out};
    enum rc rc = store_suggestion_get(db, a, d->owner, d->id, 0, out, e);
    if (rc == RC_OK)
        rc = find_kind(out, &k, e);
    if (rc != RC_OK)
        return rc;
    bool open = out->state == SUGGESTION_OPEN && (!out->lapses_at || d->now < out->lapses_at);
    if (d->verdict != SUGGESTION_UNDO && !open)
        return err_say(e, RC_CONFLICT, DECIDED);
    if (message_id)
        out->message_id = message_id;
    switch (d->verdict) {
    case SUGGESTION_KEEP: return keep(&c, k, e);
    case SUGGESTION_DISMISS: return dismiss(&c, e);
    case SUGGESTION_UNDO: return undo(&c, k, e);
    }
    return err_set(e, RC_INTERNAL, "suggestions have no decision %d", (int)d->verdict);
}

struct decide {
    struct arena *a;
    const struct suggestion_decision *decision;
    struct suggestion *out;
};

static enum rc decide_tx(struct db *db, void *arg, struct err *e)
{
    const struct decide *d = arg;
    return suggestion_decide_in(db, d->a, d->decision, 0, d->out, e);
}

enum rc suggestion_decide(struct store *s, struct arena *a, const struct suggestion_decision *d,
    struct suggestion *out, struct err *e)
{
    return store_write(s, decide_tx, &(struct decide){a, d, out}, e);
}

struct keep_facts {
    int64_t owner, upto, now;
    size_t kept;
};

static enum rc keep_facts_tx(struct db *db, void *arg, struct err *e)
{
    struct keep_facts *f = arg;
    AUTO(arena) a = arena_new();
    struct suggestion *all;
    size_t n;
    f->kept = 0;
    enum rc rc = store_suggestion_list(
        db, a, f->owner, SUGGESTION_REMEMBER, f->now, SUGGESTIONS_OPEN_MAX, &all, &n, e);
    for (size_t i = n; rc == RC_OK && i > 0; i--) { /* in the order of their messages */
        struct suggestion_decision d = {f->owner, all[i - 1].id, SUGGESTION_KEEP, f->now};
        struct suggestion kept = {0};
        if (d.id > f->upto)
            continue;
        rc = suggestion_decide_in(db, a, &d, 0, &kept, e);
        f->kept++;
    }
    return rc;
}

enum rc suggestion_keep_facts(
    struct store *s, int64_t owner, int64_t upto, int64_t now, size_t *kept, struct err *e)
{
    struct keep_facts f = {.owner = owner, .upto = upto, .now = now};
    enum rc rc = store_write(s, keep_facts_tx, &f, e);
    *kept = rc == RC_OK ? f.kept : 0;
    return rc;
}

/* ---- display ---- */

enum rc suggestion_look(struct db *db, struct arena *a, int64_t owner, const struct suggestion *s,
    int64_t now, struct suggestion_look *out, struct err *e)
{
    const struct suggestion_kind *k;
    struct suggestion copy = *s;
    struct suggestion_change c = {db, a, owner, now, &copy};
    enum rc rc = find_kind(s, &k, e);
    if (rc != RC_OK)
        return rc;
    *out = (struct suggestion_look){.asks = k->asks,
        .can_undo = can_undo(&c, k),
        .question = k->question,
        .keep_label = k->keep_label,
        .dismiss_label = k->dismiss_label,
        .done = k->done,
        .dismissed = k->dismissed,
        .undone = k->undone};
    if (s->subject && k->text) {
        rc = k->text(&c, &out->text, e);
        if (rc != RC_OK && (rc != RC_NOT_FOUND || s->state == SUGGESTION_OPEN))
            return rc;
        if (rc == RC_NOT_FOUND)
            out->text = (struct str){NULL, 0};
    } else if (s->text.len) {
        out->text = s->text;
    }
    if (s->state == SUGGESTION_OPEN && strcmp(s->kind, SUGGESTION_CHANGE_MEMORY) == 0 && s->text.len)
        out->to = s->text;
    if (strcmp(s->kind, SUGGESTION_WORKSPACE) == 0 && !s->text.len) {
        out->question = "suggest.no_workspace_question";
        out->done = "suggest.no_workspace_done";
    }
    if (s->state == SUGGESTION_DONE && strcmp(s->kind, SUGGESTION_REMEMBER) == 0 && !s->subject)
        out->done = "suggest.known";
    else if (is_overtaken(&c, k)) {
        out->done = "suggest.overtaken";
        out->text = (struct str){NULL, 0};
    }
    return RC_OK;
}

const char *suggestion_reply(struct arena *a, const struct lang *lang, const struct suggestion *s,
    const struct suggestion_look *l, bool keep)
{
    const struct suggestion_kind *k = suggestion_kind_of(s->kind);
    struct str text = keep && l->to.s ? l->to : l->text;
    AUTO_STRBUF quote;
    strbuf_init(&quote, MARKDOWN_ADDED_MAX * text.len + 1);
    if (text.s)
        markdown_add_text(&quote, text);
    return arena_printf(
        a, "%s\n\n> %s", lang_text(lang, keep ? k->keep_reply : k->dismiss_reply), quote.len ? quote.s : "");
}
