/* The files of workspaces: forms of the page of a workspace, the page of a file, and the API. */
#ifndef ALFRED_WEB_LIBRARY_WORKSPACE_FILE_ROUTES_H
#define ALFRED_WEB_LIBRARY_WORKSPACE_FILE_ROUTES_H

#include "web/http/route.h"

extern const struct route_table workspace_file_routes;

#endif
