/*
 * Whether the user's own message asks for a write in so many words. A tool writes at once only then;
 * everything else becomes a suggestion (app/suggestion/suggestion.h). The rule does not guess who wrote a
 * text:
 *
 * 1. Only the beginning of the message counts: its first sentence, after greetings. What follows may be
 *    anything. The sentence ends at ".", "!", "?" or the end of the line. A sentence that holds a sign of
 *    markup, code or a table (< > | { } ` or a tab), an invisible or steering character, or more than
 *    EXPLICIT_REQUEST_CHARS characters does not count, and neither does a message that begins with a
 * quotation or the head of a mail (codec/quoted_reply.h).
 * 2. Pasted and imported text does not count: the message is cut where it begins (message.pasted_from).
 * 3. The sentence begins with one of the forms of a table, such as "remember ...", "add ... to my list",
 * "merk dir ...", after words of politeness ("please", "can you"). It may go on with others after "and".
 * 4. Text in quotation marks does not count.
 * 5. What is stored has no word that the sentence lacks: words are compared as search does, by their stems.
 *    Words like "the" and "is" are free, and so is "user"; a negation is not, it stands in both or in none.
 *
 * The table (explicit_request.c) is English and German. It misses requests in other words on purpose: these
 * cost a click on Keep.
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
    REQUEST_WORKSPACE,
    REQUEST_ACTIONS_N
};

struct explicit_request {
    bool asks[REQUEST_ACTIONS_N];
    /* In the arena, by action. Of "add milk to my list by Friday" the content, which may be stored, is "milk
     * to my list by Friday", and the object, which names one thing, is "milk". */
    struct str content[REQUEST_ACTIONS_N], object[REQUEST_ACTIONS_N];
};

/* What a message asks for. `typed` is message.pasted_from: bytes at its beginning, negative: all of it. */
void explicit_request_read(struct arena *a, struct str message, int64_t typed, struct explicit_request *out);

/* Whether it asks for `action`, and each word of `stored` stands in the sentence (rule 5). */
bool explicit_request_stores(const struct explicit_request *r, enum request_action action, struct str stored);

/* Whether it asks for `action` with an object that names `existing`: each word of the object but "task" and
 * the like stands in it. */
bool explicit_request_names(
    const struct explicit_request *r, enum request_action action, struct str existing);

#endif
