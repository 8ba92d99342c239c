/*
 * Deletion and restoring: deleted entries are in the trash for [trash] days, then the helper erases them
 * (store/trash/trash.h). Every change adds a row to the audit trail.
 */
#ifndef ALFRED_APP_TRASH_TRASH_H
#define ALFRED_APP_TRASH_TRASH_H

#include "app/account/auth.h"
#include "app/config/config.h"
#include "base/clock.h"
#include "store/trash/trash.h"

/* Moves a session to the trash. RC_OK also when it is there already. */
enum rc trash_session(struct store *s, const struct config *c, int64_t owner, const char *session,
    const struct auth_client *from, struct err *e);
/* The same inside the caller's transaction. */
enum rc trash_session_in(
    struct db *db, int64_t owner, const char *session, const struct auth_client *from, struct err *e);

/* After sessions went to the trash by store_trash_mark(), in that transaction: lets the helper erase them
 * when their time is over, which is at once when [trash] days is 0. The caller then calls helper_notify(). */
enum rc trash_purge_soon(struct db *db, int64_t now, struct err *e);
/* After a session came back by store_trash_unmark(), in that transaction: plans its jobs, which were removed
 * when it went to the trash. The caller then calls helper_notify(). */
enum rc trash_restored_jobs(
    struct db *db, const struct config *c, int64_t owner, int64_t session_id, int64_t now, struct err *e);

/* Moves a message of a session to the trash, with all below it. For a part of an answer, the whole answer.
 * `entry` is its public id there. RC_CONFLICT, with a sentence, while one of them is being written. All of
 * them are moved or none: see trash_restore_broken(). */
enum rc trash_message(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, const struct auth_client *from, char entry[ID_SIZE], struct err *e);

/* RC_OK also for a session that was restored before. RC_GONE, with a sentence: the entry does not exist, or
 * not any more. */
enum rc trash_restore(struct store *s, const struct config *c, int64_t owner, const char *entry,
    const struct auth_client *from, struct trash_restored *out, struct err *e);
/* Restores all entries; `n` is their number. */
enum rc trash_restore_all(struct store *s, const struct config *c, int64_t owner,
    const struct auth_client *from, int64_t *n, struct err *e);

/* Restores the messages of long branches whose deletion, or return, was broken off with its program. */
enum rc trash_restore_broken(struct store *s, const struct config *c, struct err *e);

/* Erases an entry; NULL: all. RC_GONE as above. */
enum rc trash_erase(struct store *s, const struct config *c, int64_t owner, const char *entry,
    const struct auth_client *from, struct err *e);

/* A step of a mass job (app/jobs/mass.h): removes rows of erased entries, of all owners, for MASS_STEP_MS.
 * `more` is a bool: repeat it. */
enum rc trash_purge_tx(struct db *db, void *more, struct err *e);

/* The time at which the helper erases an entry. */
static inline int64_t trash_erased_at(const struct config *c, const struct trash_entry *t)
{
    return t->trashed_at + c->trash.days * MS_PER_DAY;
}

#endif
