#include "store/channel/outbox.h"

#include "base/said.h"
#include "store/row.h"

/* Columns of `outbox o JOIN channel_chat c`. The texts come last, so that a list can leave them out. */
#define META                                                                                             \
    "o.id, o.chat_id, o.post, o.part, o.turn_id, o.markup IS NOT NULL, o.buttons, o.edits, o.reply_to, " \
    "o.silent, o.as_plain, o.no_thread, o.size, o.state, o.attempts, o.run_at, o.since_at, o.error, "    \
    "o.created_at, coalesce(o.ended_at, 0), c.channel, c.chat, c.thread, c.grouped, "                    \
    "c.paused_at IS NOT NULL, c.owner, o.notice"
#define FROM_CHATS " FROM outbox o JOIN channel_chat c ON c.id = o.chat_id "
#define WHOLE      "SELECT " META ", o.markdown, o.markup, o.plain, o.file_name, o.file" FROM_CHATS
#define BARE       "SELECT " META ", '', '', '', o.file_name, NULL" FROM_CHATS
/* The first waiting row of a chat. */
#define FIRST_OF(chat)                                                                                    \
    "(SELECT h.id FROM outbox h WHERE h.chat_id = " chat " AND h.state IN ('ready', 'sending') ORDER BY " \
    "h.post, h.part LIMIT 1)"

static struct str row_blob(const struct rows *q, int col, struct arena *a)
{
    struct str s = rows_blob(q, col);
    return arena_str(a, s);
}

static struct outbox_row read_row(const struct rows *q, struct arena *a)
{
    return (struct outbox_row){
        .id = rows_int(q, 0),
        .chat_id = rows_int(q, 1),
        .post = rows_int(q, 2),
        .part = (int)rows_int(q, 3),
        .turn_id = rows_int(q, 4),
        .cut = rows_int(q, 5) != 0,
        .buttons = row_text(q, 6, a),
        .edits = row_text(q, 7, a),
        .reply_to = row_text(q, 8, a),
        .silent = rows_int(q, 9) != 0,
        .as_plain = rows_int(q, 10) != 0,
        .no_thread = rows_int(q, 11) != 0,
        .size = rows_int(q, 12),
        .state = row_text(q, 13, a),
        .attempts = (int)rows_int(q, 14),
        .run_at = rows_int(q, 15),
        .since_at = rows_int(q, 16),
        .error = row_text(q, 17, a),
        .created_at = rows_int(q, 18),
        .ended_at = rows_int(q, 19),
        .channel = row_text(q, 20, a),
        .chat = row_text(q, 21, a),
        .thread = row_text(q, 22, a),
        .grouped = rows_int(q, 23) != 0,
        .paused = rows_int(q, 24) != 0,
        .owner = rows_int(q, 25),
        .is_notice = rows_int(q, 26) != 0,
        .markdown = row_str(q, 27, a),
        .markup = row_str(q, 28, a),
        .plain = row_str(q, 29, a),
        .file_name = row_text(q, 30, a),
        .file = row_blob(q, 31, a),
    };
}

DEFINE_ROWS(outbox, struct outbox_row, read_row, "message to send")

enum rc store_outbox_add(struct db *db, const struct outbox_row *r, struct err *e)
{
    return db_exec(db,
        "INSERT INTO outbox (chat_id, post, turn_id, markdown, buttons, edits, reply_to, silent, size, "
        "run_at, since_at, created_at, file_name, file, notice) "
        "VALUES (?, (SELECT coalesce(max(post), 0) + 1 FROM outbox), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_int(r->chat_id), v_int(r->turn_id), v_str(r->markdown), v_text(r->buttons),
            v_text(r->edits ? r->edits : ""), v_text(r->reply_to), v_int(r->silent),
            v_int((int64_t)(r->file_name ? r->file.len : r->markdown.len)), v_int(r->created_at),
            v_int(r->created_at), v_int(r->created_at), v_text(r->file_name),
            r->file_name ? v_blob(r->file.s, r->file.len) : v_null(), v_int(r->is_notice)),
        NULL, e);
}

/* ---- delivery ---- */

enum rc store_outbox_heads(
    struct db *db, struct arena *a, const char *channel, struct outbox_row **out, size_t *n, struct err *e)
{
    return list_outbox(db, a,
        BARE "WHERE o.state IN ('ready', 'sending') AND c.channel = ? AND c.paused_at IS NULL "
             "AND o.id = " FIRST_OF("o.chat_id") " ORDER BY o.post, o.part",
        ARGS(v_text(channel)), out, n, e);
}

