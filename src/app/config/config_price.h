/*
 * Prices of models: the lines of [provider.NAME] prices.
 *
 *     "MODEL INPUT OUTPUT [CACHED]"      the prices of a million tokens: "gpt-4.1 2.00 8.00 0.50"
 *
 * CACHED is the price of input tokens that the provider read from its cache; without it they cost as much as
 * other input tokens. A MODEL that ends in "*" matches all names with this beginning; the first matching
 * line counts.
 */
#ifndef ALFRED_APP_CONFIG_CONFIG_PRICE_H
#define ALFRED_APP_CONFIG_CONFIG_PRICE_H

#include "app/config/config.h"

/* In millionths of the currency, for a million tokens. */
struct config_price {
    int64_t in, out, cached;
};

/* `model` points into the line. False: it has another form. */
bool config_price_parse(const char *line, struct str *model, struct config_price *out);
/* False: alfred.toml has no price of this model. */
bool config_price_of(
    const struct config *c, const char *provider, const char *model, struct config_price *out);

#endif
