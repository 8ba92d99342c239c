/*
 * Shared by the files of the import, which stores conversations.
 *
 *     file/import_file.c reads the bytes of a plain, gzip or zip file
 *     import.c           finds the values in these bytes and calls the other steps
 *     format/            converts a value into a struct import_conversation
 *     import_known.c     leaves out facts that are stored already
 *     import_save.c      stores a conversation in transactions
 *     import_extra.c     stores what a conversation has besides its messages
 *     import_grow.c      adds the new messages of a conversation that was imported before
 *     import_personal.c  stores settings, instructions, personas, prompts and tags of our format
 *     import_words.c     the result in words
 */
#ifndef ALFRED_APP_IMPORT_IMPORT_PRIVATE_H
#define ALFRED_APP_IMPORT_IMPORT_PRIVATE_H

#include "app/import/format/import_format.h"
#include "app/import/import.h"

#define IMPORT_CHANNEL "import" /* of every imported message */

/* ---- import_personal.c ---- */

/* Adds a RECORD_PERSONAL (import_personal.c), unless the user has one of its name. */
enum rc import_personal(struct store *s, int64_t owner, const json_t *v, struct err *e);

/* ---- import_known.c ---- */

struct import_known;
enum rc import_known_load(
    struct store *s, int64_t owner, int64_t now, struct import_known **out, struct err *e);
void import_known_free(struct import_known *k); /* NULL is fine */
/* True: the fact is new for the owner, has no duplicate, and there is room for it. It counts as known from
 * now on. Completes it for the store, in `a`. */
bool import_known_takes(struct import_known *k, struct arena *a, struct import_extra *x, int64_t now);
/* `*is`: another program has stored this fact since import_known_load(). For the transaction that stores it.
 */
enum rc import_known_since(struct db *db, const struct import_known *k, int64_t owner,
    const struct import_extra *x, bool *is, struct err *e);

/* ---- import_save.c ---- */

/* After import_tree(): fills in missing times, outer_id and digest. */
void import_prepare(struct import_conversation *c, int64_t now);
/* True when it was imported completely before, or is a session of the owner. */
enum rc import_is_whole(
    struct db *db, int64_t owner, struct import_conversation *c, bool *known, struct err *e);

struct import_save {
    struct transfer *t;            /* its counters change in the same transaction */
    struct import_conversation *c; /* prepared; NULL: only `facts` */
    struct import_extra *facts;    /* not in a session */
    size_t facts_n, facts_from;    /* the first facts_from were stored by earlier slices */
    const struct import_known *known;
    int64_t position; /* of `t` when all is stored */
    bool in_list;
    bool grows; /* import_news() has found messages to add to the session of `c` */
    int64_t now, write_ms;
    /* out */
    size_t facts_done;
    bool shown; /* the session has its owner; stays set in later slices */
    bool more;  /* call again, with facts_from = facts_done */
    int64_t until;
};
/* A store_fn: one slice. Counts c as done, or as known and skipped. After a failure the caller restores
 * `t`. */
enum rc import_save_tx(struct db *db, void *arg, struct err *e);

/* Shared with import_grow.c: stores the message that is at `k` of the order. The ids of those before it are
 * known. */
struct draft;
enum rc import_save_message(
    struct db *db, const struct import_save *s, size_t k, const struct draft *d, struct err *e);
/* The stored message of a key, or the nearest one above it; 0: none. `c` may be NULL. */
int64_t import_id_of(const struct import_conversation *c, const char *key);
/* The end of the shown branch, else the newest message. */
int64_t import_head(const struct import_conversation *c);
/* Plans the helper's work on the session. */
enum rc import_plan(struct db *db, const struct import_save *s, int64_t session, struct err *e);
bool import_time_is_up(const struct import_save *s);

/* ---- import_extra.c ---- */

/* `session` 0: not in a session. */
enum rc import_save_extra(
    struct db *db, const struct import_save *s, int64_t session, struct import_extra *x, struct err *e);

/* ---- import_grow.c ---- */

/* How a conversation in a file differs from the session of its earlier import. */
enum import_news {
    NEWS_NONE,    /* not more messages than were imported */
    NEWS_MORE,    /* the session's messages, unchanged, and further ones */
    NEWS_CHANGED, /* more messages, but those of the session are others */
};
/* After import_prepare(). Fills in the ids of the messages that the session has. */
enum rc import_news(
    struct db *db, int64_t owner, struct import_conversation *c, enum import_news *out, struct err *e);
/* A slice of import_save_tx() for NEWS_MORE. */
enum rc import_grow(struct db *db, struct import_save *s, struct err *e);

#endif
