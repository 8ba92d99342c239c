/*
 * Formulas are found first and hidden from md4c (markdown_math.h), then the text is rendered. Should a
 * formula get lost on the way, because the place does not allow the block or the code span that stands for
 * it, the text is rendered again with fewer of them: first only those inside paragraphs, then none.
 */
#include "codec/markdown/markdown.h"

#include <md4c.h>
#include <stdlib.h>

#include "base/mem.h"
#include "codec/markdown_html.h"

#define TRIES 4

static bool render_with_math(struct str text, struct strbuf *out, struct ends *ends)
{
    struct math_lost lost = {0};
    size_t start = out->len;
    bool done = false, again = true;
    for (int i = 0; i < TRIES && again && !done; i++) {
        struct math m;
        if (!math_rewrite(text, MARKDOWN_FLAGS, &lost, &m))
            break;
        done = markdown_render(text, &m, out, ends);
        if (!done) {
            strbuf_truncate(out, start);
            ends->n = 0;
            again = math_note_lost(&m, &lost);
        }
        math_release(&m);
    }
    return done;
}

static struct str guarded_copy(struct str text, struct strbuf *copy)
{
    strbuf_init(copy, text.len + 1 + MARKDOWN_GUARD);
    strbuf_addstr(copy, text);
    if (text.len && text.s[text.len - 1] != '\n')
        strbuf_addc(copy, '\n');
    markdown_guard(copy);
    return strbuf_str(copy);
}

enum rc markdown_blocks(struct str text, struct strbuf *out, markdown_end_fn *end, void *arg, struct err *e)
{
    if (text.len > MARKDOWN_TEXT_MAX)
        return err_set(e, RC_TOO_BIG, "markdown: a text of %zu bytes", text.len);
    struct ends ends = {0};
    AUTO_STRBUF copy;
    text = guarded_copy(text, &copy);
    if (!render_with_math(text, out, &ends))
        markdown_render(text, NULL, out, &ends);
    if (!out->failed && end)
        for (size_t i = 0; i < ends.n; i++)
            end(arg, ends.at[i]);
    free(ends.at);
    if (out->failed)
        return err_set(e, RC_TOO_BIG, "markdown: more than %zu bytes of HTML", out->cap);
    return RC_OK;
}

enum rc markdown_html(struct str text, struct strbuf *out, struct err *e)
{
    return markdown_blocks(text, out, NULL, NULL, e);
}
