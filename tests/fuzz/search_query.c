/* The language of the search box. Parts are in the query, in order, and not empty; each can be removed. */
#include <stdlib.h>

#include "codec/words/search_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct query_parts q;
    AUTO(arena) a = arena_new();
    query_parse(text, &q);
    const char *at = text.s;
    for (size_t i = 0; i < q.n; i++) {
        const struct query_part *p = &q.part[i];
        if (!p->value.len || p->source.s < at || p->value.s < p->source.s ||
            p->value.s + p->value.len > p->source.s + p->source.len ||
            p->source.s + p->source.len > text.s + text.len)
            abort();
        at = p->source.s + p->source.len;
        if (query_without(a, text, p).len > size)
            abort();
    }
    return 0;
}
