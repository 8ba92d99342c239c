/*
 * Suggestions: changes to what a user has stored that wait for the user's decision, and changes that were
 * made and can be undone. What a kind means, and how it is carried out, is app/suggestion/suggestion.h; here
 * are the rows.
 *
 * A suggestion is open until the user decides; then it is done or dismissed, and a done one may be undone.
 * One with `lapses_at` is not there any more from then on unless it was decided. One that a tool made belongs
 * to a session; it is hidden until the answer that shows it has ended (store_suggestion_show()). The helper's
 * are facts that it found in what the user said; they belong to no session.
 *
 * A suggestion goes with the message that it comes from and with the answer that shows it (foreign keys). An
 * open one also goes when its message is rewritten. session.facts_id is the last message of a session that
 * the helper looked through.
 *
 * Every function names the owner; a foreign row and an absent one are the same RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_SUGGESTION_H
#define ALFRED_STORE_SUGGESTION_H

#include "store/store.h"

#define SUGGESTIONS_OPEN_MAX 50 /* of one user: with so many open no more are made */
#define SUGGESTIONS_KNOWN_MAX \
    500 /* the newest facts of one user, open or dismissed, that a new one is compared with */
#define SUGGESTION_REMEMBER "remember" /* the kind that the helper makes */

enum suggestion_state { SUGGESTION_OPEN, SUGGESTION_DONE, SUGGESTION_DISMISSED, SUGGESTION_UNDONE };
const char *suggestion_state_name(enum suggestion_state s);

struct suggestion {
    int64_t id;
    const char *kind;
    enum suggestion_state state;
    int64_t session_id, message_id, source_id; /* 0: none */
    const char *session; /* public id of the session it was made in, else of its source's; only read */
    int64_t subject;     /* 0: none yet */
    struct str text;     /* what is to be stored */
    const char *tags;    /* NULL: none, or unchanged */
    const char *due;     /* NULL: none */
    bool permanent;
    struct str prior_text; /* .s NULL: none */
    const char *prior_tags;
    int64_t created_at;
    int64_t lapses_at;  /* 0: never */
    int64_t settled_at; /* 0: open */
    int64_t undo_until; /* 0: no limit */
};

/* Those that wait for a decision at `now`, newest first, of one kind (NULL: all), at most `limit`. */
enum rc store_suggestion_list(struct db *db, struct arena *a, int64_t owner, const char *kind, int64_t now,
    int limit, struct suggestion **out, size_t *n, struct err *e);
/* Those of one session, oldest first. */
enum rc store_suggestion_of_session(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t now, struct suggestion **out, size_t *n, struct err *e);
/* Those that answers of the session with ids from `first` to `last` show, in any state, oldest first; a
 * lapsed one is left out. */
enum rc store_suggestion_shown(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t first, int64_t last, int64_t now, struct suggestion **out, size_t *n, struct err *e);
/* Those that come from a message of the user's and are done, oldest first. */
enum rc store_suggestion_of_source(struct db *db, struct arena *a, int64_t owner, int64_t source_id,
    struct suggestion **out, size_t *n, struct err *e);
/* In any state; RC_NOT_FOUND also for one that has lapsed or is hidden. */
enum rc store_suggestion_get(struct db *db, struct arena *a, int64_t owner, int64_t id, int64_t now,
    struct suggestion *out, struct err *e);
/* How many of the owner are open and never lapse. */
enum rc store_suggestion_open_count(struct db *db, int64_t owner, int64_t *n, struct err *e);

/* ---- changes ---- */

/* Gives s->id. RC_NOT_FOUND when the session or the source is not the owner's; RC_CONFLICT for a fact that is
 * open or was dismissed. */
enum rc store_suggestion_add(struct db *db, int64_t owner, struct suggestion *s, struct err *e);
/* Writes state, subject, text, prior_text, prior_tags, message_id, settled_at and undo_until of s->id;
 * RC_NOT_FOUND unless the row is in the state `from`, so that a decision is carried out once. */
enum rc store_suggestion_settle(
    struct db *db, int64_t owner, const struct suggestion *s, enum suggestion_state from, struct err *e);
/* The answer that shows what the tools of its turn made. When it was deleted meanwhile, that goes as well. */
enum rc store_suggestion_show(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e);
/* Removes the open ones of a session that are of this kind and subject: a newer one takes their place. */
enum rc store_suggestion_replace(
    struct db *db, int64_t owner, int64_t session_id, const char *kind, int64_t subject, struct err *e);
/* All about the memory, dismissed ones too. */
enum rc store_suggestion_clear(struct db *db, int64_t owner, struct err *e);
/* Removes everybody's lapsed ones, and the texts of changes that cannot be undone any more. */
enum rc store_suggestion_sweep(struct db *db, int64_t now, struct err *e);

/* ---- facts that the helper finds ---- */

/* Nothing happens (RC_OK) when the text is known, SUGGESTIONS_OPEN_MAX are open, or the source is not a
 * message of this user's own that still reads `said`. */
enum rc store_suggestion_found(struct db *db, int64_t owner, struct str text, int64_t source_id,
    struct str said, int64_t now, struct err *e);
/* Facts that were suggested already and not kept, the newest SUGGESTIONS_KNOWN_MAX. */
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
    bool more;    /* behind these */
};
/* The session's messages of role user after facts_id, oldest first: at most `limit`, and as many as fit
 * `bytes` of text, but one at least. */
enum rc store_suggestion_unread(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int limit,
    size_t bytes, struct unread *out, struct err *e);
/* They are read up to `upto`, unless facts_id was moved from `from` meanwhile: then RC_CONFLICT. */
enum rc store_suggestion_advance(
    struct db *db, int64_t owner, int64_t session_id, int64_t from, int64_t upto, struct err *e);
/* A message was rewritten: its open suggestions go, and it is to be looked through again. */
enum rc store_suggestion_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e);
/* Marks all messages of the owner up to now as read, in all sessions. */
enum rc store_suggestion_skip(struct db *db, int64_t owner, struct err *e);

#endif
