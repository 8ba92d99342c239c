/* The MCP servers of alfred.toml, with their secrets (docs/mcp.md). */
#ifndef ALFRED_APP_MCP_MCP_SERVERS_H
#define ALFRED_APP_MCP_MCP_SERVERS_H

#include "app/config/config.h"
#include "mcp/mcp.h"

struct mcp_servers {
    const struct config *config;
    struct mcp_server *list; /* by the index of config->mcp; .url NULL: it is switched off */
    size_t n;
    const char **allowed; /* "host:port" of all: they may be private, because the owner named them */
    size_t allowed_n;
    struct arena *arena;
};

/* `c` must outlive them. RC_BAD_INPUT, RC_FORBIDDEN, with a sentence: a secret is missing or not private. */
enum rc mcp_servers_new(const struct config *c, struct mcp_servers **out, struct err *e);
void mcp_servers_free(struct mcp_servers *s); /* NULL is fine */
DEFINE_AUTO(mcp_servers);

/* The displayed name. */
const char *mcp_server_label(const struct config_mcp *m);
/* The index of an enabled server; SIZE_MAX: none. */
size_t mcp_server_find(const struct config *c, const char *name);
/* Whether the server is enabled and the user with this name may use it. */
bool mcp_server_serves(const struct config_mcp *m, const char *user);
bool mcp_servers_any(const struct config *c, const char *user); /* at least one does */

#endif
