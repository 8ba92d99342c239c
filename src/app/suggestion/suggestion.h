/*
 * Suggestions: what a tool wants to change is carried out at once only if the user asked for it in so many
 * words (app/tools/explicit_request.h). Else it waits for the user's decision: Keep or Dismiss under the
 * answer. What deletes or replaces something always waits, as a question with a yes and a no above the
 * message box; a question lapses after SUGGESTION_QUESTION_MS. What was carried out can be undone. The facts
 * that the helper finds in what the user said are suggestions, too (app/memory/facts.h).
 *
 * The kinds are one const table in suggestion.c, by the names below. A decision is one transaction and is
 * carried out once. The user decides by a button (suggestion_decide()) or in words
 * (app/suggestion/typed_answer.h).
 */
#ifndef ALFRED_APP_SUGGESTION_SUGGESTION_H
#define ALFRED_APP_SUGGESTION_SUGGESTION_H

#include "base/clock.h"
#include "store/suggestion.h"

#define SUGGESTION_QUESTION_MS   (30 * MS_PER_MIN)
#define SUGGESTION_UNDO_MS       MS_PER_H /* for deletions and replacements: until the sweep takes the text */
#define SUGGESTION_QUESTIONS_MAX 5        /* open in one session */
#define SUGGESTION_AT_ONCE_MAX   10       /* changes that one message of the user's makes at once */

/* New things, or a change that loses nothing. SUGGESTION_REMEMBER is in store/suggestion.h. */
#define SUGGESTION_ADD_TASK      "add_task"
#define SUGGESTION_COMPLETE_TASK "complete_task" /* subject: a task */
#define SUGGESTION_WORKSPACE                                                       \
    "set_workspace" /* subject: the session that asks; text: the name, "" for none \
                     */
/* Questions: these delete or replace. */
#define SUGGESTION_CHANGE_MEMORY  "change_memory"  /* subject: a memory; text "": only the tags change */
#define SUGGESTION_FORGET         "forget"         /* subject: a memory */
#define SUGGESTION_DELETE_TASK    "delete_task"    /* subject: a task */
#define SUGGESTION_DELETE_SESSION "delete_session" /* subject: a session, never the one that asks */

/* ---- what tools call ---- */

/*
 * Takes what a tool wants, in the caller's transaction: kind, session_id, source_id, subject, text, tags, due
 * and permanent of `s`. With `at_once` it is carried out unless it is a question; `s` is SUGGESTION_DONE
 * then, with its subject, else SUGGESTION_OPEN. What the same message of the user's has done before is not
 * done again: `s` becomes that one. A question takes the place of the open one of the same kind and subject.
 * After SUGGESTION_AT_ONCE_MAX changes a message makes no more at once. RC_CONFLICT with a sentence for the
 * model: too many are open, the user has dismissed it before, or it cannot be carried out now; RC_NOT_FOUND
 * when the subject is gone; RC_BAD_INPUT with a sentence: the text does not fit.
 */
enum rc suggestion_put(struct db *db, struct arena *a, int64_t owner, struct suggestion *s, bool at_once,
    int64_t now, struct err *e);

/* ---- what the user does ---- */

enum suggestion_verdict { SUGGESTION_KEEP, SUGGESTION_DISMISS, SUGGESTION_UNDO };

struct suggestion_decision {
    int64_t owner, id;
    enum suggestion_verdict verdict;
    int64_t now;
};

/* RC_NOT_FOUND for a foreign one; RC_CONFLICT with a sentence when it was decided already, has lapsed, or
 * cannot be carried out or undone now: then nothing changes. `out`, in the arena: as it is afterwards. */
enum rc suggestion_decide(struct store *s, struct arena *a, const struct suggestion_decision *d,
    struct suggestion *out, struct err *e);
/* The same in the caller's transaction. A `message_id` that is not 0 is the answer that shows it from now on.
 */
enum rc suggestion_decide_in(struct db *db, struct arena *a, const struct suggestion_decision *d,
    int64_t message_id, struct suggestion *out, struct err *e);
/* Keeps all open facts up to this id, which are those that the user has seen. */
enum rc suggestion_keep_facts(
    struct store *s, int64_t owner, int64_t upto, int64_t now, size_t *kept, struct err *e);

/* ---- how it is shown ---- */

struct suggestion_look {
    bool asks; /* a question */
    bool can_undo;
    struct str text;      /* what it is about; .s NULL: nothing to show */
    struct str to;        /* what the text becomes; .s NULL: it stays */
    const char *question; /* "Forget", before the text */
    const char *keep_label, *dismiss_label;
    const char *done, *dismissed, *undone; /* sentences; `done` ends in ":" when the text follows */
};
/* RC_NOT_FOUND: what it is about is gone, and nothing is to be shown. Everything lives in the arena. */
enum rc suggestion_look(struct db *db, struct arena *a, int64_t owner, const struct suggestion *s,
    int64_t now, struct suggestion_look *out, struct err *e);

bool suggestion_asks(const struct suggestion *s);

/* What Alfred says when it was decided in words; in the arena. */
const char *suggestion_reply(
    struct arena *a, const struct suggestion *s, const struct suggestion_look *l, bool keep);

#endif
