/* The examples of the CommonMark specification, read from the npm package commonmark-spec as `make setup`
 * installs it. */
#ifndef ALFRED_TESTS_COMMONMARK_SPEC_H
#define ALFRED_TESTS_COMMONMARK_SPEC_H

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"

#define SPEC_FILE     "node_modules/commonmark-spec/spec.txt"
#define SPEC_EXAMPLES 652 /* in 0.31.2 */

struct spec_example {
    struct str markdown, html;
};

static inline struct str spec_take(struct arena *a, struct str raw)
{
    struct strbuf b;
    strbuf_init(&b, raw.len);
    for (size_t i = 0; i < raw.len; i++) { /* the text shows tabs as arrows */
        bool arrow = raw.len - i >= 3 && memcmp(raw.s + i, "\xE2\x86\x92", 3) == 0;
        strbuf_addc(&b, arrow ? '\t' : raw.s[i]);
        i += arrow ? 2 : 0;
    }
    struct str s = {arena_strndup(a, b.s, b.len), b.len};
    strbuf_release(&b);
    return s;
}

/* Example n is at [n - 1]. Aborts when the file is not as expected: a test without its examples proves
 * nothing. */
static inline const struct spec_example *spec_examples(struct arena *a)
{
    static const char fence[] = "````````````````````````````````", open[] = " example\n", sep[] = "\n.\n";
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    FILE *f = fopen(SPEC_FILE, "r");
    for (int c; f && (c = getc(f)) != EOF;)
        strbuf_addc(&text, (char)c);
    if (f)
        fclose(f);
    struct spec_example *all = ARENA_ARRAY(a, struct spec_example, SPEC_EXAMPLES);
    size_t n = 0;
    for (const char *at = text.s; (at = strstr(at, fence)) && n < SPEC_EXAMPLES;) {
        at += sizeof fence - 1;
        if (strncmp(at, open, sizeof open - 1) != 0)
            continue;
        const char *md = at + sizeof open - 2, *mid = strstr(md, sep), *end = mid ? strstr(mid, fence) : NULL;
        if (!end)
            break;
        const char *html = mid + sizeof sep - 1;
        md++;
        all[n].markdown = spec_take(a, (struct str){md, (size_t)(mid + 1 - md)});
        all[n++].html = spec_take(a, (struct str){html, (size_t)(end - html)});
        at = end + sizeof fence - 1;
    }
    strbuf_release(&text);
    if (n != SPEC_EXAMPLES) {
        fprintf(stderr, "%s: %zu examples instead of %d\n", SPEC_FILE, n, SPEC_EXAMPLES);
        abort();
    }
    return all;
}

#endif
