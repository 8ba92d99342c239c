/* The repetition of a task or reminder as choices of a form (app/reminder/repeat.h). */
#ifndef ALFRED_WEB_PAGE_REPEAT_VIEW_H
#define ALFRED_WEB_PAGE_REPEAT_VIEW_H

#include "base/lang.h"
#include "codec/view.h"

/* Adds the list "repeats" with `value`, `label` and `selected`. `choice` NULL: none is selected. */
void repeat_view(struct view *v, const struct lang *l, const char *choice);

#endif
