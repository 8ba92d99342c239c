/*
 * The text is cut at borders: starts of lines where a top-level block begins, whatever follows. Text before
 * the last border is settled. The rest, the tail, is rendered again at each update, without its unfinished
 * parts (markdown_unfinished.h), and compared with what the readers have.
 *
 * A scanner first guesses a border: a line at column 0 after an empty line that cannot be a list item (only a
 * list continues over empty lines to column 0, and only with another item), or a line that opens a fence.
 * Then the guess is proved: the two parts, rendered separately, must give the same HTML as together. The
 * scanner may therefore be simple. When it is wrong, the tail only stays longer.
 *
 * A tail that begins with an open fence at column 0 is not parsed: its lines are escaped and appended until
 * the closing fence (struct markdown_fence). Plain words at the end of a paragraph are appended without
 * parsing, too (markdown_append.h). A paragraph that ends with such words is settled by the empty line after
 * it.
 */
#include "codec/markdown/growing/markdown_stream.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "codec/markdown/growing/markdown_append.h"
#include "codec/markdown/growing/markdown_fence.h"
#include "codec/markdown/growing/markdown_references.h"
#include "codec/markdown/growing/markdown_unfinished.h"
#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/markdown_line.h"

#define TAIL_LARGE (8 * 1024) /* bytes of tail from which on updates come in steps */
#define TAIL_STEPS 128        /* a step is at least this fraction: a long list costs n log n */
/* A tail with a higher estimated cost (markdown_cost.h) takes larger steps: rendering it takes more than
 * about 4 ms. */
#define TAIL_COSTLY       UINT64_C(10000000)
#define TAIL_COSTLY_STEPS 16
/* Bytes of a line's start that decide whether it is a list item: nine digits and more. */
#define START_MAX 16

#define FRESH_SPACE 256 /* most updates are a word */

struct segment {
    size_t end;       /* end of its text and start of the next one's */
    size_t sure;      /* a reader that has read the text up to here has the final HTML of its blocks */
    size_t block_end; /* number of blocks up to here */
};

struct border {
    size_t at; /* 0: none */
    size_t sure;
};

struct markdown_stream {
    struct strbuf text; /* without the first `dropped` bytes */
    size_t dropped;
    size_t settled; /* start of the tail */
    size_t pos;     /* the readers have the text up to here */
    size_t first;   /* index of the tail's first block */
    struct segment *segments;
    size_t segments_n, segments_room;

    struct strbuf html;      /* HTML of the tail that the readers have, unless fence.on */
    bool costly;             /* the tail, at the last rendering */
    struct ends ends;        /* its blocks */
    struct markdown_run run; /* of plain text at the end of the last one */
    struct markdown_fence fence;

    size_t scanned; /* lines before this one were scanned */
    char scan_mark; /* character of the scanner's open fence; 0: none */
    size_t scan_width;

    size_t html_max;
    enum rc failed;
};

struct markdown_stream *markdown_stream_new(size_t text_max)
{
    if (text_max > MARKDOWN_TEXT_MAX)
        text_max = MARKDOWN_TEXT_MAX;
    struct markdown_stream *m = xcalloc(1, sizeof *m);
    m->html_max = text_max * MARKDOWN_STREAM_HTML_FACTOR + 1024;
    strbuf_init(&m->text, text_max);
    strbuf_init(&m->html, m->html_max);
    strbuf_init(&m->fence.rest, m->html_max);
    return m;
}

void markdown_stream_free(struct markdown_stream *m)
{
    if (!m)
        return;
    strbuf_release(&m->text);
    strbuf_release(&m->html);
    strbuf_release(&m->fence.rest);
    free(m->ends.at);
    free(m->segments);
    free(m);
}

/* The length of the whole text. */
static size_t length(const struct markdown_stream *m)
{
    return m->dropped + m->text.len;
}

