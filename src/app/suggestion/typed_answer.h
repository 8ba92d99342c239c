/*
 * The user's decision in words. It counts only when it is unambiguous:
 *
 * - A bare yes or no ("yes, please", "nein", "delete it") counts as the direct reply to the answer that shows
 *   the suggestion, if that answer shows one open suggestion and its text asks nothing else. Such a text
 *   consists of words of the question (a table), words of the action, and the text of the suggestion. Any
 *   other word could be part of another question, so the reply goes to the model.
 * - Words that name the action and the kind of its subject ("yes, delete the session", "nein, behalte die
 *   Aufgabe") count later as well. The suggestion must be open, the answer that shows it must be on the
 *   branch, and the words must match no other open suggestion there. The text of the subject may follow.
 *
 * Nothing else in the message is allowed. English and German.
 */
#ifndef ALFRED_APP_SUGGESTION_TYPED_ANSWER_H
#define ALFRED_APP_SUGGESTION_TYPED_ANSWER_H

#include "app/suggestion/suggestion.h"

struct typed_answer {
    bool decides; /* otherwise the message goes to the model */
    bool keep;
    struct suggestion suggestion;
    struct suggestion_look look;
};

struct typed_message {
    int64_t owner, session_id;
    int64_t parent_id; /* the message that the user replies to; 0: none */
    struct str text;
    int64_t now;
};

/* The decision in a new message of the user. Everything in `out` lives in the arena. */
enum rc typed_answer_read(
    struct db *db, struct arena *a, const struct typed_message *m, struct typed_answer *out, struct err *e);

/* ---- for tests ---- */

/* True when `text`, in which Alfred asks about `subject` and maybe its change to `to`, asks nothing else. */
bool typed_asks_nothing_else(struct str text, const char *kind, struct str subject, struct str to);

#endif
