/*
 * A turn whose context a program sends whole (/v1/chat/completions), instead of the session's path.
 *
 * The program's messages are the context as they are. With the rights of its token, Alfred's facts follow
 * the last message of the user, and Alfred's tools are offered beside those of the program. A call of a
 * program's tool ends the turn: the program runs it and sends the result with its next request. Calls of
 * Alfred's tools in the same answer are dropped, because the model could not continue after them. Alfred's
 * tools are not offered when the answer must be a call or JSON, because text of earlier steps would precede
 * it.
 *
 * If the program sends the beginning of the answer, the answer goes on with it as an unfinished one does
 * (turn_continue.c), and the stored answer is whole.
 *
 * The messages that the session lacks are stored with the turn. After the answer the place of the
 * conversation is stored under the hash of its messages, so that the next request finds it (history_key()).
 */
#ifndef ALFRED_APP_TURN_TURN_GIVEN_H
#define ALFRED_APP_TURN_TURN_GIVEN_H

#include "llm/llm.h"
#include "store/message/message.h"

#define TURN_GIVEN_CHANNEL "api"
#define TURN_STEPS_BREAK   "\n\n" /* between the texts of two steps, for the program */

#define HISTORY_HASH 16
#define HISTORY_KEY  (2 + 2 * HISTORY_HASH + 1) /* "h:", hex, NUL */

/* The hash of a conversation: of texts without white space around them, of calls and of pictures, not of
 * system messages. */
struct history {
    unsigned char hash[HISTORY_HASH];
};
void history_begin(struct history *h);
void history_add(struct history *h, const struct llm_message *m);
void history_key(const struct history *h, char out[HISTORY_KEY]);

struct turn_given {
    const struct llm_message *messages; /* the whole context; roles in any order */
    size_t messages_n;
    const struct message *added; /* to be stored below the parent, each below the one before: role, text,
                                    calls, call_id, tool. The last is of the user or a tool */
    size_t added_n;
    struct str prefix;            /* the beginning of the answer, which follows the messages; empty: none */
    const struct llm_tool *tools; /* the program's */
    size_t tools_n;
    bool use_memory, use_tools;
    bool no_calls; /* the answer must be text */
    struct llm_params params;
    int temperature;        /* TEMPERATURE_NONE: the provider's default */
    int64_t answer_tokens;  /* 0: the server's limit */
    struct history history; /* of all messages */
    const char *own_key; /* the program's own name for the conversation, stored as another key; NULL: none */
};

#endif
