/*
 * The limit of a member's costs in a calendar month of the user's time zone, [usage] member_month_cost. It
 * counts what /usage shows: answers, work in the background, pictures and sound, at today's prices. Models
 * without a price cost nothing. Admins have no limit.
 */
#ifndef ALFRED_APP_USAGE_BUDGET_H
#define ALFRED_APP_USAGE_BUDGET_H

#include "app/config/config.h"
#include "base/lang.h"
#include "base/time_zone.h"
#include "store/store.h"

struct budget {
    bool limited;         /* false: the others are not set */
    int64_t spent, limit; /* this month, in millionths of the currency */
};
enum rc budget_read(struct db *db, const struct config *c, int64_t owner, const struct time_zone *z,
    int64_t now, struct budget *out, struct err *e);

/* "This month: 1.23 EUR of 10.00 EUR", in the arena; NULL: no limit. */
const char *budget_words(
    struct arena *a, const struct lang *l, const struct config *c, const struct budget *b);

/* RC_BAD_INPUT with a sentence: the user may not ask this model any more this month. It is not
 * RC_RATE_LIMITED, after which clients ask again. An answer that has begun may exceed the limit. */
enum rc budget_check(struct db *db, const struct config *c, int64_t owner, const char *provider,
    const char *model, const struct time_zone *z, int64_t now, struct err *e);
/* The same with the sentence `key`, which has {limit} and {currency}. */
enum rc budget_check_saying(struct db *db, const struct config *c, int64_t owner, const char *provider,
    const char *model, const struct time_zone *z, int64_t now, const char *key, struct err *e);

#endif
