/* The providers that are asked for their models at the start of the service. */
#include "migrated.h"

#include "fake_http.h"

#include "app/models/model_lists.h"
#include "app/models/providers.h"
#include "store/store.h"

#define BUSY "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n"

TEST(a_provider_that_failed_once_does_not_delay_the_next_start)
{
    struct fake_reply replies[FAKE_REQUESTS_MAX];
    for (size_t i = 0; i < ARRAY_LEN(replies); i++)
        replies[i] = (struct fake_reply){.text = BUSY};
    struct fake_http *f = fake_http_start(replies, ARRAY_LEN(replies));
    struct config *c;
    struct providers *p;
    struct store *s;
    char settings[512];
    snprintf(settings, sizeof settings, "[provider.one]\nkind = \"openai\"\nbase_url = \"%s\"\n", f->url);
    assert_int_equal(config_parse("test", unit_tmp(), str_of(settings), &c, NULL), RC_OK);
    assert_int_equal(providers_new(c, &p, NULL), RC_OK);
    const struct provider_source *one = NULL;
    for (size_t i = 0; i < p->sources_n; i++)
        if (strcmp(p->sources[i].name, "one") == 0)
            one = &p->sources[i];
    assert_non_null(one);
    const struct providers only = {
        .sources = one, .sources_n = 1, .allowed = p->allowed, .allowed_n = p->allowed_n};
    AUTO_STRBUF path;
    strbuf_init(&path, 4096);
    strbuf_addf(&path, "%s/model_lists.db", unit_tmp());
    assert_int_equal(store_open(unit_migrated(strbuf_str(&path).s), 1, &s, NULL), RC_OK);

    model_lists_start(&only, s);
    size_t asked = __atomic_load_n(&f->requests_n, __ATOMIC_SEQ_CST);
    assert_true(asked > 0);
    model_lists_start(&only, s);
    fake_http_stop(f);
    assert_int_equal(f->requests_n, asked);

    fake_http_free(f);
    store_free(s);
    providers_free(p);
    config_free(c);
}
