#include "store/account/library.h"

#include "store/row.h"

#define COLUMNS "id, owner, shared, name, text, choice, coalesce(temperature, -1), tools"
/* Parameters: user, 1 for an admin. */
#define CHANGEABLE "(owner = ? OR (shared = 1 AND ? = 1))"

const char *library_kind_name(enum library_kind k)
{
    return k == LIBRARY_PERSONA ? "persona" : "prompt";
}

static struct library_entry read_entry(const struct rows *q, struct arena *a)
{
    return (struct library_entry){
        .id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .shared = rows_int(q, 2) != 0,
        .name = row_text(q, 3, a),
        .text = row_str(q, 4, a),
        .choice = row_text(q, 5, a),
        .temperature = (int)rows_int(q, 6),
        .tools = row_text(q, 7, a),
    };
}

DEFINE_ROWS(entry, struct library_entry, read_entry, "entry of the library")

enum rc store_library_list(struct db *db, struct arena *a, int64_t user_id, enum library_kind kind,
    struct library_entry **out, size_t *n, struct err *e)
{
    return list_entry(db, a,
        "SELECT " COLUMNS " FROM library WHERE kind = ? AND (owner = ? OR shared = 1) "
        "ORDER BY name COLLATE numeric, id LIMIT ?",
        ARGS(v_text(library_kind_name(kind)), v_int(user_id), v_int(2 * LIBRARY_ENTRIES_MAX)), out, n, e);
}

enum rc store_library_own(struct db *db, struct arena *a, int64_t user_id, enum library_kind kind,
    struct library_entry **out, size_t *n, struct err *e)
{
    return list_entry(db, a,
        "SELECT " COLUMNS " FROM library WHERE owner = ? AND kind = ? ORDER BY name COLLATE numeric",
        ARGS(v_int(user_id), v_text(library_kind_name(kind))), out, n, e);
}

enum rc store_library_get(struct db *db, struct arena *a, int64_t user_id, enum library_kind kind, int64_t id,
    struct library_entry *out, struct err *e)
{
    return get_entry(db, a,
        "SELECT " COLUMNS " FROM library WHERE id = ? AND kind = ? AND (owner = ? OR shared = 1)",
        ARGS(v_int(id), v_text(library_kind_name(kind)), v_int(user_id)), out, e);
}

static struct db_value v_temperature(const struct library_entry *x)
{
    return x->temperature == TEMPERATURE_NONE ? v_null() : v_int(x->temperature);
}

enum rc store_library_add(
    struct db *db, enum library_kind kind, const struct library_entry *x, int64_t *id, struct err *e)
{
    int64_t have;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM library WHERE owner = ? AND kind = ?",
        ARGS(v_int(x->owner), v_text(library_kind_name(kind))), &have, e);
    if (rc == RC_OK && have >= LIBRARY_ENTRIES_MAX)
        return err_set(
            e, RC_TOO_BIG, "user %lld has %lld entries already", (long long)x->owner, (long long)have);
    if (rc != RC_OK)
        return rc;
    return db_one_int(db,
        "INSERT INTO library (owner, kind, shared, name, text, choice, temperature, tools) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        ARGS(v_int(x->owner), v_text(library_kind_name(kind)), v_int(x->shared), v_text(x->name),
            v_str(x->text), v_text(x->choice), v_temperature(x), v_text(x->tools)),
        id, e);
}

enum rc store_library_change(struct db *db, struct library_reader who, enum library_kind kind,
    const struct library_entry *x, struct err *e)
{
    return row_change(db, "entry of the library",
        "UPDATE library SET shared = ?, name = ?, text = ?, choice = ?, temperature = ?, tools = ? "
        "WHERE id = ? AND kind = ? AND " CHANGEABLE,
        ARGS(v_int(x->shared), v_text(x->name), v_str(x->text), v_text(x->choice), v_temperature(x),
            v_text(x->tools), v_int(x->id), v_text(library_kind_name(kind)), v_int(who.user_id),
            v_int(who.admin)),
        e);
}

enum rc store_library_leave_some(
    struct db *db, struct library_reader who, int64_t persona, int most, bool *more, struct err *e)
{
    int64_t left = 0;
    enum rc rc = db_exec(db,
        "UPDATE session SET persona_id = NULL WHERE id IN (SELECT s.id FROM session s WHERE s.persona_id = "
        "(SELECT id FROM library WHERE id = ? AND " CHANGEABLE ") LIMIT ?)",
        ARGS(v_int(persona), v_int(who.user_id), v_int(who.admin), v_int(most)), &left, e);
    *more = rc == RC_OK && left == most;
    return rc;
}

enum rc store_library_delete(
    struct db *db, struct library_reader who, enum library_kind kind, int64_t id, struct err *e)
{
    return row_change(db, "entry of the library",
        "DELETE FROM library WHERE id = ? AND kind = ? AND " CHANGEABLE,
        ARGS(v_int(id), v_text(library_kind_name(kind)), v_int(who.user_id), v_int(who.admin)), e);
}
