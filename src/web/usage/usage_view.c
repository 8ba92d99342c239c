#include "web/usage/usage_view.h"

#include "base/clock.h"
#include "base/humanize.h"
#include "web/http/web.h"

static int64_t answers_of(const struct usage_sum *s)
{
    return s->answers;
}

static int64_t tokens_of(const struct usage_sum *s)
{
    return s->tokens_in + s->tokens_out;
}

static int64_t cost_of(const struct usage_sum *s)
{
    return s->cost;
}

static const char *number_words(const struct req *r, int64_t n)
{
    return humanize_number(r->arena, r->lang, n);
}

const char *cost_words(const struct req *r, int64_t cost)
{
    return usage_cost_words(r->arena, r->lang, r->web->config, cost);
}

/* "3:05", minutes and seconds. */
static const char *sound_words(const struct req *r, int64_t ms)
{
    int64_t s = (ms + MS_PER_S / 2) / MS_PER_S;
    return arena_printf(r->arena, "%lld:%02d", (long long)(s / 60), (int)(s % 60));
}

static void view_sum(
    const struct req *r, struct view *v, const struct usage_sum *s, bool priced, bool with_sound)
{
    view_text(v, "answers", number_words(r, s->answers));
    view_text(v, "input", number_words(r, s->tokens_in));
    view_text(v, "output", number_words(r, s->tokens_out));
    view_text(v, "cached", number_words(r, s->tokens_cached));
    if (with_sound)
        view_text(v, "sound", sound_words(r, s->sound_ms));
    view_text(v, "cost", priced ? cost_words(r, s->cost) : "–");
}

static void view_models(const struct req *r, struct view *v, const struct usage *u)
{
    struct view *list = view_list(v, "models");
    for (size_t i = 0; i < u->models_n; i++) {
        const struct usage_model *m = &u->models[i];
        struct view *row = view_item(list);
        view_text(row, "name", *m->model ? m->model : *m->provider ? m->provider : "–");
        view_text(row, "provider", *m->model && *m->provider ? m->provider : NULL);
        view_int(row, "colour", (int64_t)(i < PLOT_COLOURS - 1 ? i : PLOT_COLOURS - 1));
        view_sum(r, row, &m->sum, m->priced, u->all.sound_ms > 0);
    }
}

static void view_days(const struct req *r, struct view *v, const struct usage *u)
{
    struct view *list = view_list(v, "days");
    for (size_t i = u->days_n; i > 0; i--) {
        const struct usage_day *day = &u->days[i - 1];
        if (!day->models)
            continue;
        struct tm tm = time_zone_local(r->zone, day->at);
        struct view *row = view_item(list);
        view_text(row, "day", humanize_day(r->arena, r->lang, &tm, WITHOUT_YEAR));
        view_sum(r, row, &day->sum, u->priced, u->all.sound_ms > 0);
    }
}

void usage_view(struct req *r, struct view *v, const struct usage *u)
{
    view_bool(v, "any", u->models_n > 0);
    view_bool(v, "priced", u->priced);
    view_bool(v, "unpriced", u->priced && u->unpriced);
    view_bool(v, "background", u->background);
    view_bool(v, "any_sound", u->all.sound_ms > 0);
    view_sum(r, v, &u->all, u->priced, u->all.sound_ms > 0);
    struct view *plots = view_list(v, "plots");
    usage_plot(r, plots, u, "usage.tokens", tokens_of, number_words);
    usage_plot(r, plots, u, "usage.answers", answers_of, number_words);
    if (u->priced)
        usage_plot(r, plots, u, "usage.cost", cost_of, cost_words);
    view_models(r, v, u);
    view_days(r, v, u);
}
