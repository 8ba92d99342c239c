/* The chat page: its handlers, and functions for other handlers that show it again. */
#ifndef ALFRED_WEB_CHAT_CHAT_PAGE_H
#define ALFRED_WEB_CHAT_CHAT_PAGE_H

#include "app/command/command.h"
#include "web/http/request.h"
#include "web/http/route.h"

route_handler page_new, page_session;

/* How a request of the page ended, shown above the message box: with an error (`why`) or with the reply to a
 * command. */
struct chat_outcome {
    const struct err *why;             /* NULL: no error */
    const struct command_reply *reply; /* NULL: no reply */
    const char *typed;                 /* the command line of `reply` */
    const char *text;                  /* stays in the message box; NULL: none */
    bool retry;                        /* offers to send the text again */
    bool no_message;   /* the address names a missing message: `why` is shown although it is RC_NOT_FOUND */
    bool gone_on;      /* turn_ticket.gone_on: the page asks where the text goes */
    int64_t branch_id; /* turn_ticket.branch_id */
};
/* Shows the session of the path, or a new chat if that is "new". `outcome` NULL: nothing is shown above the
 * box. */
enum rc page_chat_show(struct req *r, struct resp *out, const struct chat_outcome *outcome, struct err *e);

/* A page_form (pages.h): shows the error above the box, which keeps the typed text. */
enum rc page_chat_again(struct req *r, struct resp *out, const struct err *why, struct err *e);

/* The same when the message that the text goes below, or changes, was deleted meanwhile. RC_NOT_FOUND: so was
 * the session. */
enum rc page_chat_without(struct req *r, struct resp *out, struct err *e);

#endif
