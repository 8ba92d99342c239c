/*
 * A form that is shown again: its controls have what was sent, the <details> around and in it are open, and
 * the control of the wrong field gets the focus, aria-invalid, and the message as its description. This works
 * on the rendered page, so that no template has a condition at each control, and that it also works without
 * scripts.
 *
 * The page is one of our templates: attributes are in double quotes, and values have no raw <, > or ".
 */
#ifndef ALFRED_WEB_PAGE_FORM_AGAIN_H
#define ALFRED_WEB_PAGE_FORM_AGAIN_H

#include "base/mem.h"
#include "base/strbuf.h"
#include "web/http/fields.h"

/* The id of the message (templates/partials/problem.mustache). */
#define FORM_AGAIN_MESSAGE "problem"

struct form_sent {
    struct str path;                /* to which it was posted */
    const struct field_rule *rules; /* NULL: none */
    const struct field_value *values;
    const char *wrong; /* the name of the wrong field. NULL: unknown */
};

/* Of several forms that post to the path, this is the first of those with the most fields that were sent.
 * A page without such a form stays as it is. Hidden controls, secrets and files keep what the page has. */
void form_again(struct arena *a, const struct form_sent *sent, struct strbuf *page);

#endif
