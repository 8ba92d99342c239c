#include "store/session/discourse_focus.h"

#include "base/strbuf.h"
#include "store/row.h"

#define ID_TEXT_MAX 20 /* digits of an id and a blank */

static void read_ids(struct str text, int64_t last, struct focus_ids *out)
{
    *out = (struct focus_ids){.last = last};
    while (text.s && text.len && out->n < FOCUS_IDS_MAX)
        if (str_to_int(str_cut(&text, ' '), 1, INT64_MAX, &out->ids[out->n]))
            out->n++;
}

static void write_ids(struct strbuf *to, const struct focus_ids *from)
{
    strbuf_init(to, (size_t)FOCUS_IDS_MAX * ID_TEXT_MAX);
    for (size_t i = 0; i < from->n; i++)
        strbuf_addf(to, "%s%lld", i ? " " : "", (long long)from->ids[i]);
}

enum rc store_discourse_focus_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t since, struct discourse_focus *out, struct err *e)
{
    struct rows q;
    *out = (struct discourse_focus){.intent = ""};
    enum rc rc = db_query(db, &q,
        "SELECT w.intent, w.tasks, w.task, w.memories, w.memory FROM working w "
        "JOIN session s ON s.id = w.session_id WHERE w.session_id = ? AND s.owner = ? AND w.updated_at > ?",
        ARGS(v_int(session_id), v_int(owner), v_int(since)), e);
    if (rc == RC_OK && rows_next(&q)) {
        out->intent = row_text(&q, 0, a);
        read_ids(rows_str(&q, 1), rows_int(&q, 2), &out->tasks);
        read_ids(rows_str(&q, 3), rows_int(&q, 4), &out->memories);
    }
    return rows_done(&q, rc, e);
}

enum rc store_discourse_focus_put(struct db *db, int64_t owner, int64_t session_id,
    const struct discourse_focus *w, int64_t now, struct err *e)
{
    AUTO_STRBUF tasks;
    AUTO_STRBUF memories;
    write_ids(&tasks, &w->tasks);
    write_ids(&memories, &w->memories);
    return row_change(db, "session",
        "INSERT INTO working (session_id, intent, tasks, task, memories, memory, updated_at) "
        "SELECT id, ?, ?, ?, ?, ?, ? FROM session WHERE id = ? AND owner = ? "
        "ON CONFLICT (session_id) DO UPDATE SET intent = excluded.intent, tasks = excluded.tasks, "
        "task = excluded.task, memories = excluded.memories, memory = excluded.memory, "
        "updated_at = excluded.updated_at",
        ARGS(v_text(w->intent), v_str(strbuf_str(&tasks)), v_int(w->tasks.last), v_str(strbuf_str(&memories)),
            v_int(w->memories.last), v_int(now), v_int(session_id), v_int(owner)),
        e);
}

enum rc store_discourse_focus_sweep(struct db *db, int64_t before, struct err *e)
{
    return db_exec(db, "DELETE FROM working WHERE updated_at <= ?", ARGS(v_int(before)), NULL, e);
}
