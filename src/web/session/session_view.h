/* A session as pages show it. */
#ifndef ALFRED_WEB_SESSION_SESSION_VIEW_H
#define ALFRED_WEB_SESSION_SESSION_VIEW_H

#include "base/locale.h"
#include "codec/view.h"
#include "store/session/session.h"

/* The list of the sessions with a tag. */
const char *tag_url(struct arena *a, const char *name);
/* The sessions of a workspace. */
const char *workspace_url(struct arena *a, const char *name);

/* A line of the list: the row of the sidebar (session_row_view()), with url, topic, workspace, tags (name,
 * colour), tags_line, any_tags, count_words and the time of the last activity. `a` is the arena of the view.
 * The texts of `s` live as long. */
void session_view(struct arena *a, struct view *v, const struct locale *l, const struct session *s);

#endif
