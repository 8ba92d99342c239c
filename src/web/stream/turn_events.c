#include "web/stream/turn_events.h"

#include <string.h>

#include "base/clock.h"
#include "codec/sse.h"
#include "web/chat/transcript.h"
#include "web/chat/message_view.h"

#define STEP_MESSAGES_MAX 64

static struct message_frame message_frame(
    const struct event_frame *f, struct arena *a, const char *session, const char *turn)
{
    return (struct message_frame){.arena = a,
        .session = session,
        .csrf = f->csrf,
        .turn = turn,
        .now = clock_wall_ms(),
        .providers = f->web->providers};
}

static enum rc put_article(const struct event_frame *f, const struct message_frame *mf, struct view *v,
    const char *key, const struct message *m, bool last, struct err *e)
{
    AUTO_STRBUF html;
    strbuf_init(&html, EVENT_MAX);
    enum rc rc = view_message_html(f->web, mf, m, last, &html, e);
    if (rc == RC_OK)
        view_html(v, key, (struct markup){str_of(arena_strndup(mf->arena, html.s, html.len))});
    return rc;
}

static enum rc finish(
    const char *event, const char *id, const struct view *v, struct strbuf *out, struct err *e)
{
    AUTO_STRBUF json;
    strbuf_init(&json, EVENT_MAX);
    view_json(v, &json);
    sse_write(out, event, id, strbuf_str(&json));
    return json.failed || out->failed ? err_set(e, RC_TOO_BIG, "event %s over %zu bytes", event, EVENT_MAX)
                                      : RC_OK;
}

static const char *id_text(struct arena *a, int64_t id)
{
    return arena_printf(a, "%lld", (long long)id);
}

static enum rc turn_view(const struct event_frame *f, struct db *db, struct arena *a,
    const struct turn_started *ids, struct view *v, struct err *e)
{
    struct message asked, reply;
    enum rc rc = message_placed(db, a, f->owner, ids->session_id, ids->asked_id, &asked, e);
    if (rc == RC_OK)
        rc = message_placed(db, a, f->owner, ids->session_id, ids->reply_id, &reply, e);
    if (rc != RC_OK)
        return rc;
    struct message_notes notes;
    struct message_frame mf = message_frame(f, a, ids->session, ids->turn);
    if ((rc = notes_read(db, a, f->owner, ids->session_id, mf.now, &reply, 1, &notes, e)) != RC_OK)
        return rc;
    mf.notes = &notes;
    view_text(v, "turn", ids->turn);
    view_text(v, "session", ids->session);
    view_text(v, "session_url", arena_printf(a, "/s/%s", ids->session));
    view_text(v, "asked", id_text(a, ids->asked_id));
    view_text(v, "reply", id_text(a, ids->reply_id));
    rc = put_article(f, &mf, v, "asked_html", &asked, false, e);
    return rc == RC_OK ? put_article(f, &mf, v, "reply_html", &reply, true, e) : rc;
}

enum rc event_turn(
    const struct event_frame *f, const struct turn_started *ids, struct strbuf *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    struct db *db = store_read(f->web->store);
    enum rc rc = turn_view(f, db, a, ids, v, e);
    store_read_done(f->web->store, db);
    return rc == RC_OK ? finish("turn", NULL, v, out, e) : rc;
}

static enum rc step_view(const struct event_frame *f, struct db *db, struct arena *a, const char *turn,
    const struct turn_step *s, struct view *v, struct err *e)
{
    struct turn_row row;
    struct session session;
    struct message *path;
    size_t n;
    enum rc rc = store_turn_get(db, a, f->owner, turn, &row, e);
    if (rc == RC_OK)
        rc = store_session_by_id(db, a, f->owner, row.session_id, &session, e);
    if (rc == RC_OK)
        rc = store_message_path(
            db, a, f->owner, row.session_id, s->reply_id, STEP_MESSAGES_MAX, &path, &n, NULL, e);
    if (rc != RC_OK)
        return rc;
    struct message_frame mf = message_frame(f, a, session.pub, turn);
    size_t at = 0;
    while (at < n && path[at].id != s->called_id)
        at++;
    if (n - at < 2)
        return err_set(
            e, RC_INTERNAL, "step of %s: message %lld is not on the path", turn, (long long)s->called_id);
    view_text(v, "m", id_text(a, s->called_id));
    rc = put_article(f, &mf, v, "html", &path[at], false, e);
    struct view *tools = view_list(v, "tool_html");
    for (size_t i = at + 1; rc == RC_OK && i + 1 < n; i++) {
        struct view *tool = view_item(tools);
        view_text(tool, "id", id_text(a, path[i].id));
        rc = put_article(f, &mf, tool, "html", &path[i], false, e);
    }
    view_text(v, "reply", id_text(a, s->reply_id));
    return rc == RC_OK ? put_article(f, &mf, v, "reply_html", &path[n - 1], true, e) : rc;
}

