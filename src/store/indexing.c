#include "store/indexing.h"

#include "store/row.h"

#define SEQ_MAX INT64_C(0xFFFFFFFF) /* n has 32 bits of an id */

enum rc store_indexing(struct db *db, int64_t owner, struct indexing *out, struct err *e)
{
    bool found = false;
    struct rows q;
    enum rc rc = db_query(db, &q,
        "SELECT (SELECT coalesce(sum(p.done_to & ?), 0) FROM embedding_progress p "
        "WHERE p.model_id = m.id AND (? = 0 OR p.owner = ?)), "
        "(SELECT coalesce(sum(u.message_seq + u.summary_seq + u.memory_seq), 0) FROM user u "
        "WHERE ? = 0 OR u.id = ?) "
        "FROM embedding_model m WHERE m.state = 'building' ORDER BY m.id DESC LIMIT 1",
        ARGS(v_int(SEQ_MAX), v_int(owner), v_int(owner), v_int(owner), v_int(owner)), e);
    if (rc == RC_OK && (found = rows_next(&q)))
        *out = (struct indexing){rows_int(&q, 0), rows_int(&q, 1)};
    rc = rows_done(&q, rc, e);
    return must_exist(rc, found, "model that is being built", e);
}
