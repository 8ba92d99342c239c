/* The values of the usage page: totals, one plot for each figure, a table by model and one by day. */
#ifndef ALFRED_WEB_USAGE_USAGE_VIEW_H
#define ALFRED_WEB_USAGE_USAGE_VIEW_H

#include "app/usage/usage.h"
#include "web/http/request.h"

void usage_view(struct req *r, struct view *v, const struct usage *u);

/* usage_cost_words() for the reader of a page. */
const char *cost_words(const struct req *r, int64_t cost);

/* A plot: bars of the days, each stacked by model. The page draws it as SVG; its units are those of the
 * viewBox. Models after the first PLOT_COLOURS - 1 share the last colour. */
#define PLOT_COLOURS 6
typedef int64_t usage_figure(const struct usage_sum *s);
typedef const char *usage_words(const struct req *r, int64_t figure);
void usage_plot(struct req *r, struct view *plots, const struct usage *u, const char *title_key,
    usage_figure *figure, usage_words *words);

#endif
