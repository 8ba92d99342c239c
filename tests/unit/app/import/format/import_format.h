/* Shared by the tests of other services' formats. */
#ifndef ALFRED_TESTS_APP_IMPORT_FORMAT_H
#define ALFRED_TESTS_APP_IMPORT_FORMAT_H

#include "app/import/import_home.h"

struct read {
    struct arena *a;
    struct import_conversation c;
};

typedef enum rc reader(struct import_conversation *c, const json_t *v, struct err *e);

__attribute__((unused)) static struct read reads(reader *fn, const char *text)
{
    struct read r = {.a = arena_new()};
    AUTO(json_t) v = NULL;
    r.c = (struct import_conversation){.a = r.a};
    assert_ok(json_parse_within(str_of(text), IMPORT_VALUE_MAX, IMPORT_LIMITS, &v, NULL));
    assert_ok(fn(&r.c, v, NULL));
    import_tree(&r.c);
    return r;
}

/* The same of a text with ' instead of ". */
__attribute__((unused)) static struct read reads_quoted(reader *fn, const char *text)
{
    AUTO_FREE char *json = xstrdup(text);
    for (char *p = json; *p; p++)
        if (*p == '\'')
            *p = '"';
    return reads(fn, json);
}

/* The k-th kept message. */
__attribute__((unused)) static const struct import_message *kept(const struct read *r, size_t k)
{
    assert_true(k < r->c.order_n);
    return &r->c.messages[r->c.order[k]];
}

#endif
