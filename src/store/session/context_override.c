#include "store/session/context_override.h"

#include "base/strbuf.h"
#include "store/row.h"

#define IDS_TEXT_MAX ((size_t)CONTEXT_OVERRIDE_MEMORIES_MAX * 20)

enum rc store_context_override_put(struct db *db, int64_t owner, int64_t session_id,
    const struct context_override *p, int64_t now, struct err *e)
{
    AUTO_STRBUF ids;
    strbuf_init(&ids, IDS_TEXT_MAX);
    for (size_t i = 0; i < p->memories_n; i++)
        strbuf_addf(&ids, i ? " %lld" : "%lld", (long long)p->memories[i]);
    bool counts = p->recent != CONTEXT_OVERRIDE_RECENT_ALWAYS;
    return row_change(db, "session",
        "INSERT INTO context_preference (session_id, memories, first_id, last_id, recent, summaries, "
        "created_at) SELECT id, ?, ?, ?, CASE WHEN ? = 1 THEN ? END, ?, ? FROM session WHERE id = ? AND "
        "owner = ? "
        "ON CONFLICT (session_id) DO UPDATE SET memories = excluded.memories, first_id = excluded.first_id, "
        "last_id = excluded.last_id, recent = excluded.recent, summaries = excluded.summaries, "
        "created_at = excluded.created_at",
        ARGS(p->sets_memories ? v_str(strbuf_str(&ids)) : v_text(NULL), v_int(p->first_id), v_int(p->last_id),
            v_int(counts), v_int(p->recent), v_int(p->summaries), v_int(now), v_int(session_id),
            v_int(owner)),
        e);
}

static void read_ids(struct str text, struct context_override *p)
{
    while (text.len && p->memories_n < CONTEXT_OVERRIDE_MEMORIES_MAX) {
        struct str id = str_cut(&text, ' ');
        p->memories_n += str_to_int(id, 1, INT64_MAX, &p->memories[p->memories_n]);
    }
}

static struct context_override read_context_override(const struct rows *q, struct arena *a)
{
    struct context_override p = {
        .sets_memories = !rows_is_null(q, 0),
        .first_id = rows_int(q, 1),
        .last_id = rows_int(q, 2),
        .recent = rows_is_null(q, 3) ? CONTEXT_OVERRIDE_RECENT_ALWAYS : rows_int(q, 3),
        .summaries = rows_int(q, 4) != 0,
    };
    (void)a;
    read_ids(rows_str(q, 0), &p);
    return p;
}

DEFINE_ROWS(context_override, struct context_override, read_context_override, "context override")

enum rc store_context_override_get(
    struct db *db, int64_t owner, int64_t session_id, struct context_override *out, struct err *e)
{
    *out = (struct context_override){.recent = CONTEXT_OVERRIDE_RECENT_ALWAYS};
    return get_context_override(db, NULL,
        "SELECT p.memories, p.first_id, p.last_id, p.recent, p.summaries FROM context_preference p "
        "JOIN session s ON s.id = p.session_id WHERE s.id = ? AND s.owner = ?",
        ARGS(v_int(session_id), v_int(owner)), out, e);
}

enum rc store_context_override_drop(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    return db_exec(db,
        "DELETE FROM context_preference WHERE session_id = (SELECT id FROM session WHERE id = ? AND owner = "
        "?)",
        ARGS(v_int(session_id), v_int(owner)), NULL, e);
}