bool markdown_stream_whole(const struct markdown_stream *m, struct str *text)
{
    *text = strbuf_str(&m->text);
    return m->dropped == 0;
}

size_t markdown_stream_pos(const struct markdown_stream *m)
{
    return m->pos;
}

size_t markdown_stream_work(const struct markdown_stream *m)
{
    return length(m) - (m->fence.on ? m->fence.at : m->settled);
}

enum rc markdown_stream_add(struct markdown_stream *m, struct str piece, struct err *e)
{
    if (piece.len > m->text.cap - length(m))
        return err_set(e, RC_TOO_BIG, "a streamed answer has more than %zu bytes of text", m->text.cap);
    strbuf_addstr(&m->text, piece);
    return RC_OK;
}

static struct str slice(const struct markdown_stream *m, size_t from, size_t to)
{
    return (struct str){m->text.s + (from - m->dropped), to - from};
}

/* Drops what neither an update nor the scanner reads again. */
static void drop_text(struct markdown_stream *m)
{
    size_t needed = m->fence.on ? m->fence.at : m->settled < m->scanned ? m->settled : m->scanned;
    strbuf_drop_front(&m->text, needed - m->dropped);
    m->dropped = needed;
}

/* Rendering and comparing. */

struct rendered {
    struct strbuf html;
    struct ends ends;
};

static void note_end(void *arg, size_t len)
{
    ends_add(arg, len);
}

static enum rc render(const struct markdown_stream *m, struct str text, struct rendered *out, struct err *e)
{
    AUTO_STRBUF shown = {0};
    *out = (struct rendered){0};
    strbuf_init(&out->html, m->html_max);
    if (markdown_without_references(text, &shown))
        text = strbuf_str(&shown);
    return markdown_blocks(text, &out->html, note_end, &out->ends, e);
}

/* Renders unsettled text as the readers see it. `*as_is`: no part of it was held back. `in_text`:
 * markdown_unfinished(). */
static enum rc render_unfinished(const struct markdown_stream *m, struct str text, struct rendered *out,
    bool *as_is, bool *in_text, struct err *e)
{
    AUTO_STRBUF shown;
    strbuf_init(&shown, MARKDOWN_UNFINISHED_ROOM(text.len));
    *as_is = !markdown_unfinished(text, &shown, in_text);
    return render(m, *as_is ? text : strbuf_str(&shown), out, e);
}

static void rendered_release(struct rendered *r)
{
    strbuf_release(&r->html);
    free(r->ends.at);
}

#define AUTO_RENDERED __attribute__((cleanup(rendered_release))) struct rendered

/* Block `i`, or an empty string after the last. */
static struct str block(const struct strbuf *html, const struct ends *ends, size_t i)
{
    if (i >= ends->n)
        return STR("");
    size_t from = i ? ends->at[i - 1] : 0;
    return (struct str){html->s + from, ends->at[i] - from};
}

/* Reports the difference. The first `fixed16` units of both are equal. */
static void tell(
    size_t index, size_t fixed16, struct str old, struct str now, markdown_stream_fn *fn, void *arg)
{
    size_t same = utf8_common_len(old, now);
    if (same == old.len && same == now.len)
        return;
    struct markdown_stream_block b = {
        .index = index,
        .keep = fixed16 + utf8_utf16_len((struct str){old.s, same}),
        .html = {now.s + same, now.len - same},
    };
    fn(arg, &b);
}

/* Borders. */

/* Continues with the new lines. Finds the last border, and the last border outside of fences as far as
 * single lines show. An opening fence is held back until its line is complete (markdown_unfinished.h). */
