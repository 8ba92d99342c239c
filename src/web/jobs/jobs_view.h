/* The helper's jobs on the admins' page. */
#ifndef ALFRED_WEB_JOBS_JOBS_VIEW_H
#define ALFRED_WEB_JOBS_JOBS_VIEW_H

#include "web/http/request.h"

/* Adds to `v`: any, kinds (label and counts), parts (failed, running, waiting: their newest jobs), skipped
 * (texts without a vector, by reason). */
enum rc jobs_view(struct req *r, struct view *v, struct err *e);

#endif
