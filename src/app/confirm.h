/*
 * What destroys never runs on the model's word: a tool that wants it puts one pending question into the
 * session, and only the user's yes, as a button or as a message, runs it, once. It lapses after
 * CONFIRM_LAPSE_MS. What can be asked for is one const table in confirm.c, by these names.
 */
#ifndef ALFRED_APP_CONFIRM_H
#define ALFRED_APP_CONFIRM_H

#include "base/clock.h"
#include "store/pending.h"

#define CONFIRM_LAPSE_MS       (30 * MS_PER_MIN)
#define CONFIRM_FORGET         "forget"         /* subject: a memory */
#define CONFIRM_DELETE_TASK    "delete_task"    /* subject: a task */
#define CONFIRM_DELETE_SESSION "delete_session" /* subject: a session, never the one that asks */

enum confirm_word { CONFIRM_OTHER, CONFIRM_YES, CONFIRM_NO };

/* What a message says to a pending question: only a message that is nothing but a yes or a no counts. */
enum confirm_word confirm_word_of(struct str text);

struct confirm_action; /* a row of the table */

struct confirm {
    struct pending pending;
    const struct confirm_action *action;
    struct str subject;               /* the text of what it is about */
    const char *question;             /* "Forget", "Delete the task": before the subject */
    const char *yes_label, *no_label; /* of its buttons */
    const char *done, *kept;          /* what the page goes on with, for confirm_settled() */
};

/* The pending question of a session; RC_NOT_FOUND when there is none, it has lapsed, or its subject is gone.
 */
enum rc confirm_find(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    struct confirm *out, struct err *e);

/* What Alfred says once it is answered; in the arena. */
const char *confirm_reply(struct arena *a, const struct confirm *c, bool yes);

/* Takes the question away and with `yes` does it, inside the caller's transaction. RC_CONFLICT with a
 * sentence when it has been answered already, or cannot be done now (a session whose answer is being written:
 * the question stays). */
enum rc confirm_answer(
    struct db *db, int64_t owner, const struct confirm *c, bool yes, int64_t now, struct err *e);

/* The same for a button: by the session's public id and the question's own (pending.id), so that a button of
 * a question that another has replaced answers nothing. RC_NOT_FOUND for a foreign session, RC_CONFLICT with
 * a sentence when that question does not wait for an answer (any more). `out`, in the arena: what was
 * answered. */
struct confirm_press {
    int64_t owner, question;
    const char *session;
    bool yes;
    int64_t now;
};
enum rc confirm_button(
    struct store *s, struct arena *a, const struct confirm_press *press, struct confirm *out, struct err *e);

/* What stands in place of the buttons then, by `done` or `kept`; NULL for any other word. */
const char *confirm_settled(struct str word);

#endif
