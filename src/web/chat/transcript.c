#include "web/chat/transcript.h"

#include "app/turn/turnlog.h"
#include "base/log.h"
#include "codec/markdown/markdown.h"
#include "web/chat/message_resource.h"
#include "web/http/resource.h"
#include "web/http/web.h"

/* ---- versions of an answer ---- */

/* An answer that calls tools is several messages. Its versions are those of the first one; the others show
 * the same. */
static void take_place(struct message *to, const struct message *from)
{
    to->sibling = from->sibling;
    to->siblings = from->siblings;
    to->prev_sibling = from->prev_sibling;
    to->next_sibling = from->next_sibling;
}

static bool follows_a_tool(const struct message *path, size_t i)
{
    return i > 0 && path[i].role == ROLE_ASSISTANT && path[i - 1].role == ROLE_TOOL;
}

static void carry_places(struct message *path, size_t n)
{
    const struct message *first = NULL; /* NULL: it is above the beginning of the path */
    for (size_t i = 0; i < n; i++) {
        if (path[i].role == ROLE_USER)
            first = NULL;
        else if (path[i].role == ROLE_ASSISTANT && !follows_a_tool(path, i))
            first = &path[i];
        else if (path[i].role == ROLE_ASSISTANT && first)
            take_place(&path[i], first);
    }
}

enum rc message_placed(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t id,
    struct message *out, struct message *above, struct err *e)
{
    struct message pair[2] = {0}, *path;
    size_t n;
    enum rc rc = store_message_placed(db, a, owner, session_id, id, &pair[1], e);
    if (rc == RC_OK && pair[1].parent_id)
        rc = store_message_placed(db, a, owner, session_id, pair[1].parent_id, &pair[0], e);
    if (rc == RC_OK && follows_a_tool(pair, 1)) {
        rc = store_message_path(db, a,
            &(struct path_query){
                .owner = owner, .session_id = session_id, .head = id, .limit = TRANSCRIPT_STEPS},
            &path, &n, e);
        if (rc == RC_OK) {
            carry_places(path, n);
            pair[1] = path[n - 1];
        }
    }
    if (rc != RC_OK)
        return rc;
    *out = pair[1];
    if (above)
        *above = pair[0].id && pair[0].role == ROLE_USER ? pair[0] : (struct message){0};
    return RC_OK;
}

/* ---- reading ---- */

/* The text of a running answer is in its turn's log, not yet in the database. The text is only for this page,
 * so a log that was removed meanwhile or cannot be read is not an error. */
static void read_so_far(const struct req *r, const char *turn, struct message *messages, size_t n)
{
    struct message *m = n > 0 ? &messages[n - 1] : NULL;
    if (!turn || !m || m->status != MESSAGE_RUNNING)
        return;
    AUTO_STRBUF text;
    struct err e = ERR_INIT;
    strbuf_init(&text, TURNLOG_MAX);
    enum rc rc = turnlog_text(r->web->config->server.data_dir, turn, m->id, &text, &e);
    if (rc == RC_OK && text.len)
        m->text = arena_str(r->arena, strbuf_str(&text));
    else if (rc != RC_OK && rc != RC_NOT_FOUND)
        log_warn("turn %s: %s", turn, e.text);
}

static enum rc message_of_session(
    const struct req *r, struct db *db, int64_t session_id, int64_t id, struct message *out, struct err *e)
{
    enum rc rc = store_message_get(db, r->arena, r->who.user_id, id, out, e);
    if (rc == RC_OK && out->session_id != session_id)
        return err_set(e, RC_NOT_FOUND, "message %lld is of another session", (long long)id);
    return rc;
}

/* Sets t->leaf: the session's head if `at` is on its path, else the newest end below `at`. */
static enum rc find_leaf(const struct req *r, struct db *db, int64_t at, struct transcript *t, struct err *e)
{
    int64_t owner = r->who.user_id, session = t->session.id;
    struct message m;
    t->leaf = t->session.head_id;
    if (!at)
        return RC_OK;
    enum rc rc = message_of_session(r, db, session, at, &m, e);
    if (rc == RC_OK && t->leaf)
        rc = store_message_path_step(db, owner, session, t->leaf, at, 0, &at, NULL);
    else if (rc == RC_OK)
        rc = RC_NOT_FOUND;
    else
        return rc;
    return rc == RC_NOT_FOUND ? store_message_leaf(db, owner, at, &t->leaf, e) : rc;
}

/* The last message of the part. */
static enum rc find_end(const struct req *r, struct db *db, const struct transcript_part *part, int limit,
    const struct transcript *t, int64_t *end, struct err *e)
{
    struct message m;
    int64_t owner = r->who.user_id, session = t->session.id;
    *end = t->leaf;
    if (part->around)
        return store_message_path_step(db, owner, session, t->leaf, part->around, limit / 2, end, e);
    if (part->after)
        return store_message_path_step(db, owner, session, t->leaf, part->after, limit, end, e);
    if (!part->before)
        return RC_OK;
    *end = part->before;
    return message_of_session(r, db, session, part->before, &m, e);
}