enum rc store_outbox_head(
    struct db *db, struct arena *a, int64_t chat_id, struct outbox_row *out, struct err *e)
{
    return get_outbox(
        db, a, WHOLE "WHERE c.paused_at IS NULL AND o.id = " FIRST_OF("?"), ARGS(v_int(chat_id)), out, e);
}

static enum rc add_part(
    struct db *db, const struct outbox_row *post, const struct outbox_row *p, int part, struct err *e)
{
    return db_exec(db,
        "INSERT INTO outbox (chat_id, post, part, turn_id, markup, plain, buttons, edits, reply_to, silent, "
        "size, run_at, since_at, created_at, file_name, file) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?)",
        ARGS(v_int(post->chat_id), v_int(post->post), v_int(part), v_int(post->turn_id), v_str(p->markup),
            v_str(p->plain), v_text(p->buttons), v_text(p->edits ? p->edits : ""), v_text(p->reply_to),
            v_int(post->silent), v_int((int64_t)(p->file_name ? p->file.len : p->plain.len)),
            v_int(post->run_at), v_int(post->since_at), v_int(post->created_at), v_text(p->file_name),
            p->file_name ? v_blob(p->file.s, p->file.len) : v_null()),
        NULL, e);
}

enum rc store_outbox_cut(
    struct db *db, const struct outbox_row *post, const struct outbox_row *parts, size_t n, struct err *e)
{
    const struct outbox_row *p = parts;
    enum rc rc = row_change(db, "post",
        "UPDATE outbox SET markdown = '', markup = ?, plain = ?, buttons = ?, edits = ?, reply_to = ?, "
        "size = ? WHERE id = ? AND state = 'ready' AND markup IS NULL",
        ARGS(v_str(p->markup), v_str(p->plain), v_text(p->buttons), v_text(p->edits ? p->edits : ""),
            v_text(p->reply_to), v_int((int64_t)(post->file_name ? post->file.len : p->plain.len)),
            v_int(post->id)),
        e);
    for (size_t i = 1; rc == RC_OK && i < n; i++)
        rc = add_part(db, post, &parts[i], (int)i, e);
    return rc;
}

enum rc store_outbox_begin(struct db *db, int64_t id, struct err *e)
{
    return row_change(db, "message to send",
        "UPDATE outbox SET state = 'sending', attempts = attempts + 1 WHERE id = ? AND state = 'ready'",
        ARGS(v_int(id)), e);
}

#define ERASED "markdown = '', markup = '', plain = '', file = NULL, buttons = NULL"

enum rc store_outbox_sent(struct db *db, int64_t id, const char *sent_id, int64_t now, struct err *e)
{
    return row_change(db, "message being sent",
        "UPDATE outbox SET state = 'sent', " ERASED ", sent_id = ?, error = NULL, ended_at = ? "
        "WHERE id = ? AND state = 'sending'",
        ARGS(v_text(sent_id), v_int(now), v_int(id)), e);
}

enum rc store_outbox_again(struct db *db, const struct outbox_row *r, struct err *e)
{
    return row_change(db, "message being sent",
        "UPDATE outbox SET state = 'ready', run_at = ?, edits = ?, as_plain = ?, no_thread = ?, "
        "attempts = ?, error = ? WHERE id = ? AND state = 'sending'",
        ARGS(v_int(r->run_at), v_text(r->edits), v_int(r->as_plain), v_int(r->no_thread), v_int(r->attempts),
            v_text(r->error), v_int(r->id)),
        e);
}

enum rc store_outbox_end(
    struct db *db, int64_t id, const char *state, const char *error, int64_t now, struct err *e)
{
    return row_change(db, "message being sent",
        "UPDATE outbox SET state = ?, error = ?, ended_at = ? WHERE id = ? AND state = 'sending'",
        ARGS(v_text(state), v_text(error), v_int(now), v_int(id)), e);
}

/* Needed only where both ids have a row of channel_chat. Where only the old one has,
 * store_channel_chat_move() changes the id in that row, and the messages follow it. */
enum rc store_outbox_move(struct db *db, const char *channel, const char *from, const char *to, struct err *e)
{
    return db_exec(db,
        "UPDATE outbox SET chat_id = n.id FROM channel_chat o, channel_chat n WHERE o.id = outbox.chat_id "
        "AND outbox.state IN ('ready', 'sending') AND o.channel = ?1 AND o.chat = ?2 AND n.channel = ?1 "
        "AND n.chat = ?3 AND n.thread = o.thread AND n.owner = o.owner",
        ARGS(v_text(channel), v_text(from), v_text(to)), NULL, e);
}

