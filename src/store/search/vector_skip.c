#include "store/search/vector_skip.h"

#include "store/search/vector_private.h"

static const char *const reasons[SKIP_REASONS] = {
    [SKIP_TOO_LONG] = "too_long",
    [SKIP_REFUSED] = "refused",
    [SKIP_NO_VECTOR] = "no_vector",
    [SKIP_EMPTY] = "empty",
};

enum rc store_vector_skip(struct db *db, struct vector_scope s, const struct vector_lack *row,
    enum vector_skip reason, struct err *e)
{
    if (row->id <= owner_first(s.owner) || row->id > owner_last(s.owner))
        return err_set(e, RC_NOT_FOUND, "the row of a skip mark is not the owner's");
    return vector_exec(db,
        "INSERT INTO embedding_skip (layer, id, model_id, reason) SELECT '{L}', m.id, {M}, ? FROM {P} m "
        "WHERE m.id = ? AND {X} = ? AND ({W}) "
        "ON CONFLICT (layer, id, model_id) DO UPDATE SET reason = excluded.reason",
        s, ARGS(v_text(reasons[reason]), v_int(row->id), v_str(row->text)), e);
}

enum rc vector_unskip(struct db *db, struct vector_scope s, int64_t id, struct err *e)
{
    return db_exec(db, "DELETE FROM embedding_skip WHERE layer = ? AND id = ? AND model_id = ?",
        ARGS(v_text(vector_layers[s.layer].word), v_int(id), v_int(s.model)), NULL, e);
}

enum rc store_vector_skip_counts(struct db *db, int64_t out[SKIP_REASONS], struct err *e)
{
    struct rows q;
    enum rc rc = db_query(db, &q,
        "SELECT reason, count(*) FROM embedding_skip WHERE reason IS NOT NULL "
        "AND model_id = (SELECT max(id) FROM embedding_model) GROUP BY reason",
        NO_ARGS, e);
    memset(out, 0, SKIP_REASONS * sizeof *out);
    while (rc == RC_OK && rows_next(&q))
        for (size_t i = 0; i < SKIP_REASONS; i++)
            if (str_is(rows_str(&q, 0), reasons[i]))
                out[i] = rows_int(&q, 1);
    return rows_done(&q, rc, e);
}

enum rc store_vector_skip_retry(struct db *db, struct err *e)
{
    enum rc rc = db_exec(db,
        "UPDATE embedding_model SET passage_bytes = 0, batch_texts = 0 "
        "WHERE id IN (SELECT model_id FROM embedding_skip)",
        NO_ARGS, NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE embedding_skip SET reason = NULL", NO_ARGS, NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE embedding_progress AS p SET done_to = min(p.done_to, first.id - 1) "
            "FROM (SELECT model_id, layer, id >> 32 AS owner, min(id) AS id FROM embedding_skip "
            "GROUP BY model_id, layer, id >> 32) AS first "
            "WHERE p.model_id = first.model_id AND p.layer = first.layer AND p.owner = first.owner",
            NO_ARGS, NULL, e);
    return rc;
}
