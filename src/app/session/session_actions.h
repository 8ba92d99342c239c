/*
 * Actions of users on sessions: name, choose a model, pin, mark as read (session_actions.c), edit a message
 * (session_edit.c), request a summary or a compaction (session_summary.c), empty the context
 * (session_clear.c). Every function is one transaction for `owner`. A record of another owner is
 * RC_NOT_FOUND. Removals add an audit row.
 */
#ifndef ALFRED_APP_SESSION_SESSION_ACTIONS_H
#define ALFRED_APP_SESSION_SESSION_ACTIONS_H

#include "app/config/config.h"
#include "app/models/providers.h"
#include "store/message/message.h"
#include "store/session/session.h"

struct session_change {
    const char *title;                    /* NULL: unchanged */
    const struct provider_choice *choice; /* NULL: unchanged */
    enum session_place place;
    const char *effort;                                      /* NULL: unchanged; "": the provider's default */
    bool sets_persona, sets_temperature, sets_answer_tokens; /* the next three */
    int64_t persona_id;                                      /* 0: none */
    int temperature;                                         /* TEMPERATURE_NONE: not set */
    int64_t answer_tokens;                                   /* 0: not set */
    const char *workspace;         /* NULL: unchanged; blank: the session leaves its workspace */
    const char *tags;              /* all of them as "a, b" (tags.h); NULL: unchanged */
    const char *tag, *without_tag; /* one to add, one to remove; NULL: none */
    const struct config *keeps;    /* a temporary chat becomes an ordinary session: it is indexed, titled and
                                      summarised from now on. NULL: unchanged */
};

/* All or nothing. RC_BAD_INPUT: the title is empty or longer than SESSION_TITLE_CHARS_MAX, or
 * the name of a workspace or tag is refused. RC_CONFLICT: too many tags. */
enum rc session_change(
    struct store *s, int64_t owner, const char *session, const struct session_change *change, struct err *e);

/* Continues the session from the end of the branch through `message`. For an answer of the open comparison
 * (store/message/comparison.h) that is the choice, which closes it; RC_CONFLICT while one is being written.
 */
enum rc session_set_head(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, struct err *e);

/* Records that the owner has seen the session at `now`. Its waiting jobs, such as a title, count as wanted
 * from then on (store/job.h). */
enum rc session_seen(struct store *s, int64_t owner, const char *session, int64_t now, struct err *e);
/* The same for a request that reads the session (store_write_visit()). */
void session_visited(struct store *s, int64_t owner, const char *session, int64_t now);

struct message_edit {
    int64_t owner;
    const char *session; /* public id */
    int64_t message;
    struct str text;
    int64_t pasted_from; /* as in message_pasted_after_edit() */
};
/* Changes one of the owner's own messages in place, or adds a version of an answer with this text. `out`: the
 * id of the message with the text. RC_BAD_INPUT: the text is empty and the message has no pictures, or the
 * message is neither. RC_TOO_BIG: over [limits] message_bytes. RC_CONFLICT while a turn runs. */
enum rc session_edit_text(
    struct store *s, const struct config *c, const struct message_edit *edit, int64_t *out, struct err *e);

struct session_edit {
    int64_t owner, session_id, message; /* a message of the user */
    struct str text;
    int64_t pasted_from, now;
};
/* Changes a user's message in the transaction of the caller, who then calls helper_notify(). What was made
 * from the old text is removed: compactions, summaries and vectors. Failures: those of
 * store_message_set_text(). */
enum rc session_edit_in(
    struct db *db, const struct config *c, const struct session_edit *edit, struct err *e);

/* The range to summarise: the `last` N messages of the conversation, or those between two ids of one
 * branch. Nothing set: the whole session. */
struct summary_range {
    int64_t last;     /* 0: use from and to */
    int64_t from, to; /* message ids, 0: from the root, to the head */
};

/* Queues a summary. RC_CONFLICT: the session is empty, or enough summaries wait already.
 * RC_BAD_INPUT: there is no such range. */
enum rc session_summarise(struct store *s, const struct config *c, int64_t owner, const char *session,
    const struct summary_range *range, int64_t now, struct err *e);

/* Queues a compaction of the session's context (compact.h). `keep` (may be NULL) says in the user's words
 * what to keep. RC_CONFLICT, with a sentence: there is nothing to compact, or a compaction is running.
 * RC_BAD_INPUT: `keep` has more than COMPACT_KEEP_MAX characters. */
enum rc session_compact(struct store *s, const struct config *c, int64_t owner, const char *session,
    const char *keep, int64_t now, struct err *e);

/* Empties the context: the next question is asked without the messages so far, which stay in the conversation
 * (session_clear.c). RC_CONFLICT, with a sentence: it is empty already, or a turn runs. */
enum rc session_clear(
    struct store *s, const struct config *c, int64_t owner, const char *session, int64_t now, struct err *e);

#endif
