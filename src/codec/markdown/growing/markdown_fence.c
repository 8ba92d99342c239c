#include "codec/markdown/growing/markdown_fence.h"

#include "codec/html.h"
#include "codec/markdown/markdown_cjk.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/markdown_line.h"

static bool closes_here(const struct markdown_fence *f, struct str line)
{
    struct str inner = line_without_indent(line);
    return line.len - inner.len < 4 && !memchr(line.s, '\t', line.len - inner.len) &&
           line_closes_fence(inner, f->mark, f->width);
}

bool markdown_fence_take(
    struct markdown_fence *f, struct str text, size_t from, struct strbuf *sure, struct strbuf *rest)
{
    bool whole = true;
    size_t before = sure->len;
    while (whole) {
        size_t next;
        struct str line = line_at(text, f->at - from, &whole, &next);
        next += from;
        if (!f->in_line && closes_here(f, line)) {
            if (whole)
                f->at = next;
            break;
        }
        if (whole) {
            line_add_code(sure, line, !f->in_line);
            strbuf_addc(sure, '\n');
            f->at = next;
            f->in_line = false;
        } else if (f->in_line || !line_may_close_fence(line, f->mark)) {
            html_escape(sure, line);
            f->at += line.len;
            f->in_line = true;
            strbuf_addc(rest, '\n');
        } /* else it may be the closing fence, and is held back (markdown_unfinished.h) */
        if (!whole)
            break;
    }
    markdown_cjk_drop_marks(sure, before); /* no renderer shows them */
    strbuf_adds(rest, MARKDOWN_CODE_FOOT);
    return whole;
}
