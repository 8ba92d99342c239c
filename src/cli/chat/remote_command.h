/* Commands ("/help") over the API, and their completion. */
#ifndef ALFRED_CLI_CHAT_REMOTE_COMMAND_H
#define ALFRED_CLI_CHAT_REMOTE_COMMAND_H

#include "cli/chat/chat.h"
#include "cli/chat/prompt.h"

struct remote_commands {
    struct chat *chat;
    json_t *table;   /* of GET /api/commands; NULL: not asked yet */
    json_t *buttons; /* of the last reply, chosen by their numbers; NULL: none */
};

void remote_commands_release(struct remote_commands *c);

/* Runs a command line and shows its reply. A turn that it begins is followed. */
enum rc remote_command(struct remote_commands *c, struct str line, struct err *e);

/* The command line of button `number` of the last reply; NULL: there is none. */
const char *remote_command_button(const struct remote_commands *c, struct str number);

/* A prompt_complete_fn; the argument is a struct remote_commands. */
void remote_command_complete(void *arg, struct str line, struct prompt_choices *out);

#endif
