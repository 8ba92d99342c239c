/*
 * Transfers: exports and imports of users' data as rows that pages show, and the few statements that only
 * they need. `pub` (xfr_...) is the public id and the name of the file below data/transfers.
 *
 * A transfer that waits has a job (kinds export, import) whose subject is its id.
 *
 * Every function names the owner, but those for the sweep.
 */
#ifndef ALFRED_STORE_TRANSFER_H
#define ALFRED_STORE_TRANSFER_H

#include "base/id.h"
#include "store/message.h"
#include "store/session.h"

#define ID_TRANSFER        "xfr_"
#define TRANSFER_LIST_MAX  50
#define TRANSFER_OUTER_MAX 128 /* bytes of an outer id */

enum transfer_kind { TRANSFER_EXPORT, TRANSFER_IMPORT };
enum transfer_state { TRANSFER_WAITING, TRANSFER_DONE, TRANSFER_FAILED };
const char *transfer_kind_name(enum transfer_kind k);

struct transfer {
    int64_t id, owner;
    const char *pub;
    enum transfer_kind kind;
    enum transfer_state state;
    const char *format; /* "alfred", "chatgpt", "openwebui"; "" until it is known */
    int64_t bytes;      /* of the file */
    int64_t total;      /* conversations; 0: not known yet */
    int64_t done;
    int64_t skipped; /* import: done + skipped is how far it got */
    int64_t known;   /* of the skipped: they were here before */
    int64_t facts;   /* import: memories and tasks that were added */
    /* import: where the next slice begins to read */
    int64_t position;    /* bytes of the unpacked file */
    bool in_list;        /* it lies between elements of a JSON list */
    int64_t counted;     /* conversations that the first look has passed; below 0: it is over */
    int64_t loose_facts; /* facts without a session that were stored or known */
    const char *error;
    int64_t created_at, ended_at; /* ended_at 0: not yet */
};

/* Waiting; gives t->id. */
enum rc store_transfer_add(struct db *db, struct transfer *t, struct err *e);
enum rc store_transfer_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct transfer *out, struct err *e);
enum rc store_transfer_by_id(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct transfer *out, struct err *e);
/* Newest first. */
enum rc store_transfer_list(struct db *db, struct arena *a, int64_t owner, int limit, struct transfer **out,
    size_t *n, struct err *e);
/* How many wait. */
enum rc store_transfer_waiting(struct db *db, int64_t owner, enum transfer_kind k, int64_t *n, struct err *e);
/* How many exports are done, so that their files lie there. */
enum rc store_transfer_files(struct db *db, int64_t owner, int64_t *n, struct err *e);
/* Saves all from format to facts and where the next slice begins. RC_NOT_FOUND: deleted, or ended already. */
enum rc store_transfer_progress(struct db *db, const struct transfer *t, struct err *e);
/* Saves these and state, error, ended_at, for good; its drafts are abandoned. RC_NOT_FOUND as above. */
enum rc store_transfer_end(struct db *db, const struct transfer *t, struct err *e);
/* With its job and drafts. The file is the caller's. */
enum rc store_transfer_delete(struct db *db, int64_t owner, const char *pub, struct err *e);

/* Everybody's that ended before, and those that never ended, have no job any more and were made before. */
enum rc store_transfer_sweep(struct db *db, int64_t before, int64_t *removed, struct err *e);
/* Is there a transfer whose file has to be there: a waiting one, or an export? */
enum rc store_transfer_needs_file(struct db *db, const char *pub, bool *needed, struct err *e);

/* ---- reading by key, for exports ---- */

enum rc store_export_count(struct db *db, int64_t owner, int64_t *sessions, struct err *e);
/* The ids of sessions after `after`, ascending, at most `limit`. */
enum rc store_export_sessions(struct db *db, struct arena *a, int64_t owner, int64_t after, int limit,
    int64_t **out, size_t *n, struct err *e);
/* All branches' messages after `after`, ascending by id: parents before children. */
enum rc store_export_messages(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t after, int limit, struct message **out, size_t *n, struct err *e);
/* Values beyond struct session: titled by the user or the helper, and the last messages that its topic and
 * its summary cover. */
struct export_session_more {
    const char *titled_by;
    int64_t topic_id, summarised_id;
};
enum rc store_export_session_more(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct export_session_more *out, struct err *e);

/* The ids of what comes from messages of a session (0: from none), ascending. */
enum export_facts { EXPORT_MEMORIES, EXPORT_TASKS };
enum rc store_export_facts(struct db *db, struct arena *a, enum export_facts which, int64_t owner,
    int64_t session_id, int64_t **out, size_t *n, struct err *e);

/* ---- writing, for imports ---- */

/* Was this conversation imported before (and not deleted since)? */
enum rc store_imported_known(struct db *db, int64_t owner, const char *outer_id, bool *known, struct err *e);
enum rc store_imported_add(
    struct db *db, int64_t owner, const char *outer_id, int64_t session_id, struct err *e);

/* After its messages were added: everything that adding them has set, as it was where they come from, and
 * what the topic knows (`topic_id`, 0: nothing). `s` gives id, owner, title, provider, model, head_id,
 * message_count, created_at, active_at, seen_at, pinned, archived_at, topic and keywords. */
enum rc store_import_session(
    struct db *db, const struct session *s, const char *titled_by, int64_t topic_id, struct err *e);
/* Each fact of the owner, even one that was deleted and not swept yet. */
typedef void import_fact_fn(void *arg, struct str text, int64_t created_at);
enum rc store_import_each_fact(
    struct db *db, enum export_facts which, int64_t owner, import_fact_fn *fn, void *arg, struct err *e);
#endif
