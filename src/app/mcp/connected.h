/*
 * Connected tools: those of MCP servers that the models of a user may call, from the stored lists. A turn
 * reads them once, so they stay the same while it runs.
 */
#ifndef ALFRED_APP_MCP_CONNECTED_H
#define ALFRED_APP_MCP_CONNECTED_H

#include "app/mcp/mcp_list.h"
#include "llm/llm.h"

struct connected_tool {
    struct llm_tool offer; /* its name is NAME_tool, with LLM_NAME_MAX characters of a-z, A-Z, 0-9, _ and - */
    const char *from;      /* "Home: Turn on": label of the server and title of the tool */
    size_t server;         /* index of config->mcp */
    enum mcp_era era;      /* of the server, when the list was read */
    const char *name;      /* at the server */
    bool reads;            /* changes nothing, says the server */
};

struct connected_tools {
    const struct connected_tool *list;
    size_t n;
};

/* Why a tool of a list is not offered. */
enum connected_why { CONNECTED_OFFERED, CONNECTED_FAULT, CONNECTED_CHANGES, CONNECTED_NOT_NAMED };
enum connected_why connected_why(const struct config_mcp *m, const struct mcp_tool *t);

/* Those of a user, in the arena: the servers in the order of the settings, their tools in the order of their
 * lists. None, without a statement, when no server is set up. `taken`: names that they must not have. */
enum rc connected_read(struct db *db, struct arena *a, const struct config *c, int64_t owner,
    bool (*taken)(const char *name), struct connected_tools *out, struct err *e);

const struct connected_tool *connected_find(const struct connected_tools *all, const char *name);

#endif
