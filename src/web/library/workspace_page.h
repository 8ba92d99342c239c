/* The page of a workspace: its files, the user's instructions for it, and its name. */
#ifndef ALFRED_WEB_LIBRARY_WORKSPACE_PAGE_H
#define ALFRED_WEB_LIBRARY_WORKSPACE_PAGE_H

#include "store/session/workspace.h"
#include "web/http/request.h"
#include "web/http/route.h"

/* The rule of F_WORKSPACE for routes of one workspace. */
#define WORKSPACE_FIELD                                                                        \
    {                                                                                          \
        .field = F_WORKSPACE, .type = FIELD_LINE, .required = true, .max = WORKSPACE_CHARS_MAX \
    }

/* A form of the page (page_form). The workspace is that of F_WORKSPACE. */
enum rc workspace_page(struct req *r, struct resp *out, const struct err *why, struct err *e);

#endif