static void scan(struct markdown_stream *m, struct border *last, struct border *last_outside)
{
    struct str text = strbuf_str(&m->text);
    bool whole = true, after_blank = false;
    *last = *last_outside = (struct border){0};
    for (size_t at = m->scanned, next; whole; at = next) {
        struct str line = line_at(text, at - m->dropped, &whole, &next), inner = line_without_indent(line);
        next += m->dropped;
        size_t width = m->scan_mark ? 0 : line_fence_width(inner);
        if (at > m->settled &&
            ((after_blank && line_begins_anew(line)) || (whole && width && inner.len == line.len))) {
            *last = (struct border){at, width && next > at + START_MAX ? next : at + START_MAX};
            if (!m->scan_mark)
                *last_outside = *last;
        }
        if (!whole)
            break;
        if (width) {
            m->scan_mark = inner.s[0];
            m->scan_width = width;
        } else if (m->scan_mark && line_closes_fence(inner, m->scan_mark, m->scan_width)) {
            m->scan_mark = 0;
        }
        /* An incomplete next line is scanned again later, with the empty line before it. */
        after_blank = line_is_blank(line);
        if (!after_blank)
            m->scanned = next;
    }
}

static void move_border(struct markdown_stream *m, struct border border, size_t blocks)
{
    if (m->segments_n == m->segments_room) {
        m->segments_room = m->segments_room ? m->segments_room * 2 : 4;
        m->segments = xrealloc(m->segments, m->segments_room * sizeof *m->segments);
    }
    m->first += blocks;
    m->settled = border.at;
    m->segments[m->segments_n++] = (struct segment){border.at, border.sure, m->first};
}

static void drop_blocks(struct strbuf *html, struct ends *ends, size_t n, size_t len)
{
    strbuf_drop_front(html, len);
    for (size_t i = n; i < ends->n; i++)
        ends->at[i - n] = ends->at[i] - len;
    ends->n -= n;
}

/*
 * Cuts at `border` when both parts give the same HTML separately. `exact` is the tail with nothing held back;
 * NULL: the readers have that.
 */
static enum rc prove(struct markdown_stream *m, struct rendered *exact, struct border border, struct err *e)
{
    if (border.at <= m->settled)
        return RC_OK;
    AUTO_RENDERED before = {0}, after = {0};
    enum rc rc = render(m, slice(m, m->settled, border.at), &before, e);
    if (!rc)
        rc = render(m, slice(m, border.at, m->pos), &after, e);
    if (rc)
        return rc;
    const struct strbuf *html = exact ? &exact->html : &m->html;
    size_t n = before.ends.n, len = before.html.len;
    if (n + after.ends.n != (exact ? exact->ends.n : m->ends.n) || len + after.html.len != html->len)
        return RC_OK;
    struct str head = strbuf_str(&before.html), rest = {html->s + len, html->len - len};
    if (!str_starts(strbuf_str(html), head) || !str_starts(rest, strbuf_str(&after.html)))
        return RC_OK;
    if (exact && (!str_starts(strbuf_str(&m->html), head) || m->ends.n < n))
        return RC_OK; /* a part before the border is held back */
    move_border(m, border, n);
    drop_blocks(&m->html, &m->ends, n, len);
    if (exact)
        drop_blocks(&exact->html, &exact->ends, n, len);
    return RC_OK;
}

/* Open code blocks. */

/* After an update: if the tail is a single open code block, it is continued without parsing. */
static void fence_enter(struct markdown_stream *m)
{
    struct str tail = slice(m, m->settled, m->pos);
    bool whole;
    size_t body;
    struct str line = line_at(tail, 0, &whole, &body);
    size_t width = line_fence_width(line);
    struct str info = str_trim(str_from(line, width)), word = {info.s, 0};
    if (!whole || !width || m->ends.n != 1 || memchr(info.s, '\\', info.len) || memchr(info.s, '&', info.len))
        return;
    while (word.len < info.len && info.s[word.len] != ' ' && info.s[word.len] != '\t')
        word.len++;

    AUTO_STRBUF sure;
    strbuf_init(&sure, m->html_max);
    strbuf_clear(&m->fence.rest);
    struct markdown_fence f = {.mark = line.s[0], .width = width, .at = body, .rest = m->fence.rest};
    markdown_code_head(&sure, word);
    bool closed = markdown_fence_take(&f, tail, 0, &sure, &f.rest);
    m->fence.rest = f.rest;
    if (closed || sure.failed || sure.len + f.rest.len != m->html.len ||
        memcmp(sure.s, m->html.s, sure.len) != 0 || memcmp(f.rest.s, m->html.s + sure.len, f.rest.len) != 0)
        return;
    f.at += m->settled;
    f.fixed16 = utf8_utf16_len(strbuf_str(&sure));
    f.on = true;
    m->fence = f;
    strbuf_release(&m->html);
    m->ends.n = 0;
}

