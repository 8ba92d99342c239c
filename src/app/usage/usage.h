/* The usage of models by a user, or by all users: by day of the reader's time zone and by model, with the
 * prices of alfred.toml. */
#ifndef ALFRED_APP_USAGE_USAGE_H
#define ALFRED_APP_USAGE_USAGE_H

#include "app/config/config.h"
#include "base/lang.h"
#include "base/time_zone.h"
#include "store/account/usage.h"
#include "store/store.h"

#define USAGE_DAYS_MAX 366

struct usage_sum {
    int64_t answers, tokens_in, tokens_out, tokens_cached, tokens_reasoning, sound_ms;
    int64_t cost; /* millionths of the currency, of the models with a price */
};

struct usage_model {
    const char *provider, *model;
    bool priced;
    struct usage_sum sum;
};

struct usage_day {
    int64_t at; /* noon of the day, milliseconds */
    struct usage_sum sum;
    struct usage_sum *models; /* by the index of usage.models; NULL: nothing on this day */
};

struct usage {
    struct usage_day *days; /* ascending, without gaps; the last is today */
    size_t days_n;
    struct usage_model *models; /* the one with most tokens first */
    size_t models_n;
    struct usage_sum all;
    bool priced;     /* a model has a price */
    bool unpriced;   /* a model with tokens or sound has none, so that costs are incomplete */
    bool background; /* titles, summaries and others are among the tokens */
};

/* The last `days` days, in the arena. Owner 0: all users. */
enum rc usage_read(struct db *db, struct arena *a, const struct config *c, int64_t owner, int days,
    const struct time_zone *z, int64_t now, struct usage *out, struct err *e);

/* The cost of tokens, of the pictures of the model of [drawing], which are its answers, or of the sound of
 * the model of [speech], in millionths of the currency; false: the model has no price. */
bool usage_cost(
    const struct config *c, const char *provider, const char *model, const struct usage_sum *s, int64_t *out);

/* "1.23 USD", "< 0.01 USD" of millionths, in the arena. */
const char *usage_cost_words(struct arena *a, const struct lang *l, const struct config *c, int64_t cost);

/* Counts one use, lazily (store_write_lazy()): a power failure may undo it. */
enum rc usage_count(struct store *s, int64_t owner, const struct usage_row *row, struct err *e);

#endif
