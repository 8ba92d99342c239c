#include "cli/chat/conversation.h"

enum rc conversation(struct chat *c, const char *history, struct err *e)
{
    (void)c;
    (void)history;
    return err_tell(e, RC_UNAVAILABLE, "Give a message: alfred chat \"Hello\".");
}
