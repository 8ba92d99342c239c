#include "web/usage/usage_view.h"

#include "base/humanize.h"

#define BAR_STEP   10 /* units of the viewBox */
#define BAR_WIDTH  8
#define BAR_HEIGHT 100

static int64_t colour_of(size_t model)
{
    return model < PLOT_COLOURS - 1 ? (int64_t)model : PLOT_COLOURS - 1;
}

static const char *day_words(const struct req *r, int64_t at)
{
    struct tm day = time_zone_local(r->zone, at);
    return humanize_day(r->arena, r->lang, &day, WITHOUT_YEAR);
}

/* A figure that is not 0 has a visible part. */
static int64_t height_of(int64_t figure, int64_t peak)
{
    int64_t h = figure * BAR_HEIGHT / peak;
    return h || !figure ? h : 1;
}

static void add_bar(const struct req *r, struct view *bars, const struct usage *u, size_t at, int64_t peak,
    usage_figure *figure, usage_words *words)
{
    const struct usage_day *day = &u->days[at];
    int64_t top = BAR_HEIGHT;
    struct view *bar = view_item(bars);
    view_text(
        bar, "tip", arena_printf(r->arena, "%s: %s", day_words(r, day->at), words(r, figure(&day->sum))));
    struct view *parts = view_list(bar, "parts");
    for (size_t i = 0; day->models && i < u->models_n; i++) {
        int64_t h = height_of(figure(&day->models[i]), peak);
        if (h == 0)
            continue;
        top = top > h ? top - h : 0;
        struct view *part = view_item(parts);
        view_int(part, "x", (int64_t)at * BAR_STEP + (BAR_STEP - BAR_WIDTH) / 2);
        view_int(part, "y", top);
        view_int(part, "w", BAR_WIDTH);
        view_int(part, "h", h);
        view_int(part, "colour", colour_of(i));
    }
}

void usage_plot(struct req *r, struct view *plots, const struct usage *u, const char *title_key,
    usage_figure *figure, usage_words *words)
{
    size_t highest = 0;
    for (size_t i = 0; i < u->days_n; i++)
        if (figure(&u->days[i].sum) > figure(&u->days[highest].sum))
            highest = i;
    int64_t peak = figure(&u->days[highest].sum);
    if (peak <= 0)
        return;
    struct view *plot = view_item(plots);
    view_text(plot, "name", lang_text(r->lang, title_key));
    view_text(plot, "total", words(r, figure(&u->all)));
    view_text(plot, "label",
        lang_fill(r->arena, r->lang, "usage.plot_label",
            LANG_ARGS({"title", lang_text(r->lang, title_key)}, {"most", words(r, peak)},
                {"day", day_words(r, u->days[highest].at)})));
    view_text(plot, "peak", words(r, peak));
    view_text(plot, "first", day_words(r, u->days[0].at));
    view_text(plot, "last", lang_text(r->lang, "time.group_today"));
    view_int(plot, "width", (int64_t)u->days_n * BAR_STEP);
    view_int(plot, "height", BAR_HEIGHT);
    struct view *bars = view_list(plot, "bars");
    for (size_t i = 0; i < u->days_n; i++)
        if (figure(&u->days[i].sum) > 0)
            add_bar(r, bars, u, i, peak, figure, words);
}
