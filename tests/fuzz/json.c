/* JSON bodies. An accepted body is within the limits. Our own writer and the parser keep its strings
 * unchanged. Lines that are a series (json_series.h) give the same trees as single texts. A repair
 * (json_repair.h) leaves UTF-8, does not change its own result, and changes nothing that is accepted. */
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/json/json_repair.h"
#include "codec/json/json_series.h"
#include "codec/view.h"

#define CAP (256 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_string(struct str s)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 8 * CAP);
    strbuf_addc(&b, '[');
    json_add_string(&b, s);
    strbuf_addc(&b, ']');
    AUTO(json_t) back = NULL;
    if (!utf8_valid_text(s) || json_parse(strbuf_str(&b), b.cap, &back, NULL) != RC_OK)
        abort();
    const json_t *v = json_array_get(back, 0);
    if (!str_eq(s, (struct str){json_string_value(v), json_string_length(v)}))
        abort();
}

static void check(const json_t *v, int depth)
{
    if (depth > JSON_DEPTH_MAX + 1)
        abort();
    if (json_is_string(v))
        check_string((struct str){json_string_value(v), json_string_length(v)});
    const char *key;
    json_t *m;
    size_t i;
    json_object_foreach((json_t *)v, key, m)
    {
        check_string(str_of(key));
        check(m, depth + 1);
    }
    json_array_foreach(v, i, m) check(m, depth + 1);
}

static void check_series(struct str lines)
{
    struct json_series s;
    json_series_init(&s, CAP);
    while (lines.s && lines.len) {
        struct str line = str_cut(&lines, '\n');
        AUTO(json_t) v = NULL;
        json_parse(line, CAP, &v, NULL);
        const json_t *got = json_series_next(&s, line);
        if (got && (!v || !json_equal(got, v)))
            abort();
        if (!got)
            json_series_begin(&s, line);
    }
    json_series_release(&s);
}

static void check_repair(struct str text)
{
    AUTO_STRBUF once;
    AUTO_STRBUF twice;
    AUTO(json_t) v = NULL;
    strbuf_init(&once, 3 * text.len);
    strbuf_init(&twice, 3 * text.len);
    json_repair(&once, text);
    json_repair(&twice, strbuf_str(&once));
    bool bad = once.failed;
    for (struct str rest = strbuf_str(&once); rest.len;)
        utf8_next(&rest, &bad);
    bool accepted = json_parse(text, CAP, &v, NULL) == RC_OK;
    if (bad || !str_eq(strbuf_str(&once), strbuf_str(&twice)) ||
        (accepted && !str_eq(strbuf_str(&once), text)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_series((struct str){(const char *)data, size});
    check_repair((struct str){(const char *)data, size});
    AUTO(json_t) v = NULL;
    struct err e = ERR_INIT;
    enum rc rc = json_parse((struct str){(const char *)data, size}, CAP, &v, &e);
    if ((rc == RC_OK) != (v != NULL) || (rc != RC_OK && !e.for_user))
        abort();
    if (v)
        check(v, 1);
    return 0;
}
