/*
 * A form that is shown again: the control of the wrong field gets the focus, aria-invalid, and the message
 * as its description, and the <details> around it are open. This works on the rendered page, so that no
 * template has a condition at each control, and that it also works without scripts.
 *
 * The page is one of our templates: attributes are in double quotes, and values have no raw <, > or ".
 */
#ifndef ALFRED_WEB_PAGE_WRONG_FORM_H
#define ALFRED_WEB_PAGE_WRONG_FORM_H

#include "base/mem.h"
#include "base/strbuf.h"

/* The id of the message (templates/partials/problem.mustache). */
#define WRONG_FORM_MESSAGE "problem"

/* Marks the control with this name in the form that posts to `path`. A page without one stays as it is. */
void wrong_form_mark(struct arena *a, struct str path, const char *field, struct strbuf *page);

#endif
