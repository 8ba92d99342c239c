/*
 * The text of a form that is refused because of the sign-in: nobody is signed in any more, or somebody has
 * signed in again since the page was loaded. The page of the error shows it, so that it is not lost. It is
 * only shown to the browser that has just sent it, and is stored nowhere: the next sign-in may be that of
 * another user.
 */
#ifndef ALFRED_WEB_PAGE_TYPED_VIEW_H
#define ALFRED_WEB_PAGE_TYPED_VIEW_H

#include "web/http/request.h"

/* Adds "any_typed", and the list "typed" with the texts that were typed. The body may be that of a stranger.
 * True: there is one. */
bool typed_view(const struct req *r, struct view *v);
/* Adds "sent_file": the form had a file, which no page can show again. */
void sent_file_view(const struct req *r, struct view *v);

#endif
