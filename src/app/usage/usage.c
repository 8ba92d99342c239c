#include "app/usage/usage.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/config_price.h"
#include "base/clock.h"
#include "base/strbuf.h"

#define MILLION             1000000.0
#define MILLIONTHS_PER_CENT 10000
#define CENTS               100
#define NUMBER_MAX          96

struct counting {
    const struct config *config;
    const struct usage_row *rows;
    size_t n;
    size_t *model_of; /* by row: index in out->models */
    struct usage *out;
};

static void add(struct usage_sum *to, const struct usage_sum *s)
{
    to->answers += s->answers;
    to->tokens_in += s->tokens_in;
    to->tokens_out += s->tokens_out;
    to->tokens_cached += s->tokens_cached;
    to->tokens_reasoning += s->tokens_reasoning;
    to->sound_ms += s->sound_ms;
    to->cost += s->cost;
}

bool usage_cost(
    const struct config *c, const char *provider, const char *model, const struct usage_sum *s, int64_t *out)
{
    struct config_price p;
    int64_t minute;
    if (c->drawing.cents && strcmp(provider, c->drawing.provider) == 0 &&
        strcmp(model, c->drawing.model) == 0) {
        *out = s->answers * c->drawing.cents * MILLIONTHS_PER_CENT;
        return true;
    }
    if (config_price_of_speech(c, provider, model, &minute)) {
        *out = (int64_t)((double)s->sound_ms * (double)minute / MS_PER_MIN + 0.5);
        return true;
    }
    if (!config_price_of(c, provider, model, &p))
        return false;
    int64_t cached = s->tokens_cached < s->tokens_in ? s->tokens_cached : s->tokens_in;
    double cost = (double)(s->tokens_in - cached) * (double)p.in + (double)cached * (double)p.cached +
                  (double)s->tokens_out * (double)p.out;
    *out = (int64_t)(cost / MILLION + 0.5);
    return true;
}

static size_t model_index(struct counting *k, const struct usage_row *r)
{
    struct usage *u = k->out;
    for (size_t i = u->models_n; i > 0; i--)
        if (strcmp(u->models[i - 1].model, r->model) == 0 &&
            strcmp(u->models[i - 1].provider, r->provider) == 0)
            return i - 1;
    u->models[u->models_n] = (struct usage_model){.provider = r->provider, .model = r->model};
    return u->models_n++;
}

static struct usage_sum sum_of(struct counting *k, const struct usage_row *r, struct usage_model *m)
{
    struct usage_sum s = {.answers = r->answers,
        .tokens_in = r->tokens_in,
        .tokens_out = r->tokens_out,
        .tokens_cached = r->tokens_cached,
        .tokens_reasoning = r->tokens_reasoning,
        .sound_ms = r->sound_ms};
    m->priced = usage_cost(k->config, m->provider, m->model, &s, &s.cost);
    return s;
}

struct ranked {
    const struct usage_model *model;
};

static int by_tokens(const void *x, const void *y)
{
    const struct usage_model *a = ((const struct ranked *)x)->model, *b = ((const struct ranked *)y)->model;
    int64_t m = a->sum.tokens_in + a->sum.tokens_out, n = b->sum.tokens_in + b->sum.tokens_out;
    if (m != n)
        return m < n ? 1 : -1;
    int64_t more = b->sum.answers - a->sum.answers;
    return more ? (more > 0) - (more < 0) : strcmp(a->model, b->model);
}

/* Sorts the models, and makes model_of fit. */
static void rank_models(struct counting *k, struct arena *a)
{
    struct usage *u = k->out;
    struct ranked *order = ARENA_ARRAY(a, struct ranked, u->models_n + 1);
    size_t *place = ARENA_ARRAY(a, size_t, u->models_n + 1);
    struct usage_model *sorted = ARENA_ARRAY(a, struct usage_model, u->models_n + 1);
    for (size_t i = 0; i < u->models_n; i++)
        order[i].model = &u->models[i];
    qsort(order, u->models_n, sizeof *order, by_tokens);
    for (size_t i = 0; i < u->models_n; i++) {
        sorted[i] = *order[i].model;
        place[order[i].model - u->models] = i;
    }
    for (size_t i = 0; i < k->n; i++)
        k->model_of[i] = place[k->model_of[i]];
    u->models = sorted;
}