enum rc store_outbox_recover(struct db *db, struct err *e)
{
    return db_exec(
        db, "UPDATE outbox SET state = 'ready' WHERE state = 'sending' AND edits <> ''", NO_ARGS, NULL, e);
}

enum rc store_outbox_notice_waits(struct db *db, int64_t chat_id, bool *waits, struct err *e)
{
    struct rows q;
    enum rc rc = db_query(db, &q,
        "SELECT 1 FROM outbox WHERE chat_id = ? AND state IN ('ready', 'sending') AND notice = 1",
        ARGS(v_int(chat_id)), e);
    *waits = rc == RC_OK && rows_next(&q);
    return rows_done(&q, rc, e);
}

/* ---- admins ---- */

enum rc store_outbox_list(struct db *db, struct arena *a, const char *state, int limit,
    struct outbox_row **out, size_t *n, struct err *e)
{
    return list_outbox(db, a,
        BARE "WHERE o.state = ? ORDER BY o.ended_at DESC, CASE WHEN o.ended_at IS NULL THEN o.post END, "
             "o.part, o.id DESC LIMIT ?",
        ARGS(v_text(state), v_int(limit)), out, n, e);
}

enum rc store_outbox_counts(struct db *db, struct outbox_counts *out, struct err *e)
{
    struct rows q;
    *out = (struct outbox_counts){0};
    enum rc rc = db_query(db, &q,
        "SELECT count(*) FILTER (WHERE state = 'ready'), count(*) FILTER (WHERE state = 'sending'), "
        "count(*) FILTER (WHERE state = 'sent'), count(*) FILTER (WHERE state = 'failed'), "
        "count(*) FILTER (WHERE state = 'doubtful') FROM outbox",
        NO_ARGS, e);
    if (rc == RC_OK && rows_next(&q))
        *out = (struct outbox_counts){
            rows_int(&q, 0), rows_int(&q, 1), rows_int(&q, 2), rows_int(&q, 3), rows_int(&q, 4)};
    return rows_done(&q, rc, e);
}

enum rc store_outbox_retry(struct db *db, int64_t id, int64_t now, struct err *e)
{
    return row_change(db, "message that failed",
        "UPDATE outbox SET state = 'ready', attempts = 0, run_at = ?, since_at = ?, ended_at = NULL "
        "WHERE id = ? AND state IN ('failed', 'doubtful')",
        ARGS(v_int(now), v_int(now), v_int(id)), e);
}

enum rc store_outbox_drop(struct db *db, int64_t id, struct err *e)
{
    return row_change(
        db, "message", "DELETE FROM outbox WHERE id = ? AND state <> 'sending'", ARGS(v_int(id)), e);
}

enum rc store_outbox_replace(struct db *db, int64_t owner, const char *line, struct err *e)
{
    return db_exec(db,
        "DELETE FROM outbox WHERE state = 'ready' AND id IN (SELECT o.id FROM channel_chat c "
        "JOIN channel_button b ON b.chat_id = c.id AND b.line = ? "
        "JOIN outbox o ON o.chat_id = c.id AND o.state IN ('ready', 'sending') "
        "AND instr(o.buttons, b.token) > 0 WHERE c.owner = ?) "
        "AND NOT EXISTS (SELECT 1 FROM outbox other WHERE other.post = outbox.post AND other.part > 0)",
        ARGS(v_text(line), v_int(owner)), NULL, e);
}

enum rc store_outbox_give_up(struct db *db, int64_t now, struct err *e)
{
    char why[SAID_MAX] = "";
    said_add(why, "outbox.waited", SAID_ARGS(arg_int("n", OUTBOX_WAIT_DAYS)));
    return db_exec(db,
        "UPDATE outbox SET state = 'failed', error = ?, ended_at = ? WHERE state = 'ready' AND since_at < ?",
        ARGS(v_text(why), v_int(now), v_int(now - OUTBOX_WAIT_DAYS * MS_PER_DAY)), NULL, e);
}

enum rc store_outbox_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE state IN ('sent', 'failed', 'doubtful') "
        "AND ended_at < ? LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), removed, e);
}

enum rc store_outbox_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e)
{
    return db_exec(db, "UPDATE outbox SET run_at = run_at - ? WHERE state = 'ready' AND run_at > ?",
        ARGS(v_int(ms), v_int(now)), NULL, e);
}
