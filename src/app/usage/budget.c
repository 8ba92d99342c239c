#include "app/usage/budget.h"

#include <time.h>

#include "app/usage/usage.h"
#include "base/clock.h"
#include "store/account/usage.h"
#include "store/account/user.h"

#define MILLION INT64_C(1000000)

static int64_t month_begin(const struct time_zone *z, int64_t now)
{
    struct tm tm = time_zone_local(z, now);
    struct tm first = {.tm_year = tm.tm_year, .tm_mon = tm.tm_mon, .tm_mday = 1};
    return time_zone_at(z, (int64_t)timegm(&first) * MS_PER_S);
}

enum rc budget_read(struct db *db, const struct config *c, int64_t owner, const struct time_zone *z,
    int64_t now, struct budget *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user user;
    struct usage_row *rows;
    size_t n = 0;
    *out = (struct budget){.limit = c->usage.member_month_cost * MILLION};
    if (!out->limit)
        return RC_OK;
    enum rc rc = store_user_by_id(db, a, owner, &user, e);
    if (rc != RC_OK || user.role == USER_ADMIN)
        return rc;
    out->limited = true;
    rc = store_usage_by_model(db, a, owner, month_begin(z, now) / USAGE_QUARTER_MS, &rows, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        int64_t cost;
        struct usage_sum s = {.answers = rows[i].answers,
            .tokens_in = rows[i].tokens_in,
            .tokens_out = rows[i].tokens_out,
            .tokens_cached = rows[i].tokens_cached,
            .sound_ms = rows[i].sound_ms};
        if (usage_cost(c, rows[i].provider, rows[i].model, &s, &cost))
            out->spent += cost;
    }
    return rc;
}

const char *budget_words(
    struct arena *a, const struct lang *l, const struct config *c, const struct budget *b)
{
    if (!b->limited)
        return NULL;
    return lang_fill(a, l, "usage.budget",
        LANG_ARGS(
            {"spent", usage_cost_words(a, l, c, b->spent)}, {"limit", usage_cost_words(a, l, c, b->limit)}));
}

enum rc budget_check_saying(struct db *db, const struct config *c, int64_t owner, const char *provider,
    const char *model, const struct time_zone *z, int64_t now, const char *key, struct err *e)
{
    struct budget b = {0};
    int64_t cost;
    if (!c->usage.member_month_cost || !usage_cost(c, provider, model, &(struct usage_sum){0}, &cost))
        return RC_OK;
    enum rc rc = budget_read(db, c, owner, z, now, &b, e);
    if (rc != RC_OK || !b.limited || b.spent < b.limit)
        return rc;
    return err_say(e, RC_BAD_INPUT, key, arg_int("limit", c->usage.member_month_cost),
        arg_text("currency", c->usage.currency));
}

enum rc budget_check(struct db *db, const struct config *c, int64_t owner, const char *provider,
    const char *model, const struct time_zone *z, int64_t now, struct err *e)
{
    return budget_check_saying(db, c, owner, provider, model, z, now, "usage.budget_spent", e);
}