static enum rc fence_update(struct markdown_stream *m, markdown_stream_fn *fn, void *arg, struct err *e)
{
    struct markdown_fence *f = &m->fence;
    AUTO_STRBUF now, rest;
    strbuf_init(&now, m->html_max);
    strbuf_init(&rest, m->html_max);
    bool closed = markdown_fence_take(f, strbuf_str(&m->text), m->dropped, &now, &rest);
    size_t sure = now.len;
    strbuf_addstr(&now, strbuf_str(&rest));
    if (now.failed || rest.failed)
        return err_set(e, RC_TOO_BIG, "a streamed answer has more than %zu bytes of HTML", m->html_max);
    tell(m->first, f->fixed16, strbuf_str(&f->rest), strbuf_str(&now), fn, arg);
    f->fixed16 += utf8_utf16_len((struct str){now.s, sure});
    strbuf_clear(&f->rest);
    strbuf_addstr(&f->rest, strbuf_str(&rest));
    m->pos = length(m);
    if (closed) {
        move_border(m, (struct border){f->at, f->at + START_MAX}, 1);
        f->on = false;
        m->pos = m->scanned = f->at;
        m->scan_mark = 0;
    }
    return RC_OK;
}

/* The interface. */

static enum rc tail_update(struct markdown_stream *m, markdown_stream_fn *fn, void *arg, struct err *e)
{
    AUTO_RENDERED now = {0}, exact = {0};
    bool as_is, in_text;
    enum rc rc = render_unfinished(m, slice(m, m->settled, length(m)), &now, &as_is, &in_text, e);
    if (rc)
        return rc;
    size_t n = now.ends.n > m->ends.n ? now.ends.n : m->ends.n;
    for (size_t i = 0; i < n; i++)
        tell(m->first + i, 0, block(&m->html, &m->ends, i), block(&now.html, &now.ends, i), fn, arg);
    struct strbuf html = m->html;
    struct ends ends = m->ends;
    m->html = now.html;
    m->ends = now.ends;
    now.html = html;
    now.ends = ends;
    m->pos = length(m);

    struct border last, last_outside;
    scan(m, &last, &last_outside);
    if (last.at > m->settled && !as_is)
        rc = render(m, slice(m, m->settled, m->pos), &exact, e);
    if (!rc)
        rc = prove(m, as_is ? NULL : &exact, last_outside, e);
    if (!rc && last.at > last_outside.at)
        rc = prove(m, as_is ? NULL : &exact, last, e);
    if (!rc)
        fence_enter(m);
    struct str tail = slice(m, m->settled, m->pos);
    m->costly = markdown_cost_exceeds(tail, TAIL_COSTLY);
    if (!rc && in_text && !m->costly && m->ends.n)
        markdown_run_begin(&m->run, tail, block(&m->html, &m->ends, m->ends.n - 1));
    return rc;
}

/* Settles the paragraph that an empty line has ended: nothing of it was held back. */
static void run_end(struct markdown_stream *m)
{
    if (m->ends.n != 1 ||
        !markdown_run_has_ended(&m->run, strbuf_str(&m->html), *slice(m, m->pos, length(m)).s))
        return;
    move_border(m, (struct border){m->pos, m->pos + START_MAX}, 1);
    strbuf_clear(&m->html);
    m->ends.n = 0;
    m->run.on = false;
}

