/*
 * Sessions: narrow rows with counters, so that a list never touches a message's text. `pub` (ses_...) is the
 * public id. Lists and their filter are in session_filter.h.
 */
#ifndef ALFRED_STORE_SESSION_SESSION_H
#define ALFRED_STORE_SESSION_SESSION_H

#include "base/id.h"
#include "store/store.h"

#define SESSION_TITLE_CHARS_MAX 200
#define SESSION_PAGE_MAX        200
#define SESSION_ENDED           "chat.temporary_ended" /* the sentence of a temporary chat that has ended */

struct session {
    int64_t id, owner;
    const char *pub;
    const char *title;            /* NULL: none yet */
    bool named;                   /* by the helper or the user; else the title is the first question's */
    const char *provider, *model; /* NULL: default */
    const char *effort; /* of a model that reasons: "low", "medium", "high"; NULL: the provider's default */
    int64_t persona_id; /* 0: none (store/account/library.h) */
    int temperature;    /* in hundredths; TEMPERATURE_NONE: the persona's, else the provider's default */
    int64_t answer_tokens; /* limit of an answer; 0: that of the server */
    int64_t head_id;       /* 0: empty */
    int64_t message_count;
    int64_t running_turns;
    int64_t created_at, active_at, seen_at;
    bool pinned;                            /* never archived */
    int64_t archived_at;                    /* 0: active; the next message unarchives it */
    bool archived_by_user;                  /* it is not listed; false: archived because it was idle */
    const char *topic, *keywords;           /* one line each, keywords as "a, b, c"; NULL: none yet */
    const char *workspace;                  /* NULL: none (store/session/workspace.h) */
    const char *tags;                       /* NULL: none; for session_tag_next() (store/session/tag.h) */
    const char *channel;                    /* of its first message; NULL: it is empty */
    int64_t context_tokens, context_window; /* tokens of the next context, and of the window; 0: unknown */
    int64_t ends_at; /* a temporary chat's end (store/session/temporary.h), while no turn runs; 0: none */
    bool compacting; /* a compaction waits or runs */
    const char *compact_error; /* why the last one failed, as a sentence; NULL: it did not */
    int64_t sidebar_changes;   /* the owner's count when it was read; only set by store_session_sidebar() */
};

/* The place of a session in the lists: pinned sessions are first, archived ones have a list of their own. */
enum session_place {
    SESSION_PLACE_STAYS,
    SESSION_PIN, /* unarchives it */
    SESSION_UNPIN,
    SESSION_ARCHIVE, /* by its user; unpins it */
    SESSION_UNARCHIVE
};

struct session_key {
    bool pinned;
    int64_t at, id; /* of the order; 0, 0: from the first */
};

/* `pub`: a new public id (base/id.h). */
enum rc store_session_add(struct db *db, int64_t owner, const char *pub, const char *provider,
    const char *model, int64_t now, int64_t *id, struct err *e);
/* A session that begins with a question and the running turn that answers it. Both are added after it, with
 * turn_row.begins. */
struct session_beginning {
    int64_t owner;
    const char *pub, *provider, *model;
    const char *channel, *title; /* NULL: none */
    int64_t answer_id;           /* the session's head */
    int64_t now;
};
enum rc store_session_begin(struct db *db, const struct session_beginning *b, int64_t *id, struct err *e);
/* RC_NOT_FOUND, with a sentence, also for a temporary chat that has ended. */
enum rc store_session_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct session *out, struct err *e);
enum rc store_session_by_id(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct session *out, struct err *e);
/* SESSIONS_LISTED for the sidebar, with temporary chats. Only id, pub, title, running_turns, active_at,
 * seen_at, pinned, ends_at and sidebar_changes are read. */
enum rc store_session_sidebar(struct db *db, struct arena *a, int64_t owner, struct session_key after,
    int limit, struct session **out, size_t *n, struct err *e);
/* The number of a session. RC_NOT_FOUND: not the owner's. */
enum rc store_session_find(struct db *db, int64_t owner, struct str pub, int64_t *id, struct err *e);
/* The owner's sessions whose public id begins with `begin`, at most `limit`, also archived ones. */
enum rc store_session_beginning(struct db *db, struct arena *a, int64_t owner, const char *begin, int limit,
    struct session **out, size_t *n, struct err *e);
/* The public id of a session. RC_NOT_FOUND: not the owner's. */
enum rc store_session_pub(
    struct db *db, struct arena *a, int64_t owner, int64_t id, const char **pub, struct err *e);
/* Its title; NULL while it has none. */
enum rc store_session_title(
    struct db *db, struct arena *a, int64_t owner, int64_t id, const char **title, struct err *e);
/* The public ids of all sessions of a user, also those in the trash. */
enum rc store_session_pubs(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e);
/* Sets the user's title. */
enum rc store_session_rename(struct db *db, int64_t owner, const char *pub, const char *title, struct err *e);
/* Sets the helper's title, unless the user has set one. Does not change active_at. */
enum rc store_session_suggest_title(
    struct db *db, int64_t owner, int64_t id, const char *title, struct err *e);
enum rc store_session_set_model(
    struct db *db, int64_t owner, const char *pub, const char *provider, const char *model, struct err *e);
/* "low", "medium" or "high"; NULL: the provider's default. */
enum rc store_session_set_effort(
    struct db *db, int64_t owner, const char *pub, const char *effort, struct err *e);
/* `persona_id` 0: none. */
enum rc store_session_set_persona(
    struct db *db, int64_t owner, const char *pub, int64_t persona_id, struct err *e);
/* `temperature` TEMPERATURE_NONE (store/account/library.h): not set. */
enum rc store_session_set_temperature(
    struct db *db, int64_t owner, const char *pub, int temperature, struct err *e);
/* `tokens` 0: not set. */
enum rc store_session_set_answer_tokens(
    struct db *db, int64_t owner, const char *pub, int64_t tokens, struct err *e);
enum rc store_session_set_context(
    struct db *db, int64_t owner, int64_t id, int64_t tokens, int64_t window, struct err *e);
/* Changes the place of a session. A temporary chat stays where it is. `changed` (may be NULL): it was not
 * there already. */
enum rc store_session_set_place(struct db *db, int64_t owner, int64_t id, enum session_place place,
    int64_t now, bool *changed, struct err *e);
/* Archives at most `limit` sessions of all users that are not pinned and had no message since `before`. */
enum rc store_session_archive_idle(
    struct db *db, int64_t before, int64_t now, int limit, int64_t *archived, struct err *e);
enum rc store_session_seen(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
/* Whether a session was used or seen after `now`, because the clock was ahead. Reads all sessions. */
enum rc store_session_ahead(struct db *db, int64_t now, bool *any, struct err *e);
/* The clock was set back by `ms` (0: unknown) and shows `now`: no session was used or seen later, so that
 * those that are used now come before the others in lists, and their answers are new. */
enum rc store_session_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e);

#endif
