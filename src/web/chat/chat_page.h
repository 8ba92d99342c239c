/* The chat page: its handlers, and functions for other handlers that show it again. */
#ifndef ALFRED_WEB_CHAT_CHAT_PAGE_H
#define ALFRED_WEB_CHAT_CHAT_PAGE_H

#include "app/command/command.h"
#include "web/http/request.h"
#include "web/http/route.h"

/* A new chat, and a session. */
route_handler page_new, page_session;

/* An error or a command's reply that is shown above the box, and the text that the box keeps. */
struct chat_trouble {
    const struct err *why;             /* NULL: `reply` */
    const struct command_reply *reply; /* to `typed` */
    const char *typed;
    const char *text;
    bool retry;        /* sending again may help */
    bool gone;         /* a message of the address is missing: `why` is shown although it is RC_NOT_FOUND */
    bool gone_on;      /* turn_ticket.gone_on: the page asks where the text goes */
    int64_t branch_id; /* turn_ticket.branch_id */
};
/* Shows the session of the path ("new" too). `trouble` NULL: none. */
enum rc page_chat_show(struct req *r, struct resp *out, const struct chat_trouble *trouble, struct err *e);

/* The same as a page_form (pages.h): the box keeps the typed text. */
enum rc page_chat_again(struct req *r, struct resp *out, const struct err *why, struct err *e);

/* The same when the message that the text goes below, or changes, was deleted meanwhile. RC_NOT_FOUND: so was
 * the session. */
enum rc page_chat_without(struct req *r, struct resp *out, struct err *e);

#endif
