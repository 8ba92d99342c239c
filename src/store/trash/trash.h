/*
 * The trash: sessions, and messages with all below them, that their user deleted and can restore.
 *
 * A session in the trash belongs to user 0 (USER_NOBODY). As every query names the owner, no list, search,
 * tool or export finds it. Messages in the trash are moved to a hidden session of user 0, with the summaries
 * and compactions that quote them. So no query outside of this folder has a condition about the trash, except
 * those that start from the id of a message or a fact. Neither the text index nor a search in the vectors has
 * them. Running turns end by themselves: their rows find their session by its number.
 *
 * An entry's public id is that of its session: for messages, of the hidden one.
 *
 * The messages of a long session leave the indexes of words and vectors in steps, the newest first, after the
 * entry is hidden. Meanwhile a search may find them, but does not show them: their session is not the
 * user's. trash.indexed_to is the last message that is still indexed, for an entry that is restored or erased
 * between the steps.
 *
 * A long branch of messages is moved to the trash, and back, in parts (trash_steps.c). Its messages leave the
 * indexes as they are moved, and return to the indexes before they are moved back. If a program ends in
 * between, the helper puts all of them back (app/trash).
 *
 * An erased entry is gone for the user at once. store_trash_purge() removes its rows in steps.
 */
#ifndef ALFRED_STORE_TRASH_TRASH_H
#define ALFRED_STORE_TRASH_TRASH_H

#include "base/clock.h"
#include "base/id.h"
#include "store/store.h"

#define TRASH_PAGE_MAX    200
#define TRASH_WORDS_CHARS 200 /* of the first message */
#define TRASH_QUERY_WORDS 8
#define TRASH_STEP        200        /* messages that leave or enter the indexes in one transaction */
#define TRASH_PART        100        /* messages that are moved in one transaction */
#define TRASH_QUERY_MAX   800        /* bytes of the words of a search */
#define TRASH_BROKEN_MS   MS_PER_MIN /* after its last part a deletion counts as broken off */

struct trash_entry {
    int64_t session_id; /* the one that has the messages now */
    const char *pub;
    const char *title; /* of the session, or of the one that the messages were in; NULL: none */
    int64_t messages;  /* of the user and of models */
    int64_t trashed_at;
    int64_t message_id;   /* the first of the messages; 0: the entry is a session */
    const char *from_pub; /* messages: the session that they were in; else NULL */
    bool from_trashed;    /* it is in the trash, too */
    bool asked;           /* messages: the first is the user's */
    const char *words;    /* messages: the beginning of the first; else NULL */
};

struct trash_key {
    int64_t trashed_at, session_id; /* 0, 0: from the newest */
};

struct trash_query {
    struct str words; /* empty: all entries */
    struct trash_key after;
    int limit; /* at most TRASH_PAGE_MAX */
};

/* Moves a session to the trash. A temporary chat is erased at once. RC_OK also when it is there already.
 * RC_NOT_FOUND. */
enum rc store_trash_session(struct db *db, int64_t owner, const char *pub, int64_t now, struct err *e);
/* The same for many sessions in one transaction: it marks one, and the caller then calls
 * store_trash_unindex() for those that are indexed. FTS5 writes a segment before each statement that
 * may have to be undone alone, so the sessions' messages leave the index together. */
enum rc store_trash_mark(
    struct db *db, int64_t owner, int64_t session_id, int64_t now, bool *indexed, struct err *e);
/* The first step for a new entry: removes `most` of its messages from the text index. The helper does the
 * other steps. */
enum rc store_trash_unindex(struct db *db, int64_t session_id, int most, struct err *e);
/* A later step, for any entry, to be repeated while there is `more`. */
enum rc store_trash_unindex_step(struct db *db, bool *more, struct err *e);
/* Reverses store_trash_mark() or store_trash_session(). The caller then calls message_index_add_session()
 * with `*indexed_to`. RC_NOT_FOUND: the session is no entry of the trash. */
enum rc store_trash_unmark(
    struct db *db, int64_t owner, int64_t session_id, int64_t *indexed_to, struct err *e);
/* Moves a message and all below it. `pub` is the new entry's public id; it may be one that an earlier part of
 * the same deletion has begun. RC_CONFLICT, with a sentence, while one of them is running. */
enum rc store_trash_message(struct db *db, int64_t owner, int64_t session_id, int64_t message_id,
    const char *pub, int64_t now, struct err *e);
