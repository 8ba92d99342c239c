/* Reminders that are due, in the frame of every page. */
#ifndef ALFRED_WEB_PAGE_DUE_VIEW_H
#define ALFRED_WEB_PAGE_DUE_VIEW_H

#include "web/http/request.h"

#define DUE_SHOWN_MAX 20 /* the page of reminders shows these; further ones follow when some are answered */
#define DUE_IN_CORNER 3  /* other pages show these, and a link; static/css/due.css hides the rest */

/* Adds "due": the newest that are not answered. */
enum rc due_view(struct req *r, struct view *v, struct err *e);
/* The same as HTML, for scripts. */
enum rc due_html(struct req *r, struct str *html, struct err *e);

#endif
