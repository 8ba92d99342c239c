/* Shared by the files of the client. */
#ifndef ALFRED_MCP_MCP_PRIVATE_H
#define ALFRED_MCP_MCP_PRIVATE_H

#include "codec/sse.h"
#include "mcp/mcp.h"
#include "mcp/mcp_message.h"

#define MCP_POSTS_MAX 8 /* answers to requests of a server, in one call */

struct mcp_client {
    struct loop *loop;
    struct http_client *http;
    struct mcp_post *posts;
    int64_t last_id; /* of a request */
};

enum mcp_stage { MCP_DISCOVERS, MCP_INITIALIZES, MCP_CONFIRMS, MCP_ASKS };

struct mcp_call {
    struct mcp_client *client;
    const struct mcp_server *server;
    struct mcp_link *link; /* shared with other calls */
    struct mcp_link mine;  /* of this one; it becomes the shared one when the server has confirmed it */
    char *method, *params;
    struct arena *arena; /* of the headers */
    struct http_header *headers;
    size_t headers_n;
    bool repeats;
    int64_t until_ms;
    mcp_done_fn *done;
    void *arg;

    /* the running request */
    enum mcp_stage stage;
    int64_t id;
    struct http_call *http;
    int status;
    struct sse_parser *events; /* the answer is a stream; NULL: it is one message */
    struct strbuf body;
    struct mcp_message reply; /* .json NULL: none came */
    bool sent;                /* the server may have received it */
    char session[MCP_SESSION_MAX];

    bool restarted, repeated; /* each happens once */
    int posts;
    struct mcp_answer answer;
};

/* A message whose answer nobody needs: a notification, the refusal of a server's request, or the end of the
 * session (body.len 0). `done` may be NULL. */
void mcp_post(struct mcp_client *c, const struct mcp_server *s, const struct mcp_link *link, struct str body,
    loop_fn *done, void *arg);
void mcp_posts_free(struct mcp_client *c);

#define MCP_HEADERS_MAX \
    48 /* of a request: those of the settings, of the tool's arguments and of the protocol */

/* The headers of a request to the server, at most MCP_HEADERS_MAX in `out`; returns their number. `method`
 * NULL: of a server with sessions. */
size_t mcp_headers(const struct mcp_server *s, const struct mcp_link *link, bool stateless,
    const char *method, struct http_header *out);

#endif
