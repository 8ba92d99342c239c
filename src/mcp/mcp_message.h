/*
 * Messages of MCP: JSON-RPC 2.0, one object each.
 */
#ifndef ALFRED_MCP_MCP_MESSAGE_H
#define ALFRED_MCP_MCP_MESSAGE_H

#include "mcp/mcp.h"

enum mcp_kind { MCP_RESULT, MCP_ERROR, MCP_NOTIFICATION, MCP_REQUEST };

/* A message of a server. The texts are in `json`, which the reader releases with mcp_message_release(). */
struct mcp_message {
    json_t *json;
    enum mcp_kind kind;
    int64_t id;           /* RESULT, ERROR: of our request; 0: the server gave none */
    const json_t *result; /* RESULT: an object */
    int64_t code;         /* ERROR */
    struct str words;     /* ERROR: the server's words */
    const json_t *data;   /* ERROR; NULL: none */
    struct str method;    /* NOTIFICATION, REQUEST */
    const json_t *asked;  /* REQUEST: its id, a text or a number */
};

/* RC_UPSTREAM: it is no message, or too big. */
enum rc mcp_message_read(struct str text, struct mcp_message *out, struct err *e);
void mcp_message_release(struct mcp_message *m); /* a zeroed one is fine */

/* True when a list of texts, such as that of supported versions, has `text`. */
bool mcp_list_has(const json_t *list, const char *text);
/* The newest version with sessions that both sides support; NULL: none. */
const char *mcp_session_version(const json_t *list);
/* The same for the version that `initialize` returned. */
const char *mcp_session_version_of(struct str version);

/* Appends a request. `params`: as in struct mcp_request. `stateless`: with the members that every request of
 * that era has. */
void mcp_add_request(struct strbuf *out, int64_t id, const char *method, struct str params, bool stateless);
void mcp_add_notification(struct strbuf *out, const char *method, struct str params);
/* The answer to a request of the server: to "ping" an empty result, to all others an error. */
void mcp_add_refusal(struct strbuf *out, const struct mcp_message *request);

/* The members that `initialize` has. */
#define MCP_CLIENT_INFO "{\"name\":\"Alfred\",\"version\":\"" ALFRED_VERSION "\"}"

/* The value of a header: as it is, or "=?base64?...?=" when it is not plain ASCII. In the arena. */
const char *mcp_header_value(struct arena *a, struct str value);

#endif
