/* The page of connected tools: the MCP servers that the user's models may use. */
#ifndef ALFRED_WEB_MCP_MCP_ROUTES_H
#define ALFRED_WEB_MCP_MCP_ROUTES_H

#include "web/http/route.h"

extern const struct route_table mcp_routes;

#endif
