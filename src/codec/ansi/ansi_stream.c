#include "codec/ansi/ansi_stream.h"

#include <stdlib.h>

#include "codec/ansi/ansi_markdown.h"
#include "codec/markdown/growing/markdown_unfinished.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_line.h"

#define LINES_MAX   ((size_t)64 * 1024 * 1024) /* bytes of one block's lines */
#define CURSOR_LINE 1                          /* of the window: the one below the text */

struct ansi_stream {
    struct strbuf text;    /* from the first block on that is not finished */
    struct strbuf shown;   /* its lines on the terminal */
    struct ansi_look look; /* of `shown` */
    bool gap;              /* a blank line comes before the next block */
    bool any;              /* text since the last end */
};

struct ansi_stream *ansi_stream_new(void)
{
    struct ansi_stream *s = xcalloc(1, sizeof *s);
    strbuf_init(&s->text, MARKDOWN_TEXT_MAX);
    strbuf_init(&s->shown, LINES_MAX);
    return s;
}

void ansi_stream_free(struct ansi_stream *s)
{
    if (!s)
        return;
    strbuf_release(&s->text);
    strbuf_release(&s->shown);
    free(s);
}

bool ansi_stream_has_text(const struct ansi_stream *s)
{
    return s->any;
}

void ansi_stream_add(struct ansi_stream *s, struct str piece)
{
    s->any |= piece.len > 0;
    strbuf_addstr(&s->text, piece);
}

/* ---- the lines ---- */

/* The length of the whole lines that both begin with. */
static size_t common_lines(struct str a, struct str b)
{
    size_t same = 0;
    for (size_t i = 0; i < a.len && i < b.len && a.s[i] == b.s[i]; i++)
        if (a.s[i] == '\n')
            same = i + 1;
    return same;
}

static size_t skip_lines(struct str s, size_t n)
{
    size_t at = 0;
    for (; n && at < s.len; at++)
        n -= s.s[at] == '\n';
    return at;
}

/* Replaces the shown lines by `lines`. */
static void show(struct ansi_stream *s, struct str lines, size_t rows, struct strbuf *out)
{
    struct str shown = strbuf_str(&s->shown);
    size_t same = common_lines(shown, lines), all = str_count(shown, '\n');
    size_t kept = str_count((struct str){shown.s, same}, '\n');
    size_t reach = rows > CURSOR_LINE ? rows - CURSOR_LINE : 1;
    if (all - kept > reach)
        kept = all - reach; /* the lines above have left the window */
    size_t from = skip_lines(lines, kept);
    if (all > kept)
        strbuf_addf(out, "\x1b[%zuA\r\x1b[J", all - kept);
    strbuf_add(out, lines.s + from, lines.len - from);
    strbuf_clear(&s->shown);
    strbuf_addstr(&s->shown, lines);
}

static void render(struct ansi_stream *s, struct str text, struct strbuf *lines)
{
    strbuf_init(lines, LINES_MAX);
    ansi_markdown(text, s->look, lines);
    if (!s->gap || !lines->len)
        return;
    AUTO_STRBUF copy;
    strbuf_init(&copy, LINES_MAX);
    strbuf_addc(&copy, '\n');
    strbuf_addstr(&copy, strbuf_str(lines));
    strbuf_clear(lines);
    strbuf_addstr(lines, strbuf_str(&copy));
}

/* ---- blocks ---- */

/* The first place where a second block certainly begins: after a blank line or a closing fence, outside of
 * fenced code. 0: there is none yet. */
static size_t second_block(struct str text)
{
    size_t width = 0;
    bool whole = true, free_line = false;
    char mark = 0;
    for (size_t at = 0, next; at < text.len && whole; at = next) {
        struct str line = line_at(text, at, &whole, &next);
        if (width) {
            if (whole && line_closes_fence(line, mark, width)) {
                width = 0;
                free_line = true;
            }
            continue;
        }
        if (free_line && line_begins_anew(line))
            return at;
        width = whole ? line_fence_width(line) : 0;
        mark = width ? line.s[0] : 0;
        free_line = line_is_blank(line) && (free_line || at > 0);
    }
    return 0;
}

/* The first `len` bytes of the text are finished blocks. */
static void finish(struct ansi_stream *s, size_t len, size_t rows, struct strbuf *out)
{
    AUTO_STRBUF lines;
    render(s, (struct str){s->text.s, len}, &lines);
    show(s, strbuf_str(&lines), rows, out);
    s->gap |= lines.len > 0;
    strbuf_clear(&s->shown);
    strbuf_drop_front(&s->text, len);
}

static void finish_all_but_last(struct ansi_stream *s, struct ansi_look look, size_t rows, struct strbuf *out)
{
    if (!s->shown.len)
        s->look = look;
    for (size_t len; (len = second_block(strbuf_str(&s->text)));) {
        finish(s, len, rows, out);
        s->look = look;
    }
}

void ansi_stream_update(struct ansi_stream *s, struct ansi_look look, size_t rows, struct strbuf *out)
{
    finish_all_but_last(s, look, rows, out);
    if (!rows)
        return;
    AUTO_STRBUF unfinished, lines;
    struct str text = strbuf_str(&s->text);
    strbuf_init(&unfinished, MARKDOWN_UNFINISHED_ROOM(text.len));
    if (markdown_unfinished(text, &unfinished, NULL))
        text = strbuf_str(&unfinished);
    render(s, text, &lines);
    show(s, strbuf_str(&lines), rows, out);
}

void ansi_stream_end(struct ansi_stream *s, struct ansi_look look, size_t rows, struct strbuf *out)
{
    finish_all_but_last(s, look, rows, out);
    if (s->text.len)
        finish(s, s->text.len, rows, out);
    s->any = false;
}
