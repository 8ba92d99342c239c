/*
 * The list of a server's tools, and what a call returns. All of it is untrusted: texts are valid UTF-8
 * without control characters, and have caps.
 */
#ifndef ALFRED_MCP_MCP_TOOLS_H
#define ALFRED_MCP_MCP_TOOLS_H

#include "base/mem.h"
#include "mcp/mcp.h"

#define MCP_TOOLS_MAX       128 /* of a server; further ones are left out */
#define MCP_PAGES_MAX       32  /* of a list */
#define MCP_CURSOR_MAX      1024
#define MCP_LIST_MS         30000 /* for the whole list */
#define MCP_NAME_MAX        128   /* bytes */
#define MCP_TITLE_MAX       100   /* bytes; a longer one is cut */
#define MCP_DESCRIPTION_MAX 4096
#define MCP_SCHEMA_MAX      ((size_t)16 * 1024)
#define MCP_PARAMS_MAX      16 /* arguments that are headers, too */

/* Why a tool is not offered to models. The numbers are stored. */
enum mcp_fault { MCP_FINE, MCP_BAD_NAME, MCP_BAD_SCHEMA, MCP_BIG_SCHEMA, MCP_BAD_HEADERS, MCP_NEEDS_TASK };

struct mcp_tool {
    const char *name;
    const char *title; /* for people; the name when the server gave none */
    const char *description;
    const char *schema; /* JSON; "": MCP_BAD_SCHEMA and others */
    bool reads;         /* the server says that it changes nothing */
    enum mcp_fault fault;
};

struct mcp_tools {
    struct mcp_tool *list; /* [MCP_TOOLS_MAX]; each name once */
    size_t n;
    bool cut; /* the server has more */
};

/* Adds the tools of a page (result of "tools/list"). RC_UPSTREAM: it is none. */
enum rc mcp_tools_add(struct arena *a, const json_t *page, struct mcp_tools *out, struct err *e);
/* Reads the whole list; blocks. `link` as for a call. The text of `e` is for the user. */
enum rc mcp_tools_read(const struct mcp_server *s, const char *const *allowed, size_t allowed_n,
    struct mcp_link *link, struct arena *a, struct mcp_tools *out, struct err *e);

/* The result of "tools/call" as text: texts, else the structured content. Pictures, sounds and resources are
 * named; mcp_images() has the pictures. `*failed`: the tool says that it failed. RC_UPSTREAM, with a
 * sentence: it is no result, or the server wants input. */
enum rc mcp_content(
    struct arena *a, const json_t *result, size_t room, struct str *text, bool *failed, struct err *e);

/* The base64 of the pictures of a result, valid as long as the result: at most `max`; returns their number.
 */
size_t mcp_images(const json_t *result, struct str *base64, size_t max);

/* The schema of arguments in the form that providers of models take, which the caller frees. NULL: it is not
 * of an object with arguments. */
char *mcp_schema_text(const json_t *schema);

/* The headers of arguments that the schema marks with x-mcp-header, at most MCP_PARAMS_MAX in `out`. False:
 * the schema breaks the rules for them. `args` NULL: only checks. */
bool mcp_param_headers(
    struct arena *a, const json_t *schema, const json_t *args, struct http_header *out, size_t *n);

#endif
