/* Commands over HTTP: their list, and running one. */
#ifndef ALFRED_WEB_COMMAND_COMMAND_ROUTES_H
#define ALFRED_WEB_COMMAND_COMMAND_ROUTES_H

#include "app/command/command.h"
#include "web/http/request.h"
#include "web/http/route.h"

extern const struct route_table command_routes;

/* Runs a line for the request's user; a turn that it begins is ordered. `session`: public id; NULL or "new":
 * none. `channel`: "web" or "terminal". RC_NOT_FOUND: no such session. RC_BAD_INPUT with a sentence: also for
 * words that find nothing. RC_FORBIDDEN: a program without the right begins a turn. */
enum rc command_of_request(struct req *r, const char *session, const char *channel, struct str line,
    struct command_reply *out, struct err *e);

/* The address to which a page goes after a reply: "/s/ses_...", "/" for a new session. NULL: it stays. */
const char *command_reply_url(struct arena *a, const char *session, const struct command_reply *reply);
/* The values of partials/command. `typed`: the line. */
void command_reply_view(const struct req *r, struct view *v, const char *session, const char *typed,
    const struct command_reply *reply);

#endif
