#include "app/config/config_price.h"

#include <string.h>

#define MILLION      1000000
#define DECIMALS     6
#define UNITS_MAX    1000000 /* a higher price of a million tokens is a mistake */
#define FIELDS_LEAST 3
#define FIELDS_MOST  4

bool config_price_read(struct str s, int64_t *out)
{
    struct str rest = s, whole = str_cut(&rest, '.');
    int64_t units, parts = 0;
    if (!str_to_int(whole, 0, UNITS_MAX, &units))
        return false;
    if (rest.s) {
        if (rest.len > DECIMALS || !str_to_int(rest, 0, MILLION, &parts))
            return false;
        for (size_t i = rest.len; i < DECIMALS; i++)
            parts *= 10;
    }
    *out = units * MILLION + parts;
    return true;
}

bool config_price_parse(const char *line, struct str *model, struct config_price *out)
{
    struct str fields[FIELDS_MOST] = {{0}}, rest = str_of(line);
    size_t n = 0;
    while (rest.s) {
        struct str field = str_cut(&rest, ' ');
        if (field.len == 0)
            continue;
        if (n == FIELDS_MOST)
            return false;
        fields[n++] = field;
    }
    if (n < FIELDS_LEAST || !config_price_read(fields[1], &out->in) ||
        !config_price_read(fields[2], &out->out))
        return false;
    *model = fields[0];
    out->cached = out->in;
    return n == FIELDS_LEAST || config_price_read(fields[3], &out->cached);
}

static bool fits(struct str pattern, const char *model)
{
    bool open = pattern.len && pattern.s[pattern.len - 1] == '*';
    return open ? strncmp(model, pattern.s, pattern.len - 1) == 0 : str_is(pattern, model);
}

bool config_price_of(
    const struct config *c, const char *provider, const char *model, struct config_price *out)
{
    for (size_t i = 0; i < c->providers_n; i++) {
        const struct config_provider *p = &c->providers[i];
        for (size_t k = 0; strcmp(p->name, provider) == 0 && k < p->prices.n; k++) {
            struct str pattern;
            if (config_price_parse(p->prices.v[k], &pattern, out) && fits(pattern, model))
                return true;
        }
    }
    return false;
}

bool config_price_of_speech(const struct config *c, const char *provider, const char *model, int64_t *out)
{
    if (!c->speech.minute_price || !*c->speech.minute_price)
        return false;
    const char *own = *c->speech.model ? c->speech.model : CONFIG_SPEECH_MODEL;
    return strcmp(provider, c->speech.provider) == 0 && strcmp(model, own) == 0 &&
           config_price_read(str_of(c->speech.minute_price), out);
}
