/*
 * Actions of users on sessions: name, choose a model, pin, mark as read, change and remove, request a
 * summary. Every function is one transaction for `owner`. A record of another owner is RC_NOT_FOUND. Removals
 * add an audit row.
 */
#ifndef ALFRED_APP_SESSION_SESSION_ACTIONS_H
#define ALFRED_APP_SESSION_SESSION_ACTIONS_H

#include "app/account/auth.h"
#include "app/models/providers.h"
#include "store/message.h"
#include "store/session.h"

enum session_pin { SESSION_PIN_STAYS, SESSION_PIN, SESSION_UNPIN };

struct session_change {
    const char *title;                    /* NULL: stays */
    const struct provider_choice *choice; /* NULL: stays */
    enum session_pin pin;                 /* a pinned session is never archived */
    const char *workspace;                /* NULL: stays; blank: the session leaves it */
};

/* RC_BAD_INPUT: the title is empty or longer than SESSION_TITLE_CHARS_MAX, or what workspace_name() says. */
enum rc session_change(
    struct store *s, int64_t owner, const char *session, const struct session_change *change, struct err *e);

/* With everything in it. RC_CONFLICT while a turn runs. */
enum rc session_delete(
    struct store *s, int64_t owner, const char *session, const struct auth_client *from, struct err *e);
/* The same inside the caller's transaction. */
enum rc session_delete_in(
    struct db *db, int64_t owner, const char *session, const struct auth_client *from, struct err *e);

/* The session goes on from the end of the branch through `message`. */
enum rc session_set_head(struct store *s, int64_t owner, const char *session, int64_t message, struct err *e);

/* The owner has seen the session as it is at `now`. Its waiting jobs, a title for one, are wanted from then
 * on (store/job.h). `wait_ms`: as in store_write_within(). */
enum rc session_seen(
    struct store *s, int64_t owner, const char *session, int64_t now, int64_t wait_ms, struct err *e);

/* Changes the owner's own message in place; `pasted_from` as in message_pasted_after_edit(). RC_BAD_INPUT:
 * empty, or not the owner's words; RC_TOO_BIG: over [limits] message_bytes; RC_CONFLICT while a turn runs. */
enum rc session_edit_text(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, struct str text, int64_t pasted_from, struct err *e);

/* Removes a message and what follows it; of an answer that called tools all its messages. RC_CONFLICT while
 * one of them is being written. */
enum rc session_delete_message(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, const struct auth_client *from, struct err *e);

/* The range to summarise: the `last` N messages of the conversation, or those between two ids of one
 * branch. Nothing set: the whole session. */
struct summary_range {
    int64_t last;     /* 0: not by number */
    int64_t from, to; /* message ids, 0: from the root, to the head */
};

/* Asks the helper for it. RC_CONFLICT: the session is empty; RC_BAD_INPUT: no such range; RC_RATE_LIMITED:
 * enough wait already. */
enum rc session_summarise(struct store *s, const struct config *c, int64_t owner, const char *session,
    const struct summary_range *range, int64_t now, struct err *e);

/* Asks the helper to shorten the context of the session (compact.h), `keep` (may be NULL) in the user's
 * words. RC_CONFLICT, with a sentence: there is nothing to shorten, or it is being done; RC_BAD_INPUT: `keep`
 * has more than COMPACT_WISH_MAX characters. */
enum rc session_compact(struct store *s, const struct config *c, int64_t owner, const char *session,
    const char *keep, int64_t now, struct err *e);

#endif
