#include "web/usage/usage_resource.h"

#include "base/clock.h"
#include "web/http/web.h"

static void put_sum(struct view *v, const struct usage_sum *s, bool priced)
{
    view_int(v, "answers", s->answers);
    view_int(v, "input_tokens", s->tokens_in);
    view_int(v, "output_tokens", s->tokens_out);
    view_int(v, "cached_tokens", s->tokens_cached);
    view_int(v, "reasoning_tokens", s->tokens_reasoning);
    view_int(v, "audio_seconds", (s->sound_ms + MS_PER_S / 2) / MS_PER_S);
    if (priced)
        view_int(v, "cost", s->cost);
    else
        view_null(v, "cost");
}

static void put_model(struct view *list, const struct usage_model *m, const struct usage_sum *s)
{
    struct view *item = view_item(list);
    view_text(item, "provider", m->provider);
    view_text(item, "model", m->model);
    put_sum(item, s, m->priced);
}

void usage_days_resource(struct req *r, struct view *v, const struct usage *u, const struct budget *b)
{
    view_text(v, "currency", u->priced || b->limited ? r->web->config->usage.currency : NULL);
    if (b->limited) {
        struct view *month = view_obj(v, "month");
        view_int(month, "cost", b->spent);
        view_int(month, "limit", b->limit);
    } else
        view_null(v, "month");
    put_sum(view_obj(v, "total"), &u->all, u->priced);
    struct view *models = view_list(v, "models");
    for (size_t i = 0; i < u->models_n; i++)
        put_model(models, &u->models[i], &u->models[i].sum);
    struct view *days = view_list(v, "days");
    for (size_t i = 0; i < u->days_n; i++) {
        const struct usage_day *day = &u->days[i];
        if (!day->models)
            continue;
        struct tm tm = time_zone_local(r->zone, day->at);
        struct view *item = view_item(days);
        view_text(item, "day",
            arena_printf(r->arena, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday));
        put_sum(item, &day->sum, u->priced);
        struct view *of_day = view_list(item, "models");
        for (size_t k = 0; k < u->models_n; k++)
            if (day->models[k].answers || day->models[k].tokens_in || day->models[k].tokens_out)
                put_model(of_day, &u->models[k], &day->models[k]);
    }
}
