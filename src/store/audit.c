/* The audit trail: who did what, when and from where. Rows are only ever added. */
#include "store/user.h"

enum rc store_audit(struct db *db, int64_t at, int64_t user_id, const char *action, const char *detail,
    const char *address, struct err *e)
{
    return db_exec(db, "INSERT INTO audit (at, user_id, action, detail, address) VALUES (?, ?, ?, ?, ?)",
        ARGS(v_int(at), v_id(user_id), v_text(action), v_text(detail), v_text(address)), NULL, e);
}
