/*
 * The audit trail: user, action, time and address. It is bounded. After AUDIT_WINDOW_ROWS rows of one user
 * and action within AUDIT_WINDOW_MS, further ones are counted in the newest of these rows (times, last_at),
 * so that many events of one action do not hide another. The sweep removes rows by age and number.
 */
#ifndef ALFRED_STORE_ACCOUNT_AUDIT_H
#define ALFRED_STORE_ACCOUNT_AUDIT_H

#include "base/clock.h"
#include "store/store.h"

#define AUDIT_WINDOW_MS   MS_PER_H
#define AUDIT_WINDOW_ROWS 120
#define AUDIT_ROWS_MAX    1000000 /* about 150 MB */

/* user_id 0: not signed in, or the command line. `detail` contains no secret and no message text. */
enum rc store_audit(struct db *db, int64_t at, int64_t user_id, const char *action, const char *detail,
    const char *address, struct err *e);

/* Removes at most `limit` of the oldest rows that are older than `before` or exceed `rows_max`. */
enum rc store_audit_sweep(
    struct db *db, int64_t before, int64_t rows_max, int limit, int64_t *removed, struct err *e);

#endif
