/*
 * Suggestions: changes to a user's data that wait for the user's decision, and changes that were made and can
 * be undone. This file has the rows. app/suggestion/suggestion.h has the kinds and their actions.
 *
 * A suggestion is open until the user decides. Then it is done or dismissed. A done one may be undone. An
 * open one with `lapses_at` does not exist after that time. A tool's suggestion belongs to a session, and is
 * hidden until the answer that shows it has ended (store_suggestion_show()), unless it names that answer. The
 * helper's suggestions are facts that it found in the user's messages; they belong to no session.
 *
 * A suggestion is deleted with its source message and with the answer that shows it (foreign keys). An open
 * one is also deleted when its message is rewritten. session.facts_id is the last message of a session that
 * the helper has searched. It searches no message with an id up to user.facts_after.
 *
 * Every function names the owner; a foreign row and an absent one are the same RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_SESSION_SUGGESTION_H
#define ALFRED_STORE_SESSION_SUGGESTION_H

#include "store/message/message.h"

/* Open suggestions of one user. A further one replaces the oldest fact of the helper; without one, no more
 * are made. */
#define SUGGESTIONS_OPEN_MAX 50
/* The newest facts of one user, open or dismissed, that a new one is compared with. */
#define SUGGESTIONS_KNOWN_MAX 500
#define SUGGESTION_REMEMBER   "remember"  /* the kind of the helper's suggestions */
#define SUGGESTION_CALL_TOOL  "call_tool" /* a call of a tool that waits; it ends with its turn */

enum suggestion_state { SUGGESTION_OPEN, SUGGESTION_DONE, SUGGESTION_DISMISSED, SUGGESTION_UNDONE };
const char *suggestion_state_name(enum suggestion_state s);

struct suggestion {
    int64_t id;
    const char *kind;
    enum suggestion_state state;
    int64_t session_id, message_id, source_id; /* 0: none */
    const char *session;                       /* public id of its session, else of its source's; only read */
    int64_t subject;                           /* 0: none */
    struct str text;                           /* the text to store */
    const char *tags;                          /* NULL: none, or unchanged */
    const char *due;                           /* a day, or of a reminder its local start; NULL: none */
    const char *rule, *zone;                   /* of a reminder (store/reminder.h); NULL: none */
    bool permanent;
    struct str prior_text; /* .s NULL: none */
    const char *prior_tags;
    int64_t created_at;
    int64_t lapses_at;  /* 0: never */
    int64_t settled_at; /* 0: open */
    int64_t undo_until; /* 0: no limit */
};

/* The owner's suggestions that wait for a decision at `now`, newest first, of one kind (NULL: all), at most
 * `limit`. */
enum rc store_suggestion_list(struct db *db, struct arena *a, int64_t owner, const char *kind, int64_t now,
    int limit, struct suggestion **out, size_t *n, struct err *e);
/* The waiting suggestions of one session, oldest first. */
enum rc store_suggestion_of_session(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t now, struct suggestion **out, size_t *n, struct err *e);
/* The suggestions that the answers of the range show, in any state, oldest first, without lapsed ones. */
enum rc store_suggestion_shown(struct db *db, struct arena *a, int64_t owner, struct message_range range,
    int64_t now, struct suggestion **out, size_t *n, struct err *e);
/* The suggestions of a user's message that are done, oldest first. */
enum rc store_suggestion_of_source(struct db *db, struct arena *a, int64_t owner, int64_t source_id,
    struct suggestion **out, size_t *n, struct err *e);
/* In any state. RC_NOT_FOUND also for one that has lapsed or is hidden. */
enum rc store_suggestion_get(struct db *db, struct arena *a, int64_t owner, int64_t id, int64_t now,
    struct suggestion *out, struct err *e);
/* The number of the owner's open suggestions that never lapse. */
enum rc store_suggestion_open_count(struct db *db, int64_t owner, int64_t *n, struct err *e);
/* Deletes the oldest open fact of the helper. `n`: 1, or 0 if there is none. */
enum rc store_suggestion_drop_oldest(struct db *db, int64_t owner, int64_t *n, struct err *e);

/* ---- changes ---- */

/* Sets s->id. RC_NOT_FOUND: the session or the source is not the owner's. RC_CONFLICT: the fact is open or
 * was dismissed. */
enum rc store_suggestion_add(struct db *db, int64_t owner, struct suggestion *s, struct err *e);
/* Stores state, subject, text, prior_text, prior_tags, message_id, settled_at and undo_until of s->id.
 * RC_NOT_FOUND unless the row is in the state `from`, so that a decision takes effect once. */
enum rc store_suggestion_set_state(
    struct db *db, int64_t owner, const struct suggestion *s, enum suggestion_state from, struct err *e);
/* Sets the answer that shows the suggestions of its turn. If it was deleted meanwhile, they are deleted,
 * too, and so is a call of a tool that still waits. */
enum rc store_suggestion_show(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e);
/* Removes the open ones of its session that `s` replaces: those with its kind and subject, or, without a
 * subject, with its kind, text and time. */
enum rc store_suggestion_replace(struct db *db, int64_t owner, const struct suggestion *s, struct err *e);
/* Deletes all about the memory, also dismissed ones. */
enum rc store_suggestion_clear(struct db *db, int64_t owner, struct err *e);
/* Removes lapsed ones of all users, and the texts of changes that can no longer be undone. */
enum rc store_suggestion_sweep(struct db *db, int64_t now, struct err *e);

/* ---- facts that the helper finds ---- */

/* Makes room for it. Does nothing (RC_OK) when the text is known, or the source is not a message of this user
 * with the text `said`. */
enum rc store_suggestion_found(struct db *db, int64_t owner, struct str text, int64_t source_id,
    struct str said, int64_t now, struct err *e);
/* Facts that were suggested and not kept, the newest SUGGESTIONS_KNOWN_MAX. */
enum rc store_suggestion_known(
    struct db *db, struct arena *a, int64_t owner, struct str **out, size_t *n, struct err *e);

struct utterance {
    int64_t id;
    struct str text;
};
struct unread {
    struct utterance *said;
    size_t n;
    int64_t from; /* facts_id */
    bool more;    /* after these */
};
/* The session's messages of role user after facts_id that store_suggestion_skip() has not marked, oldest
 * first: at most `limit`, and as many as fit `bytes` of text, but at least one. */
enum rc store_suggestion_unread(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int limit,
    size_t bytes, struct unread *out, struct err *e);
/* Moves facts_id from `from` to `upto`. RC_CONFLICT: it was changed meanwhile. */
enum rc store_suggestion_advance(
    struct db *db, int64_t owner, int64_t session_id, int64_t from, int64_t upto, struct err *e);
/* A message was rewritten: removes its open suggestions and lets the helper search it again. */
enum rc store_suggestion_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e);
/* Marks all current messages of the owner as searched for good: in all sessions, also in those that are in
 * the trash, and also if a message is rewritten. One row for any number of sessions. */
enum rc store_suggestion_skip(struct db *db, int64_t owner, struct err *e);

#endif
