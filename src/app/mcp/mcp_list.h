/* Asks MCP servers for their tools and keeps the answers in the store. */
#ifndef ALFRED_APP_MCP_MCP_LIST_H
#define ALFRED_APP_MCP_MCP_LIST_H

#include "app/mcp/mcp_servers.h"
#include "mcp/mcp_tools.h"
#include "store/mcp.h"

/* Asks the server `at` and stores the result; blocks. A failure keeps the previous list. */
enum rc mcp_list_ask(const struct mcp_servers *s, size_t at, struct store *store, struct err *e);

/* Why a tool is left out, in English: "its name is too long". */
const char *mcp_fault_words(enum mcp_fault f);
/* The row of a server at its address; NULL: there is none. */
const struct mcp_server_row *mcp_row_of(
    const struct mcp_server_row *rows, size_t n, const struct config_mcp *m);

/* The tools of a stored list. One that cannot be read is empty. */
struct mcp_tools mcp_list_tools(struct arena *a, const char *stored);

#endif