/* True when the new text is plain: its escaped form is appended to the last block. */
static bool run_update(struct markdown_stream *m, markdown_stream_fn *fn, void *arg)
{
    char space[FRESH_SPACE];
    size_t most = m->html_max - m->html.len;
    AUTO_STRBUF fresh;
    strbuf_init_at(&fresh, most, space, sizeof space);
    struct markdown_stream_block b = {.index = m->first + m->ends.n - 1};
    size_t foot = m->run.foot;
    if (!markdown_run_take(&m->run, slice(m, m->pos, length(m)), strbuf_str(&m->html), &b.keep, &fresh) ||
        fresh.failed || fresh.len > most)
        return m->run.on = false;
    m->pos = length(m);
    if (fresh.len) {
        strbuf_truncate(&m->html, m->html.len - foot);
        strbuf_addstr(&m->html, strbuf_str(&fresh));
        m->ends.at[m->ends.n - 1] = m->html.len;
        b.html = strbuf_str(&fresh);
        fn(arg, &b);
    }
    return true;
}

/* True when the new part of a large tail is so small that it waits for the next update. */
static bool worth_waiting(const struct markdown_stream *m)
{
    size_t tail = length(m) - m->settled, fresh = length(m) - m->pos;
    if (m->costly)
        return fresh < tail / TAIL_COSTLY_STEPS;
    return tail > TAIL_LARGE && fresh < tail / TAIL_STEPS;
}

enum rc markdown_stream_update(struct markdown_stream *m, markdown_stream_fn *fn, void *arg, struct err *e)
{
    if (m->failed)
        return err_set(e, m->failed, "the stream of the answer has failed before");
    if (m->pos == length(m))
        return RC_OK;
    if (m->fence.on)
        m->failed = fence_update(m, fn, arg, e);
    if (m->run.on)
        run_end(m);
    if (!m->failed && !m->fence.on && m->pos != length(m) && !(m->run.on && run_update(m, fn, arg)) &&
        !worth_waiting(m))
        m->failed = tail_update(m, fn, arg, e);
    drop_text(m);
    return m->failed;
}

/* Sends the readers' blocks again, from the segment `from` on: calls fn with keep 0 for each block. `text`:
 * up to m->pos. */
static enum rc retell(const struct markdown_stream *m, struct str text, size_t from, markdown_stream_fn *fn,
    void *arg, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t s = from; s <= m->segments_n && !rc; s++) {
        size_t first = s ? m->segments[s - 1].block_end : 0, start = s ? m->segments[s - 1].end : 0;
        size_t end = s < m->segments_n ? m->segments[s].end : m->pos;
        struct str part = {text.s + start, end - start};
        AUTO_RENDERED r = {0};
        bool as_is;
        rc = s < m->segments_n ? render(m, part, &r, e) : render_unfinished(m, part, &r, &as_is, NULL, e);
        for (size_t i = 0; i < r.ends.n && !rc; i++)
            fn(arg, &(struct markdown_stream_block){.index = first + i, .html = block(&r.html, &r.ends, i)});
    }
    return rc;
}

enum rc markdown_stream_from(struct markdown_stream *m, struct str text, size_t text_pos, size_t *first,
    markdown_stream_fn *fn, void *arg, struct err *e)
{
    size_t s = 0;
    if (text.len < m->pos)
        return err_set(
            e, RC_INTERNAL, "the final text has %zu bytes, the streamed one %zu", text.len, m->pos);
    bool references = memmem(text.s, m->pos, "]:", 2); /* a definition can change any block */
    while (!references && s < m->segments_n && m->segments[s].sure <= text_pos)
        s++;
    *first = s ? m->segments[s - 1].block_end : 0;
    return retell(m, (struct str){text.s, m->pos}, s, fn, arg, e);
}
