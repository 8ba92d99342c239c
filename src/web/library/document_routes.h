/* The texts of office documents: for the pages' scripts, and as files of workspaces. */
#ifndef ALFRED_WEB_LIBRARY_DOCUMENT_ROUTES_H
#define ALFRED_WEB_LIBRARY_DOCUMENT_ROUTES_H

#include "web/http/route.h"

extern const struct route_table document_routes;

/* Saves a document, or a text in UTF-8, as file of the workspace F_WORKSPACE. `name`: as it was sent. *added
 * (may be NULL): the name is new. Failures have a sentence (codec/document, app/session/workspace_file.h). */
enum rc document_save(
    struct req *r, struct str name, struct str bytes, int64_t *id, bool *added, struct err *e);

#endif
