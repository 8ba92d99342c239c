/*
 * Calls of connected tools. As with app/web_fetch, a tool says what it wants (remote_call_want()) and
 * returns; the turn engine makes the call on its loop, and the tool runs again when it has ended.
 *
 * A user has sessions of his own at servers that have sessions, so that the state of one user's session is
 * not seen by another. They are kept for further calls.
 */
#ifndef ALFRED_APP_MCP_REMOTE_CALL_H
#define ALFRED_APP_MCP_REMOTE_CALL_H

#include "app/mcp/connected.h"
#include "base/running.h"

/* Calls at the same time. One more is refused with a sentence for the model. */
#define REMOTE_CALLS_MAX      32
#define REMOTE_CALLS_PER_USER 8
#define REMOTE_LINKS_MAX      256 /* kept sessions; the one that was not used for longest goes first */

struct remote_client;
struct remote_link;

/* One call of a tool. The turn engine owns it. */
struct remote_call {
    int64_t owner; /* set before the start */

    /* the request */
    const struct connected_tool *tool; /* NULL: none is wanted */
    struct arena *arena;
    const char *params; /* members of the request */
    struct http_header *headers;
    size_t headers_n;

    /* the end, for the tool */
    bool ended;
    struct mcp_answer answer;

    struct running running;
    struct remote_link *link;
    struct mcp_call *call;
    loop_fn *done;
    void *arg;
};

/* Any thread. `args`: JSON, an object. `tool` outlives the call. */
void remote_call_want(struct remote_call *r, const struct connected_tool *tool, const json_t *args);
/* It must not run. A zeroed one is fine. */
void remote_call_release(struct remote_call *r);

/* All others: on the loop's thread. The servers must outlive the client. */
struct remote_client *remote_client_new(struct loop *l, const struct mcp_servers *s);
void remote_client_free(struct remote_client *c); /* no call may run; NULL is fine */
/* Calls done(arg) once, on the loop, never inside this function. */
void remote_call_start(struct remote_client *c, struct remote_call *r, loop_fn *done, void *arg);
/* Tells the server to stop, ends the call with an error and calls done(arg) soon. Does nothing unless it
 * runs. */
void remote_call_cancel(struct remote_call *r);
/* Ends a call that was not started, without a call of done(). `why` is for the model. */
void remote_call_refuse(struct remote_call *r, const char *why);

#endif