static void sum_models(struct counting *k, struct arena *a)
{
    struct usage *u = k->out;
    u->models = ARENA_ARRAY(a, struct usage_model, k->n + 1);
    k->model_of = ARENA_ARRAY(a, size_t, k->n + 1);
    for (size_t i = 0; i < k->n; i++) {
        k->model_of[i] = model_index(k, &k->rows[i]);
        struct usage_model *m = &u->models[k->model_of[i]];
        struct usage_sum s = sum_of(k, &k->rows[i], m);
        add(&m->sum, &s);
        add(&u->all, &s);
        u->priced |= m->priced;
        u->unpriced |= !m->priced && s.tokens_in + s.tokens_out + s.sound_ms > 0;
        u->background |= k->rows[i].background;
    }
    rank_models(k, a);
}

static int64_t noon_before(int64_t today, int64_t days)
{
    return today - days * MS_PER_DAY + MS_PER_DAY / 2;
}

/* `today`: midnight of today on the wall clock of the zone, as time_zone_wall() counts. */
static void sum_days(struct counting *k, struct arena *a, const struct time_zone *z, int64_t today)
{
    struct usage *u = k->out;
    for (size_t i = 0; i < u->days_n; i++)
        u->days[i].at = time_zone_at(z, noon_before(today, (int64_t)(u->days_n - 1 - i)));
    for (size_t i = 0; i < k->n; i++) {
        int64_t wall = time_zone_wall(z, k->rows[i].quarter * USAGE_QUARTER_MS);
        int64_t ago = wall >= today ? 0 : (today - wall + MS_PER_DAY - 1) / MS_PER_DAY;
        if (ago >= (int64_t)u->days_n)
            continue;
        struct usage_day *day = &u->days[u->days_n - 1 - (size_t)ago];
        if (!day->models)
            day->models = ARENA_ARRAY(a, struct usage_sum, u->models_n);
        struct usage_sum s = sum_of(k, &k->rows[i], &u->models[k->model_of[i]]);
        add(&day->models[k->model_of[i]], &s);
        add(&day->sum, &s);
    }
}

enum rc usage_read(struct db *db, struct arena *a, const struct config *c, int64_t owner, int days,
    const struct time_zone *z, int64_t now, struct usage *out, struct err *e)
{
    int64_t wall = time_zone_wall(z, now), today = wall - wall % MS_PER_DAY;
    int64_t first = time_zone_at(z, today - (days - 1) * MS_PER_DAY);
    struct counting k = {.config = c, .out = out};
    struct usage_row *rows;
    *out = (struct usage){.days = ARENA_ARRAY(a, struct usage_day, (size_t)days), .days_n = (size_t)days};
    enum rc rc = store_usage_since(db, a, owner, first / USAGE_QUARTER_MS, &rows, &k.n, e);
    if (rc != RC_OK)
        return rc;
    k.rows = rows;
    sum_models(&k, a);
    sum_days(&k, a, z, today);
    return RC_OK;
}

const char *usage_cost_words(struct arena *a, const struct lang *l, const struct config *c, int64_t cost)
{
    int64_t cents = (cost + MILLIONTHS_PER_CENT / 2) / MILLIONTHS_PER_CENT;
    bool tiny = cost > 0 && cents == 0;
    AUTO_STRBUF out;
    strbuf_init(&out, NUMBER_MAX);
    strbuf_adds(&out, tiny ? "< " : "");
    cents = tiny ? 1 : cents;
    lang_add_number(&out, l, cents / CENTS);
    strbuf_addf(&out, "%s%02d", lang_decimal(l), (int)(cents % CENTS));
    return arena_printf(a, "%s\xC2\xA0%s", out.s, c->usage.currency);
}

struct count_tx {
    int64_t owner;
    const struct usage_row *row;
};

static enum rc count_tx(struct db *db, void *arg, struct err *e)
{
    const struct count_tx *t = arg;
    return store_usage_add(db, t->owner, t->row, e);
}

enum rc usage_count(struct store *s, int64_t owner, const struct usage_row *row, struct err *e)
{
    return store_write_lazy(s, count_tx, &(struct count_tx){owner, row}, e);
}
