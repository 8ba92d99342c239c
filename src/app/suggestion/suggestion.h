/*
 * Suggestions. A change by a tool is made at once only when the user's message explicitly asks for it
 * (app/tools/explicit_request.h). Otherwise it waits for the user's decision, with two buttons below the
 * answer that accept or dismiss it. Deletions and replacements always wait, as a question with yes and no
 * above the message box. A question lapses after SUGGESTION_QUESTION_MS. A call of a connected tool can wait
 * for a permission, which is a question, too (permission.h). A change that was made can be
 * undone. Facts that the helper finds in the user's messages are suggestions, too (app/memory/facts.h).
 *
 * The kinds are one const table in suggestion_kinds.c. A decision is one transaction and takes effect once.
 * The user decides by a button (suggestion_decide()) or in words (app/suggestion/typed_answer.h).
 */
#ifndef ALFRED_APP_SUGGESTION_SUGGESTION_H
#define ALFRED_APP_SUGGESTION_SUGGESTION_H

#include "base/clock.h"
#include "store/session/suggestion.h"

#define SUGGESTION_QUESTION_MS   (30 * MS_PER_MIN)
#define SUGGESTION_UNDO_MS       MS_PER_H /* for deletions and replacements: until the sweep removes the text */
#define SUGGESTION_QUESTIONS_MAX 5        /* open in one session */
#define SUGGESTION_AT_ONCE_MAX   10       /* changes that one message of the user makes at once */

/* Additions, or changes that lose nothing. SUGGESTION_REMEMBER and SUGGESTION_CALL_TOOL are in
 * store/session/suggestion.h. */
#define SUGGESTION_ADD_TASK      "add_task"
#define SUGGESTION_COMPLETE_TASK "complete_task" /* subject: a task */
#define SUGGESTION_WORKSPACE     "set_workspace" /* subject: the current session; text: the name or "" */
#define SUGGESTION_ADD_REMINDER  "add_reminder"  /* due, rule and zone: its time */
#define SUGGESTION_ADD_SCHEDULE  "add_schedule"  /* the same */
/* Questions: these delete or replace. */
#define SUGGESTION_CHANGE_MEMORY   "change_memory"   /* subject: a memory; text "": only the tags change */
#define SUGGESTION_FORGET          "forget"          /* subject: a memory */
#define SUGGESTION_DELETE_TASK     "delete_task"     /* subject: a task */
#define SUGGESTION_DELETE_REMINDER "delete_reminder" /* subject: a reminder or schedule */
#define SUGGESTION_DELETE_SESSION  "delete_session"  /* subject: a session other than the current one */

/* ---- called by tools ---- */

/*
 * Stores a tool's suggestion, in the caller's transaction. Reads kind, session_id, source_id, subject, text,
 * tags, due, rule, zone and permanent of `s`; of a question also lapses_at (0: the usual time) and message_id
 * (0: it is hidden until its turn has ended). With `at_once` the change is made unless it is a question; `s`
 * is then SUGGESTION_DONE with its subject, else SUGGESTION_OPEN. A change that the same message has made
 * before is not repeated: `s` becomes that one. A question replaces an open one of the same kind and subject.
 * After SUGGESTION_AT_ONCE_MAX changes a message makes no more at once. RC_CONFLICT with a sentence for the
 * model: too many are open, the user has dismissed it before, or it cannot be done now. RC_NOT_FOUND: the
 * subject was deleted. RC_BAD_INPUT with a sentence: the text is not valid.
 */
enum rc suggestion_put(struct db *db, struct arena *a, int64_t owner, struct suggestion *s, bool at_once,
    int64_t now, struct err *e);

/* ---- decisions of the user ---- */

enum suggestion_verdict { SUGGESTION_KEEP, SUGGESTION_DISMISS, SUGGESTION_UNDO };

struct suggestion_decision {
    int64_t owner, id;
    enum suggestion_verdict verdict;
    int64_t now;
};

/* RC_NOT_FOUND: not the owner's. RC_CONFLICT with a sentence: it is decided or lapsed, or cannot be done
 * or undone now; nothing changes. `out`, in the arena: its state afterwards. */
enum rc suggestion_decide(struct store *s, struct arena *a, const struct suggestion_decision *d,
    struct suggestion *out, struct err *e);
/* The same in the caller's transaction. `message_id`: the answer that shows the suggestion from now on; 0:
 * unchanged. */
enum rc suggestion_decide_in(struct db *db, struct arena *a, const struct suggestion_decision *d,
    int64_t message_id, struct suggestion *out, struct err *e);
/* Keeps all open facts up to this id: those that the user has seen. */
enum rc suggestion_keep_facts(
    struct store *s, int64_t owner, int64_t upto, int64_t now, size_t *kept, struct err *e);

/* ---- display ---- */

struct suggestion_look {
    bool asks; /* a question */
    bool can_undo;
    struct str text; /* its text; .s NULL: nothing to show */
    struct str to;   /* the text after the change; .s NULL: unchanged */
    /* Keys of the catalogue. */
    const char *question; /* "Forget", before the text */
    const char *keep_label, *dismiss_label;
    const char *done, *dismissed; /* sentences; `done` ends in ":" when the text follows */
    const char *undone;           /* NULL: it cannot be undone */
};
/* RC_NOT_FOUND: its subject was deleted, so it is not shown. The result is in the arena. */
enum rc suggestion_look(struct db *db, struct arena *a, int64_t owner, const struct suggestion *s,
    int64_t now, struct suggestion_look *out, struct err *e);

/* True for a question, which lapses; false for a suggestion. */
bool suggestion_asks(const struct suggestion *s);

/* Alfred's reply to a decision in words; in the arena. */
const char *suggestion_reply(struct arena *a, const struct lang *lang, const struct suggestion *s,
    const struct suggestion_look *l, bool keep);

#endif
