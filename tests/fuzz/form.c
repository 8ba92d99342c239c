/* Form bodies and query strings. An accepted form is text with unique names, and encoding it gives the
 * same form. */
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/form.h"
#include "codec/url.h"

#define ENCODED_MAX (1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(struct arena *a, const struct form *f)
{
    AUTO_STRBUF b;
    strbuf_init(&b, ENCODED_MAX);
    for (size_t i = 0; i < f->n; i++) {
        if (!utf8_valid_text(f->fields[i].name) || !utf8_valid_text(f->fields[i].value))
            abort();
        url_encode(&b, f->fields[i].name);
        strbuf_addc(&b, '=');
        url_encode(&b, f->fields[i].value);
        strbuf_addc(&b, '&');
    }
    struct form again;
    if (form_parse(a, strbuf_str(&b), &again, NULL) != RC_OK || again.n != f->n)
        abort();
    for (size_t i = 0; i < f->n; i++)
        if (!str_eq(f->fields[i].name, again.fields[i].name) ||
            !str_eq(f->fields[i].value, again.fields[i].value))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) a = arena_new();
    struct form f;
    if (form_parse(a, (struct str){(const char *)data, size}, &f, NULL) == RC_OK)
        check_same(a, &f);
    return 0;
}
