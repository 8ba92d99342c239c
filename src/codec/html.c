#include "codec/html.h"

static const struct str references[256] = {
    ['&'] = {"&amp;", 5},
    ['<'] = {"&lt;", 4},
    ['>'] = {"&gt;", 4},
    ['"'] = {"&quot;", 6},
    ['\''] = {"&#39;", 5},
};

void html_escape(struct strbuf *out, struct str s)
{
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        struct str ref = references[(unsigned char)s.s[i]];
        if (!ref.len)
            continue;
        strbuf_add(out, s.s + from, i - from);
        strbuf_addstr(out, ref);
        from = i + 1;
    }
    strbuf_add(out, s.s ? s.s + from : NULL, s.len - from);
}