struct trash_part {
    int64_t owner, session_id;
    int64_t message_id; /* moved with all below it */
    int64_t whole_id;   /* the message whose deletion this is a part of */
    const char *pub;    /* as above */
    int64_t now;
};
/* The same for a part of the deletion of `whole_id`, which follows with store_trash_message(). Plans a
 * JOB_PURGE_TRASH for the case that it does not. */
enum rc store_trash_part(struct db *db, const struct trash_part *p, struct err *e);

/* The parts of such a deletion (trash_steps.c), in their order: messages that have about TRASH_PART messages
 * below them at most, when the earlier parts are gone. The last one is the message itself. None: it is not in
 * the session. */
enum rc store_trash_parts(struct db *db, struct arena *a, int64_t session_id, int64_t message_id,
    int64_t **parts, size_t *n, struct err *e);

/* An entry that has parts of a deletion, or of a return, whose program has ended. The message itself is in
 * the session. */
struct trash_broken {
    int64_t owner;
    const char *pub;
};
/* A deletion of this message; its next part may go on with its `pub`. RC_NOT_FOUND. */
enum rc store_trash_broken_of(struct db *db, struct arena *a, int64_t owner, int64_t message_id,
    struct trash_broken *out, struct err *e);
/* All whose last part was moved before a time, of all owners. */
enum rc store_trash_broken_before(
    struct db *db, struct arena *a, int64_t before, struct trash_broken **out, size_t *n, struct err *e);

/* ---- reading (trash_list.c) ---- */

/* The newest first. With words, only entries whose title or messages have each of the first TRASH_QUERY_WORDS
 * of them, also inside of a word. This reads the texts, because the text index has none of these messages,
 * and ignores the case of ASCII letters only. */
enum rc store_trash_list(struct db *db, struct arena *a, int64_t owner, const struct trash_query *q,
    struct trash_entry **out, size_t *n, struct err *e);
enum rc store_trash_count(struct db *db, int64_t owner, int64_t *n, struct err *e);
enum rc store_trash_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct trash_entry *out, struct err *e);
/* The entry that has a message. */
enum rc store_trash_of_message(struct db *db, struct arena *a, int64_t owner, int64_t message_id,
    struct trash_entry *out, struct err *e);

/* ---- restoring ---- */

struct trash_restored {
    int64_t session_id; /* the session that the user has again */
    int64_t message_id; /* the first message that came back; 0: the session */
    char pub[ID_SIZE];  /* of the session */
};

/* One step of the return of a long entry, so that no transaction is long; to be repeated while there is
 * `more`. The entry stays in the trash until store_trash_restore() or store_trash_unmark() does the rest.
 * Without these steps, or after some of them, they do all that is left. First the messages of the entry enter
 * the indexes. Then those of a session that the user has move back to it, unless store_trash_restore() must
 * restore another entry first. RC_NOT_FOUND as below. */
enum rc store_trash_return_step(struct db *db, int64_t owner, const char *pub, bool *more, struct err *e);
/* Puts an entry back where it was, and first the session and the messages above it when these are in the
 * trash, too. The session's head returns to its message if it was not moved since. RC_NOT_FOUND: it was
 * restored or erased already. */
enum rc store_trash_restore(
    struct db *db, int64_t owner, const char *pub, struct trash_restored *out, struct err *e);

/* ---- erasing (trash_erase.c) ---- */

/* Erases an entry, and all entries that could not be restored without it; NULL: all of the owner.
 * RC_NOT_FOUND: no such entry. */
enum rc store_trash_erase(struct db *db, int64_t owner, const char *pub, struct err *e);
/* One step in which entries of the owner are erased, the oldest first. To be repeated while there is `more`.
 */
enum rc store_trash_erase_some(struct db *db, int64_t owner, bool *more, struct err *e);
/* Erases at most `limit` entries that were moved to the trash before a time, of all owners. */
enum rc store_trash_sweep(struct db *db, int64_t before, int limit, int64_t *erased, struct err *e);
/* One step in which the messages of an erased entry leave the text index. `*more`: some may still be there.
 */
enum rc store_trash_unindex_erased(struct db *db, int64_t session_id, bool *more, struct err *e);
/* One step of the removal of erased entries, of one owner or of all (0). To be repeated, each time in a
 * transaction of its own, while there is `more`. */
enum rc store_trash_purge(struct db *db, int64_t owner, bool *more, struct err *e);

#endif
