/*
 * The user's decision in words. It counts only when it cannot mean anything else:
 *
 * - A bare yes or no ("yes, please", "nein", "delete it") counts as the direct reply to the answer that shows
 * the suggestion, if that answer shows one open suggestion and its text asks nothing else. The text asks
 * nothing else when it consists of the words of the question: the words in which Alfred asks (a table), the
 * words of the action, and the text that the suggestion is about. Any other word could be another question,
 * so the reply goes to the model.
 * - Words that name the action and the kind of its subject ("yes, delete the session", "nein, behalte die
 * Aufgabe") count later as well, as long as the suggestion is open, the answer that shows it lies on the
 * branch, and the words fit no other open suggestion there. The text of the subject may follow.
 *
 * Nothing else in the message is allowed. English and German.
 */
#ifndef ALFRED_APP_SUGGESTION_TYPED_ANSWER_H
#define ALFRED_APP_SUGGESTION_TYPED_ANSWER_H

#include "app/suggestion/suggestion.h"

struct typed_answer {
    bool decides; /* else the message goes to the model */
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

/* What a new message of the user's decides. Everything in `out` lives in the arena. */
enum rc typed_answer_read(
    struct db *db, struct arena *a, const struct typed_message *m, struct typed_answer *out, struct err *e);

/* ---- for tests ---- */

enum typed_word { TYPED_OTHER, TYPED_YES, TYPED_NO };

/* A message that is nothing but a yes or a no. */
enum typed_word typed_bare(struct str text);
/* One that names the action and points at its subject: "yes, delete it". */
enum typed_word typed_pointing(struct str text, const char *kind);
/* A message that names the action of `kind` and its subject's kind; `subject` is its text. */
enum typed_word typed_named(struct str text, const char *kind, struct str subject);
/* Whether `text`, in which Alfred asks about `subject`, and whether to change it to `to`, asks nothing else.
 */
bool typed_asks_nothing_else(struct str text, const char *kind, struct str subject, struct str to);

#endif
