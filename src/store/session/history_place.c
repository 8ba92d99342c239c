#include "store/session/history_place.h"

#include "store/row.h"

static struct history_place read_place(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct history_place){.session_id = rows_int(q, 0), .message_id = rows_int(q, 1)};
}

DEFINE_ROWS(place, struct history_place, read_place, "conversation")

enum rc store_history_place_find(
    struct db *db, int64_t owner, const char *key, struct history_place *out, struct err *e)
{
    return get_place(db, NULL, "SELECT session_id, message_id FROM history_place WHERE owner = ? AND key = ?",
        ARGS(v_int(owner), v_text(key)), out, e);
}

enum rc store_history_place_set(
    struct db *db, int64_t owner, const char *key, const struct history_place *p, struct err *e)
{
    return db_exec(db,
        "INSERT INTO history_place (owner, key, session_id, message_id) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (owner, key) DO UPDATE SET session_id = excluded.session_id, "
        "message_id = excluded.message_id",
        ARGS(v_int(owner), v_text(key), v_int(p->session_id), v_int(p->message_id)), NULL, e);
}
