/*
 * Calls of connected tools (net/awaited.h). A tool says what it wants with remote_call_want().
 *
 * A user has sessions of his own at servers that have sessions, so that the state of one user's session is
 * not seen by another. They are kept for further calls.
 */
#ifndef ALFRED_APP_MCP_REMOTE_CALL_H
#define ALFRED_APP_MCP_REMOTE_CALL_H

#include "app/mcp/connected.h"
#include "net/awaited.h"

/* Calls at the same time. One more is refused with a sentence for the model. */
#define REMOTE_CALLS_MAX      32
#define REMOTE_CALLS_PER_USER 8
#define REMOTE_LINKS_MAX      256 /* kept sessions; the one that was not used for longest goes first */

struct remote_link;

/* One call of a tool. The turn engine owns it. */
struct remote_call {
    struct awaited awaited;

    /* the request */
    const struct connected_tool *tool;
    struct arena *arena;
    const char *params; /* members of the request */
    struct http_header *headers;
    size_t headers_n;

    /* the end, for the tool */
    struct mcp_answer answer; /* all zero when no call was made */

    struct remote_link *link;
    struct mcp_call *call;
};

/* Any thread. `args`: JSON, an object. `tool` outlives the call. */
void remote_call_want(struct remote_call *r, const struct connected_tool *tool, const json_t *args);
/* It must not run. A zeroed one is fine. */
void remote_call_release(struct remote_call *r);

/* A stop tells the server. The servers must outlive the client. */
struct awaited_client *remote_client_new(struct loop *l, const struct mcp_servers *s);

#endif
