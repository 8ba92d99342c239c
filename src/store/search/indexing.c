#include "store/search/indexing.h"

#include "store/row.h"

static struct indexing read_indexing(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct indexing){rows_int(q, 0), rows_int(q, 1)};
}

DEFINE_ROWS(indexing, struct indexing, read_indexing, "model that is being built")

enum rc store_indexing(struct db *db, int64_t owner, struct indexing *out, struct err *e)
{
    return get_indexing(db, NULL,
        "SELECT (SELECT coalesce(sum(p.done_to & ?), 0) FROM embedding_progress p "
        "WHERE p.model_id = m.id AND (? = 0 OR p.owner = ?)), "
        "(SELECT coalesce(sum(u.message_seq + u.summary_seq + u.memory_seq), 0) FROM user u "
        "WHERE ? = 0 OR u.id = ?) "
        "FROM embedding_model m WHERE m.state = 'building' ORDER BY m.id DESC LIMIT 1",
        ARGS(v_int(OWNER_SEQ_MAX), v_int(owner), v_int(owner), v_int(owner), v_int(owner)), out, e);
}