enum rc event_step(const struct event_frame *f, const char *turn, const struct turn_step *s,
    struct strbuf *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    struct db *db = store_read(f->web->store);
    enum rc rc = step_view(f, db, a, turn, s, v, e);
    store_read_done(f->web->store, db);
    return rc == RC_OK ? finish("step", arena_printf(a, "%lld.0", (long long)s->reply_id), v, out, e) : rc;
}

static enum rc end_view(const struct event_frame *f, struct db *db, struct arena *a, const char *turn,
    struct view *v, struct err *e)
{
    struct turn_row row;
    struct session session;
    struct message reply;
    enum rc rc = store_turn_get(db, a, f->owner, turn, &row, e);
    if (rc == RC_OK)
        rc = store_session_by_id(db, a, f->owner, row.session_id, &session, e);
    if (rc == RC_OK)
        rc = message_placed(db, a, f->owner, row.session_id, row.reply_id, &reply, e);
    if (rc == RC_OK && row.status == MESSAGE_RUNNING)
        return err_set(e, RC_CONFLICT, "turn %s has not ended", turn);
    if (rc != RC_OK)
        return rc;
    struct message_notes notes;
    struct message_frame mf = message_frame(f, a, session.pub, turn);
    if ((rc = notes_read(db, a, f->owner, row.session_id, mf.now, &reply, 1, &notes, e)) != RC_OK)
        return rc;
    mf.notes = &notes;
    view_text(v, "status", message_status_name(row.status));
    view_text(v, "m", id_text(a, row.reply_id));
    view_text(v, "error", reply.error);
    view_text(v, "asks", notes.confirm.pending.id ? id_text(a, notes.confirm.pending.message_id) : NULL);
    view_session(a, view_obj(v, "session"), &session, mf.now);
    return put_article(f, &mf, v, "html", &reply, session.head_id == reply.id, e);
}

enum rc event_end(const struct event_frame *f, const char *turn, struct strbuf *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    struct db *db = store_read(f->web->store);
    enum rc rc = end_view(f, db, a, turn, v, e);
    store_read_done(f->web->store, db);
    return rc == RC_OK ? finish("end", NULL, v, out, e) : rc;
}

void event_end_unsaved(int64_t reply_id, struct strbuf *out)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_text(v, "status", message_status_name(MESSAGE_FAILED));
    view_text(v, "m", id_text(a, reply_id));
    view_text(v, "error",
        "The answer could not be saved yet: the disk of this server is full or broken. Alfred keeps trying.");
    finish("end", NULL, v, out, NULL);
}

void event_think(struct strbuf *out)
{
    sse_write(out, "think", NULL, STR("{}"));
}

void event_retry(int wait_ms, struct strbuf *out)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_int(v, "wait_ms", wait_ms);
    view_text(v, "text", "The model is busy. Trying again in a moment.");
    finish("retry", NULL, v, out, NULL);
}

void event_blocks_add(struct strbuf *blocks, const struct live_block *b)
{
    strbuf_adds(blocks, blocks->len ? ",[" : "[");
    strbuf_addint(blocks, (long long)b->index);
    strbuf_addc(blocks, ',');
    strbuf_addint(blocks, (long long)b->keep);
    strbuf_addc(blocks, ',');
    json_add_string(blocks, b->html); /* escapes line breaks: the data stays one line */
    strbuf_addc(blocks, ']');
}

void event_blocks_end(int64_t reply_id, size_t from, struct str blocks, size_t text_pos, struct strbuf *out)
{
    strbuf_adds(out, "event: blocks\ndata: {\"m\":\"");
    strbuf_addint(out, reply_id);
    strbuf_addc(out, '"');
    if (from != BLOCKS_FROM_NONE)
        strbuf_addf(out, ",\"from\":%zu", from);
    strbuf_adds(out, ",\"b\":[");
    strbuf_addstr(out, blocks);
    strbuf_adds(out, "]}\nid: ");
    strbuf_addint(out, reply_id);
    strbuf_addc(out, '.');
    strbuf_addint(out, (long long)text_pos);
    strbuf_adds(out, "\n\n");
}