static enum rc read_path(const struct req *r, struct db *db, const struct transcript_part *part,
    struct transcript *t, struct err *e)
{
    int64_t owner = r->who.user_id, session = t->session.id, end = 0;
    int limit = part->limit ? part->limit : TRANSCRIPT_STEPS;
    enum rc rc = find_leaf(r, db, part->at, t, e);
    if (rc == RC_OK)
        rc = find_end(r, db, part, limit, t, &end, e);
    if (rc != RC_OK || !end)
        return rc;
    struct path_query q = {.owner = owner, .session_id = session, .head = end};
    if (part->after && !part->around)
        q.below = part->after;
    else
        q.limit = limit;
    rc = store_message_path(db, r->arena, &q, &t->messages, &t->n, e);
    t->older = message_above_path(&q, t->messages, t->n);
    if (rc == RC_OK)
        carry_places(t->messages, t->n);
    t->newer = end != t->leaf ? end : 0;
    return rc;
}

/* Sets t->compared if the part ends in one of the two compared answers. The columns then replace it. */
static enum rc read_compared(const struct req *r, struct db *db, struct transcript *t, struct err *e)
{
    struct comparison_columns c;
    enum rc rc = comparison_read(db, r->arena, r->who.user_id, t->session.id, r->now, &c, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    for (int i = 0; i < COMPARISON_COLUMNS && !t->newer; i++)
        if (c.of[i].n && c.of[i].messages[c.of[i].n - 1].id == t->leaf)
            t->compared = c;
    while (t->compared.asked_id && t->above < t->n && t->messages[t->above].id <= c.asked_id)
        t->above++;
    return RC_OK;
}

/* Reads the turn before the messages. If the turn ends between the two, the page follows the ended turn and
 * gets its end. In the other order the page could have an incomplete answer and no turn to follow. */
static enum rc read_all(const struct req *r, struct db *db, const struct transcript_part *part,
    struct transcript *t, struct err *e)
{
    struct turn_row *turns;
    size_t turns_n;
    int64_t owner = r->who.user_id;
    enum rc rc = store_session_get(db, r->arena, owner, part->session, &t->session, e);
    if (rc != RC_OK)
        return rc;
    if ((rc = store_turns_running(db, r->arena, owner, t->session.id, &turns, &turns_n, e)) != RC_OK)
        return rc;
    t->turn = turns_n ? turns[0].pub : NULL;
    if ((rc = read_path(r, db, part, t, e)) != RC_OK)
        return rc;
    if ((rc = read_compared(r, db, t, e)) != RC_OK)
        return rc;
    rc = annotations_read(db, r->arena, owner, t->session.id, r->now, t->messages, t->n, &t->annotations, e);
    if (rc != RC_OK || t->n == 0)
        return rc;
    const struct message_range shown = {t->session.id, t->messages[0].parent_id, t->messages[t->n - 1].id};
    return store_compaction_between(db, r->arena, owner, shown, &t->compactions, &t->compactions_n, e);
}

enum rc transcript_read(
    const struct req *r, const struct transcript_part *part, struct transcript *out, struct err *e)
{
    *out = (struct transcript){0};
    struct db *db = store_read(r->web->store);
    enum rc rc = read_all(r, db, part, out, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        read_so_far(r, out->turn, out->messages, out->n);
    for (int i = 0; rc == RC_OK && i < COMPARISON_COLUMNS; i++)
        read_so_far(r, out->compared.of[i].turn, out->compared.of[i].messages, out->compared.of[i].n);
    return rc;
}

enum rc transcript_one(
    const struct req *r, const char *session, int64_t id, struct transcript *out, struct err *e)
{
    struct transcript_part part = {.session = session, .before = id, .limit = 1};
    return transcript_read(r, &part, out, e);
}

static struct message_frame frame_of(const struct req *r, const struct transcript *t)
{
    return (struct message_frame){.arena = r->arena,
        .locale = req_locale(r),
        .admin = r->who.role == USER_ADMIN,
        .session = t->session.pub,
        .csrf = r->csrf,
        .turn = t->turn,
        .leaf = t->leaf != t->session.head_id ? t->leaf : 0,
        .providers = r->web->providers,
        .html = r->web->html,
        .whole = req_int(r, F_WHOLE),
        .last_id = t->leaf,
        .annotations = &t->annotations,
        .compactions = t->compactions,
        .compactions_n = t->compactions_n};
}

/* The page opens at its end, so the last messages have their real height at once. The browser estimates the
 * height of all others until they come near (content-visibility in app.css). live.js has the same number. */
#define NEAR_END 3

void transcript_view(const struct req *r, const struct transcript *t, struct view *v)
{
    struct message_frame frame = frame_of(r, t);
    struct view *list = view_list(v, "messages");
    bool formulas = false;
    size_t n = t->compared.asked_id ? t->above : t->n;
    if (t->compared.asked_id)
        comparison_view(&frame, &t->compared, view_obj(v, "compared"));
    for (size_t i = 0; i < n; i++) {
        struct view *item = view_item(list);
        message_view(&frame, item, &t->messages[i]);
        view_bool(item, "near_end", !t->newer && i + NEAR_END >= n);
        formulas |= markdown_has_formula(view_as_str(view_get(item, STR("body_html"))));
    }
    view_bool(v, "formulas", formulas);
}

void transcript_resource(const struct req *r, const struct transcript *t, struct view *v)
{
    struct message_frame frame = frame_of(r, t);
    struct view *list = view_list(v, "messages");
    for (size_t i = 0; i < t->n; i++)
        message_resource(&frame, view_item(list), &t->messages[i]);
    view_id(r->arena, v, "older", t->older);
    view_id(r->arena, v, "newer", t->newer);
    comparison_resource(r->arena, v, &t->compared);
}

void transcript_message_resource(const struct req *r, const struct transcript *t, struct view *v)
{
    struct message_frame frame = frame_of(r, t);
    message_resource(&frame, view_obj(v, "message"), &t->messages[0]);
}
