#include "codec/page/page_lines.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/markdown/markdown_write.h"
#include "codec/page/page_script.h"

#define SLACK 1024 /* marks and a fence after `max` is reached */

void page_lines_init(struct page_lines *l, size_t max)
{
    *l = (struct page_lines){.max = max, .breaks = 1};
    strbuf_init(&l->out, max + SLACK);
    strbuf_init(&l->apart, max + SLACK);
}

void page_lines_release(struct page_lines *l)
{
    strbuf_release(&l->out);
    strbuf_release(&l->apart);
}

static bool awaits_first(const struct page_lines *l)
{
    size_t n = l->depth < PAGE_LINES_DEPTH_MAX ? l->depth : PAGE_LINES_DEPTH_MAX;
    return n && !l->marks[n - 1].written;
}

void page_lines_break(struct page_lines *l, unsigned n)
{
    if (l->aside && l->exact) {
        if (l->apart.len && l->apart.s[l->apart.len - 1] != '\n')
            strbuf_addc(&l->apart, '\n');
    } else if (l->aside || l->flat) {
        l->space = true;
    } else if (!awaits_first(l) || !l->breaks) {
        l->breaks = l->breaks > n ? l->breaks : n;
        l->space = false;
    }
}

void page_lines_br(struct page_lines *l)
{
    if (l->aside && l->exact)
        strbuf_addc(&l->apart, '\n');
    else
        page_lines_break(l, l->breaks ? 2 : 1);
}

void page_lines_push(struct page_lines *l, const char *first, const char *later)
{
    if (l->depth++ >= PAGE_LINES_DEPTH_MAX)
        return;
    struct page_lines_mark *m = &l->marks[l->depth - 1];
    *m = (struct page_lines_mark){0};
    memcpy(m->first, first, strnlen(first, sizeof m->first - 1));
    memcpy(m->later, later, strnlen(later, sizeof m->later - 1));
}

void page_lines_pop(struct page_lines *l)
{
    l->depth--;
}

static void write_marks(struct page_lines *l, bool empty_line)
{
    size_t n = l->depth < PAGE_LINES_DEPTH_MAX ? l->depth : PAGE_LINES_DEPTH_MAX;
    for (size_t i = 0; i < n; i++) {
        struct page_lines_mark *m = &l->marks[i];
        if (empty_line && !m->written)
            break;
        strbuf_adds(&l->out, m->written ? m->later : m->first);
        m->written = true;
    }
    while (empty_line && l->out.len && l->out.s[l->out.len - 1] == ' ')
        strbuf_truncate(&l->out, l->out.len - 1);
}

static void open_code(struct page_lines *l, struct strbuf *to)
{
    if (l->code != CODE_DUE)
        return;
    strbuf_addc(to, '`');
    l->code = CODE_OPEN;
}

/* Writes what is due before a text. Returns where the text goes; NULL: nowhere. */
static struct strbuf *begin_text(struct page_lines *l)
{
    if (l->aside) {
        if (l->space && l->apart.len)
            strbuf_addc(&l->apart, ' ');
        l->space = false;
        open_code(l, &l->apart);
        return &l->apart;
    }
    if (l->full)
        return NULL;
    if (l->breaks) {
        for (unsigned i = 0; l->out.len && i < l->breaks; i++) {
            strbuf_addc(&l->out, '\n');
            if (i + 1 < l->breaks)
                write_marks(l, true);
        }
        write_marks(l, false);
    } else if (l->space) {
        strbuf_addc(&l->out, ' ');
    }
    l->breaks = 0;
    l->space = false;
    open_code(l, &l->out);
    l->full = l->out.failed || l->out.len >= l->max;
    return l->full ? NULL : &l->out;
}

void page_lines_add(struct page_lines *l, struct str mark)
{
    struct strbuf *to = begin_text(l);
    if (!to)
        return;
    strbuf_addstr(to, utf8_head(mark, to->cap - to->len));
    l->full = l->out.len >= l->max;
}

/* Not shown by browsers: control characters, soft hyphens, zero-width spaces. */
static bool is_invisible(uint32_t c)
{
    return utf8_is_control(c) || c == 0xAD || c == 0x200B || c == 0x2060 || c == 0xFEFF;
}

static bool is_space(uint32_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0xA0;
}

/* "2" and "n" as an exponent are not "2n". */
static void begin_script(struct page_lines *l)
{
    const struct strbuf *b = l->aside ? &l->apart : &l->out;
    const char *mark = l->script;
    l->script = NULL;
    if (l->space || l->breaks || !page_script_fits(strbuf_str(b)))
        return;
    page_lines_add(l, str_of(mark));
    *l->bracket = mark[1] == '(';
}

static void add_exact(struct page_lines *l, struct str text)
{
    while (text.len) {
        uint32_t c = utf8_next(&text, NULL);
        if (c == '\n' || c == '\t' || !is_invisible(c))
            strbuf_addcp(&l->apart, c == 0xA0 ? ' ' : c);
    }
}

void page_lines_text(struct page_lines *l, struct str text)
{
    if (l->aside && l->exact) {
        add_exact(l, text);
        return;
    }
    struct strbuf *to = NULL;
    while (text.len && !l->full) {
        uint32_t c = utf8_next(&text, NULL);
        if (is_space(c)) {
            l->space = true;
            to = NULL;
            continue;
        }
        if (is_invisible(c))
            continue;
        if (l->script)
            begin_script(l);
        if (!to)
            to = begin_text(l);
        if (!to)
            return;
        strbuf_addcp(to, c);
        l->full = l->out.len >= l->max;
    }
}

void page_lines_apart(struct page_lines *l, bool exact)
{
    strbuf_clear(&l->apart);
    l->aside = true;
    l->exact = exact;
    l->space = false;
}

struct str page_lines_joined(struct page_lines *l)
{
    l->aside = l->exact = false;
    l->space = false;
    return strbuf_str(&l->apart);
}

void page_lines_code_begin(struct page_lines *l)
{
    l->code = CODE_DUE;
}

void page_lines_code_end(struct page_lines *l)
{
    bool open = l->code == CODE_OPEN, space = l->space;
    l->code = CODE_NONE;
    if (!open)
        return;
    l->space = false;
    page_lines_add(l, STR("`"));
    l->space = space;
}

static struct str trim_right(struct str s)
{
    while (s.len && str_is_space(s.s[s.len - 1]))
        s.len--;
    return s;
}

void page_lines_fence(struct page_lines *l, struct str code, struct str language)
{
    code = trim_right(code);
    while (code.len && code.s[0] == '\n')
        code = str_from(code, 1);
    if (!code.len)
        return;
    char fence[SLACK / 4];
    size_t n = markdown_write_ticks(code);
    n = n < 3 ? 3 : n < sizeof fence ? n : sizeof fence;
    memset(fence, '`', n);
    if (l->code == CODE_DUE)
        l->code = CODE_NONE;
    page_lines_break(l, 2);
    page_lines_add(l, (struct str){fence, n});
    page_lines_add(l, language);
    page_lines_break(l, 1);
    while (code.len && !l->full) {
        struct str line = trim_right(str_cut(&code, '\n'));
        if (line.len)
            page_lines_add(l, line);
        l->breaks++;
    }
    l->breaks = 1;
    page_lines_add(l, (struct str){fence, n});
    page_lines_break(l, 2);
}
