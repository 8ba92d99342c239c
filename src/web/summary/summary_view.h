/* A session's summaries on their page. */
#ifndef ALFRED_WEB_SUMMARY_SUMMARY_VIEW_H
#define ALFRED_WEB_SUMMARY_SUMMARY_VIEW_H

#include "web/summary/summary_resource.h"

/* Adds to `v`: session, summaries with body_html and words, pending, next_url, any, empty, action. */
void summaries_view(const struct req *r, struct view *v, const struct summaries *f);

#endif
