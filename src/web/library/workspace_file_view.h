/* The values of the files of a workspace, for pages and the API. */
#ifndef ALFRED_WEB_LIBRARY_WORKSPACE_FILE_VIEW_H
#define ALFRED_WEB_LIBRARY_WORKSPACE_FILE_VIEW_H

#include "store/session/workspace_file.h"
#include "web/http/request.h"

/* For the API, without the text. */
void workspace_file_resource(struct arena *a, struct view *v, const struct workspace_file *x);
/* The answer of the API to a file that was saved. `added`: its name is new. */
enum rc workspace_file_saved(struct req *r, struct resp *out, int64_t id, bool added, struct err *e);
/* For pages: with size and time in words. */
void workspace_file_view(const struct req *r, struct view *v, const struct workspace_file *x);
/* The list "files" of the page of a workspace, with the sum and the limits. */
enum rc workspace_files_view(const struct req *r, struct view *v, const char *workspace, struct err *e);

#endif
