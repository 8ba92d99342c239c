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
/* "2", "0.006": at most six decimals, in millionths of the currency. */
bool config_price_read(struct str s, int64_t *out);
/* False: alfred.toml has no price of this model. */
bool config_price_of(
    const struct config *c, const char *provider, const char *model, struct config_price *out);
/* The price of a minute of sound, in millionths. False: it has none, or this is not the model of [speech]. */
bool config_price_of_speech(const struct config *c, const char *provider, const char *model, int64_t *out);

#endif
