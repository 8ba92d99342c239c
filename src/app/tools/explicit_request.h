/*
 * Detects whether the user's own message explicitly asks for a change. Only then a tool makes it at once;
 * otherwise the change becomes a suggestion (app/suggestion/suggestion.h). The rule does not guess the author
 * of a text:
 *
 * 1. Only the first sentence of the message counts, after greetings. The text after it may be anything. The
 *    sentence ends at ".", "!", "?" or the end of the line. It does not count when it contains a sign of
 *    markup, code or a table (< > | { } ` or a tab), an invisible or directional character, or more than
 *    EXPLICIT_REQUEST_CHARS characters. It does not count either when the message begins with a quotation or
 *    the head of a mail (codec/words/quoted_reply.h).
 * 2. Pasted and imported text does not count: the message is cut where it begins (message.pasted_from).
 * 3. The sentence begins with a form of the table, such as "remember ...", "add ... to my list", "merk dir
 *    ...", after polite words ("please", "can you"). More forms may follow after "and".
 * 4. Text in quotation marks does not count.
 * 5. The stored text has no word that the sentence lacks. Words are compared by their stems, as in search.
 *    Words like "the", "is" and "user" may be added. A negation must be in both or in neither.
 *
 * The table (explicit_request.c) is English and German. It misses requests in other words on purpose: the
 * user then clicks on Keep once.
 */
#ifndef ALFRED_APP_TOOLS_EXPLICIT_REQUEST_H
#define ALFRED_APP_TOOLS_EXPLICIT_REQUEST_H

#include "base/mem.h"
#include "base/str.h"

#define EXPLICIT_REQUEST_CHARS 500

enum request_action {
    REQUEST_REMEMBER,
    REQUEST_ADD_TASK,
    REQUEST_COMPLETE_TASK,
    REQUEST_REMIND,
    REQUEST_SCHEDULE,
    REQUEST_WORKSPACE,
    REQUEST_ACTIONS_N
};

struct explicit_request {
    bool asks[REQUEST_ACTIONS_N];
    /* In the arena, by action. For "add milk to my list by Friday" the content, which may be stored, is
     * "milk to my list by Friday". The object, which names one thing, is "milk". */
    struct str content[REQUEST_ACTIONS_N], object[REQUEST_ACTIONS_N];
};

/* Reads the requests of a message. `typed` is message.pasted_from: bytes at its beginning; negative: all. */
void explicit_request_read(struct arena *a, struct str message, int64_t typed, struct explicit_request *out);

/* True when the message asks for `action`, and each word of `stored` is in the sentence (rule 5). */
bool explicit_request_stores(const struct explicit_request *r, enum request_action action, struct str stored);

/* True when the message asks for `action` with an object that names `existing`: each word of the object,
 * without words like "task", is in it. */
bool explicit_request_names(
    const struct explicit_request *r, enum request_action action, struct str existing);

#endif
