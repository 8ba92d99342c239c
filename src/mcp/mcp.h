/*
 * A client of the Model Context Protocol (https://modelcontextprotocol.io/specification), for the tools of a
 * server. The transport is Streamable HTTP: every message is a POST, and its answer is one JSON object or a
 * stream of events that ends with the answer.
 *
 * There are two eras. A stateless server (2026-07-28 and later) gets the version with every request. A server
 * with sessions (2025-11-25 and earlier) first gets `initialize` and may give an id of a session, which all
 * further requests have. Only server/discover, which changes nothing, is sent to find out the era. A server
 * that has changed its era, or ended its session, refuses a request without running it. The call then begins
 * again, once.
 *
 * Alfred declares no capability. A server's request for one is answered with an error. What servers send is
 * untrusted.
 */
#ifndef ALFRED_MCP_MCP_H
#define ALFRED_MCP_MCP_H

#include "codec/json/json.h"
#include "net/http.h"
#include "net/loop.h"

#define MCP_STATELESS_VERSION "2026-07-28"
#define MCP_SESSION_VERSION   "2025-11-25" /* that `initialize` asks for */
#define MCP_VERSION_MAX       16           /* bytes of a version, with NUL */
#define MCP_SESSION_MAX       512          /* bytes of the id of a session, with NUL */
#define MCP_CONNECT_MS        5000
#define MCP_BODY_MAX          ((size_t)4 * 1024 * 1024) /* of one answer, with the events before it */
#define MCP_VALUES_MAX        50000                     /* JSON values in a message */

/* Errors of JSON-RPC and of the specification. */
#define MCP_BAD_REQUEST    (-32600)
#define MCP_UNKNOWN_METHOD (-32601)
#define MCP_BAD_PARAMS     (-32602)
#define MCP_WRONG_HEADERS  (-32020)
#define MCP_NO_CAPABILITY  (-32021)
#define MCP_WRONG_VERSION  (-32022)

struct mcp_server {
    const char *label; /* in sentences */
    const char *url;
    const struct http_header *headers; /* of every request; their values are secrets */
    size_t headers_n;
    const char *ca_file; /* NULL: the system's certificates */
    int timeout_ms;      /* of a call, with all its requests */
};

enum mcp_era { MCP_ERA_UNKNOWN, MCP_STATELESS, MCP_SESSIONS };

/* The state that calls of one server share. Zeroed: nothing is known of the server. */
struct mcp_link {
    enum mcp_era era;
    bool open;                     /* MCP_SESSIONS: it is initialised */
    char version[MCP_VERSION_MAX]; /* with `open` */
    char session[MCP_SESSION_MAX]; /* with `open`; "": the server gave none */
};

/* How a call has ended. */
struct mcp_answer {
    enum rc rc;
    struct err err;     /* unless RC_OK: a sentence for the user */
    json_t *result;     /* RC_OK: the object */
    int64_t code;       /* RC_BAD_INPUT: of the error with which the server answered; else 0 */
    bool perhaps_done;  /* it failed after the request was sent: the server may have run it */
    bool tools_changed; /* the list of tools that was read before is out of date */
};

struct mcp_request {
    const struct mcp_server *server; /* outlives the call */
    struct mcp_link *link;           /* outlives the call, which changes it */
    const char *method;
    struct str params;                 /* members of an object: "\"name\":\"x\""; copied */
    const struct http_header *headers; /* for a stateless server; copied */
    size_t headers_n;
    bool repeats; /* it changes nothing: sent again, once, when the connection breaks */
};

struct mcp_client;
struct mcp_call;
/* The answer is released after this function (json_incref() keeps the result). */
typedef void mcp_done_fn(void *arg, const struct mcp_answer *answer);

/* On the loop's thread, like all others. `allowed` as for http_client_new(). */
struct mcp_client *mcp_client_new(struct loop *l, const char *const *allowed, size_t allowed_n);
void mcp_client_free(struct mcp_client *c); /* no call may run; NULL is fine */
DEFINE_AUTO(mcp_client);
/* Calls done(arg, ...) once, never inside this function. The result is valid until then. */
struct mcp_call *mcp_start(struct mcp_client *c, const struct mcp_request *r, mcp_done_fn *done, void *arg);
/* Ends the call with RC_CANCELLED, later. The server is told to stop. */
void mcp_cancel(struct mcp_call *call);

/* A call that blocks, for programs without a loop. `c` and the link are of that loop. */
void mcp_run(struct loop *l, struct mcp_client *c, const struct mcp_request *r, struct mcp_answer *out);
void mcp_answer_release(struct mcp_answer *a);
/* Ends the session of the link, if there is one; blocks for MCP_CONNECT_MS at most. */
void mcp_run_end(struct loop *l, struct mcp_client *c, const struct mcp_server *s, struct mcp_link *link);

#endif
