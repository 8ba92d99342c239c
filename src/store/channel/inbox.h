/*
 * The inbox: updates of channels, stored and committed before they are acknowledged (app/channel/inbox.h).
 * An update is identified by the channel's id, so a repeated update is stored once. The helper processes
 * them in the order of their ids; the effects of an update and its end are one transaction. Its body is then
 * erased. The row stays for INBOX_KEEP_MS, so that a duplicate is recognised.
 */
#ifndef ALFRED_STORE_CHANNEL_INBOX_H
#define ALFRED_STORE_CHANNEL_INBOX_H

#include "base/clock.h"
#include "store/store.h"

#define INBOX_KEEP_MS (3 * MS_PER_DAY) /* beyond the time for which a channel repeats an update */

struct inbox_row {
    int64_t id;
    const char *channel, *bot, *update_id;
    struct str body;
    int64_t received_at;
    int attempts; /* with the current one */
    bool begun;   /* a command that ran when the program ended, perhaps to its end */
};

/* `is_new` false: it is stored already. */
enum rc store_inbox_add(struct db *db, const char *channel, const char *bot, const char *update_id,
    struct str body, int64_t now, bool *is_new, struct err *e);
/* True when updates after `after` wait. */
enum rc store_inbox_any(struct db *db, int64_t after, bool *any, struct err *e);
/* The updates after `after` that wait, at most `limit`, oldest first; counts an attempt of each. */
enum rc store_inbox_claim(struct db *db, struct arena *a, int64_t after, int limit, struct inbox_row **out,
    size_t *n, struct err *e);
/* Records that a command is about to run. The record survives every crash that the effects of the command
 * survive. Call it in store_write_lazy(). */
enum rc store_inbox_begin(struct db *db, int64_t id, struct err *e);
/* Ends an update that waits, and erases its body. `error` NULL: none. RC_NOT_FOUND: it does not wait, so its
 * effects may not be stored again. */
enum rc store_inbox_done(struct db *db, int64_t id, const char *error, struct err *e);
/* Ends an update that cannot be processed, and erases its body. RC_NOT_FOUND as above. */
enum rc store_inbox_failed(struct db *db, int64_t id, const char *error, struct err *e);
/* Removes an update completely: its sender is linked to no user. */
enum rc store_inbox_forget(struct db *db, int64_t id, struct err *e);
/* Removes at most `limit` updates that ended and came before a time. */
enum rc store_inbox_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);

#endif
