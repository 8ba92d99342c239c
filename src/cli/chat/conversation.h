/* A conversation at a prompt, until Ctrl-D. */
#ifndef ALFRED_CLI_CHAT_CONVERSATION_H
#define ALFRED_CLI_CHAT_CONVERSATION_H

#include "cli/chat/chat.h"

/* `history`: the file of typed lines. RC_UNAVAILABLE: libedit is missing. RC_IO: standard output failed. */
enum rc conversation(struct chat *c, const char *history, struct err *e);

#endif
