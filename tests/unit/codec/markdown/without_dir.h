/* Top-level blocks have dir="auto"; one test is about that, and the others leave it out of what they expect.
 */
#ifndef ALFRED_TESTS_WITHOUT_DIR_H
#define ALFRED_TESTS_WITHOUT_DIR_H

#include "base/strbuf.h"

static inline void without_dir(struct strbuf *html)
{
    static const char dir[] = " dir=\"auto\"";
    AUTO_STRBUF out;
    strbuf_init(&out, html->cap);
    struct str rest = strbuf_str(html);
    for (const char *at; (at = memmem(rest.s, rest.len, dir, sizeof dir - 1));) {
        strbuf_add(&out, rest.s, (size_t)(at - rest.s));
        rest.len -= (size_t)(at - rest.s) + sizeof dir - 1;
        rest.s = at + sizeof dir - 1;
    }
    strbuf_addstr(&out, rest);
    strbuf_clear(html);
    strbuf_addstr(html, strbuf_str(&out));
}

#endif
