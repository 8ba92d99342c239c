/*
 * Transfers: exports and imports of users' data, as rows that pages show, and their special statements. `pub`
 * (xfr_...) is the public id and the name of the file in data/transfers.
 *
 * A waiting transfer has a job (kinds export, import) whose subject is its id.
 *
 * Every function names the owner, except those for the sweep.
 */
#ifndef ALFRED_STORE_TRANSFER_H
#define ALFRED_STORE_TRANSFER_H

#include "base/id.h"
#include "store/message/message.h"
#include "store/session/session.h"

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
    const char *format; /* "alfred", "zip", "chatgpt", "claude", "librechat", "openwebui"; "" while unknown */
    int64_t bytes;      /* size of the file */
    int64_t total;      /* conversations; 0: unknown */
    int64_t done;
    int64_t grown;             /* import: done ones that existed and got further messages */
    int64_t skipped;           /* import: done + skipped is the progress */
    int64_t known;             /* skipped ones that were imported before */
    int64_t changed;           /* skipped ones that were imported before and differ from their sessions */
    int64_t facts;             /* import: memories and tasks that were added */
    int64_t pictures_left_out; /* import: they did not fit [limits] user_pictures_bytes */
    int64_t paused; /* import: schedules that it paused (at created_at) and nobody has resumed; only read */
    /* import: start of the next slice */
    int64_t position; /* bytes of the uncompressed file */
    bool in_list;     /* between elements of a JSON list */
    int64_t counted;  /* conversations that the first pass has counted so far; negative: the pass has ended */
    int64_t loose_facts; /* facts outside of sessions that were stored or known */
    const char *error;
    bool reasoning;               /* export: with the reasoning of models */
    bool selected;                /* export: only the sessions of store_transfer_select() */
    int64_t created_at, ended_at; /* ended_at 0: not ended */
};

/* Adds a waiting transfer and sets t->id. */
enum rc store_transfer_add(struct db *db, struct transfer *t, struct err *e);
/* Adds a session to those of a selected export. RC_NOT_FOUND: not the owner's. */
enum rc store_transfer_select(
    struct db *db, int64_t owner, int64_t transfer_id, const char *session, struct err *e);
enum rc store_transfer_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct transfer *out, struct err *e);
enum rc store_transfer_by_id(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct transfer *out, struct err *e);
/* Newest first. */
enum rc store_transfer_list(struct db *db, struct arena *a, int64_t owner, int limit, struct transfer **out,
    size_t *n, struct err *e);
/* The number of waiting ones. */
enum rc store_transfer_waiting(struct db *db, int64_t owner, enum transfer_kind k, int64_t *n, struct err *e);
/* The number of finished exports, whose files exist. */
enum rc store_transfer_files(struct db *db, int64_t owner, int64_t *n, struct err *e);
/* Saves the members from format to facts, and the start of the next slice. RC_NOT_FOUND: deleted, or
 * ended. */
enum rc store_transfer_progress(struct db *db, const struct transfer *t, struct err *e);
/* Saves these and state, error, ended_at, and abandons its drafts. RC_NOT_FOUND as above. */
enum rc store_transfer_end(struct db *db, const struct transfer *t, struct err *e);
/* Deletes it with its job and drafts. The caller deletes the file. */
enum rc store_transfer_delete(struct db *db, int64_t owner, const char *pub, struct err *e);

/* Removes transfers of all users that ended before `before`, and older ones that never ended and have no
 * job. */
enum rc store_transfer_sweep(struct db *db, int64_t before, int64_t *removed, struct err *e);
/* Sets `needed` when a transfer needs the file: a waiting one, or an export. */
enum rc store_transfer_needs_file(struct db *db, const char *pub, bool *needed, struct err *e);

/* ---- reading by key, for exports ---- */

/* `transfer_id`: the sessions of that selection; 0: all. */
enum rc store_export_count(
    struct db *db, int64_t owner, int64_t transfer_id, int64_t *sessions, struct err *e);
/* The ids of sessions after `after`, ascending, at most `limit`. */
enum rc store_export_sessions(struct db *db, struct arena *a, int64_t owner, int64_t transfer_id,
    int64_t after, int limit, int64_t **out, size_t *n, struct err *e);
/* Messages of all branches after `after`, ascending by id: parents before children. */
enum rc store_export_messages(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t after, int limit, struct message **out, size_t *n, struct err *e);
/* The tree of all messages of a session, ascending by id. */
struct export_node {
    int64_t id, parent_id; /* 0: a root */
};
enum rc store_export_tree(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct export_node **out, size_t *n, struct err *e);
/* Values besides struct session: whether the user or the helper set the title, and the last messages that
 * its topic and its summary cover. */
struct export_session_more {
    const char *titled_by;
    int64_t topic_id, summarised_id;
    const char *persona; /* its name; NULL: none */
};
enum rc store_export_session_more(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct export_session_more *out, struct err *e);

/* The ids of facts from messages of a session (0: without a source message), ascending. */
enum export_facts { EXPORT_MEMORIES, EXPORT_TASKS, EXPORT_REMINDERS, EXPORT_FACTS_N };
enum rc store_export_facts(struct db *db, struct arena *a, enum export_facts which, int64_t owner,
    int64_t session_id, int64_t **out, size_t *n, struct err *e);

/* ---- writing, for imports ---- */

/* Sets `known` when this conversation was imported before and not deleted since. */
enum rc store_imported_known(struct db *db, int64_t owner, const char *outer_id, bool *known, struct err *e);
/* `messages`: how many the session got. */
enum rc store_imported_add(
    struct db *db, int64_t owner, const char *outer_id, int64_t session_id, int64_t messages, struct err *e);

/* A session that was imported. */
struct imported {
    int64_t session_id;
    int64_t messages; /* how many the imports gave it */
    int64_t present;  /* how many it has */
};
/* RC_NOT_FOUND: it was not imported, or is deleted. */
enum rc store_imported_get(
    struct db *db, struct arena *a, int64_t owner, const char *outer_id, struct imported *out, struct err *e);
/* Messages that were added to an imported session, and its values after that. */
struct imported_growth {
    int64_t session_id, messages;
    int64_t counted; /* of message_count */
    int64_t head_id; /* 0: unchanged */
    int64_t active_at, seen_at;
};
enum rc store_imported_grow(
    struct db *db, int64_t owner, const char *outer_id, const struct imported_growth *g, struct err *e);

/* Sets `free` when no session, of any owner, has this public id. */
enum rc store_import_pub_free(struct db *db, const char *pub, bool *free, struct err *e);
/* Call it after the messages were added: restores the values that adding them has changed, and sets the
 * message that the topic covers (`topic_id`, 0: none). Reads id, owner, title, provider, model, head_id,
 * message_count, created_at, active_at, seen_at, pinned, archived_at, archived_by_user, topic and keywords of
 * `s`. */
enum rc store_import_session(
    struct db *db, const struct session *s, const char *titled_by, int64_t topic_id, struct err *e);
/* Receives each fact of the owner, even a deleted one that the sweep has not removed. */
typedef void import_fact_fn(void *arg, struct str text, int64_t created_at, int64_t id);
enum rc store_import_each_fact(
    struct db *db, enum export_facts which, int64_t owner, import_fact_fn *fn, void *arg, struct err *e);
/* `*is`: the owner has such a fact with an id above `after`. */
enum rc store_import_fact_since(struct db *db, enum export_facts which, int64_t owner, int64_t after,
    struct str text, int64_t created_at, bool *is, struct err *e);
#endif
