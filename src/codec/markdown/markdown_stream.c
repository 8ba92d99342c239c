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
#include "codec/markdown/markdown_stream.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "codec/markdown/markdown_append.h"
#include "codec/markdown/markdown_cost.h"
#include "codec/markdown/markdown_fence.h"
#include "codec/markdown/markdown_html.h"
#include "codec/markdown/markdown_line.h"
#include "codec/markdown/markdown_unfinished.h"

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
    size_t pos, settled, first; /* first: index of the tail's first block */
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
    struct markdown_stream *l = xcalloc(1, sizeof *l);
    l->html_max = text_max * MARKDOWN_STREAM_HTML_FACTOR + 1024;
    strbuf_init(&l->text, text_max);
    strbuf_init(&l->html, l->html_max);
    strbuf_init(&l->fence.rest, l->html_max);
    return l;
}

void markdown_stream_free(struct markdown_stream *l)
{
    if (!l)
        return;
    strbuf_release(&l->text);
    strbuf_release(&l->html);
    strbuf_release(&l->fence.rest);
    free(l->ends.at);
    free(l->segments);
    free(l);
}

/* The length of the whole text. */
static size_t length(const struct markdown_stream *l)
{
    return l->dropped + l->text.len;
}

bool markdown_stream_whole(const struct markdown_stream *l, struct str *text)
{
    *text = strbuf_str(&l->text);
    return l->dropped == 0;
}

size_t markdown_stream_pos(const struct markdown_stream *l)
{
    return l->pos;
}

size_t markdown_stream_work(const struct markdown_stream *l, size_t more)
{
    return length(l) - (l->fence.on ? l->fence.at : l->settled) + more;
}

enum rc markdown_stream_add(struct markdown_stream *l, struct str piece, struct err *e)
{
    if (piece.len > l->text.cap - length(l))
        return err_set(e, RC_TOO_BIG, "a streamed answer has more than %zu bytes of text", l->text.cap);
    strbuf_addstr(&l->text, piece);
    return RC_OK;
}

static struct str slice(const struct markdown_stream *l, size_t from, size_t to)
{
    return (struct str){l->text.s + (from - l->dropped), to - from};
}

/* Drops what neither an update nor the scanner reads again. */
static void drop_text(struct markdown_stream *l)
{
    size_t needed = l->fence.on ? l->fence.at : l->settled < l->scanned ? l->settled : l->scanned;
    strbuf_drop_front(&l->text, needed - l->dropped);
    l->dropped = needed;
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

static enum rc render(const struct markdown_stream *l, struct str text, struct rendered *out, struct err *e)
{
    *out = (struct rendered){0};
    strbuf_init(&out->html, l->html_max);
    return markdown_blocks(text, &out->html, note_end, &out->ends, e);
}

/* Renders unsettled text as the readers see it. `*as_is`: no part of it was held back. `in_text`:
 * markdown_unfinished(). */
static enum rc render_unfinished(const struct markdown_stream *l, struct str text, struct rendered *out,
    bool *as_is, bool *in_text, struct err *e)
{
    AUTO_STRBUF shown;
    strbuf_init(&shown, MARKDOWN_UNFINISHED_ROOM(text.len));
    *as_is = !markdown_unfinished(text, &shown, in_text);
    return render(l, *as_is ? text : strbuf_str(&shown), out, e);
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
static void scan(struct markdown_stream *l, struct border *last, struct border *last_outside)
{
    struct str text = strbuf_str(&l->text);
    bool whole = true, after_blank = false;
    *last = *last_outside = (struct border){0};
    for (size_t at = l->scanned, next; whole; at = next) {
        struct str line = line_at(text, at - l->dropped, &whole, &next), inner = line_without_indent(line);
        next += l->dropped;
        size_t width = l->scan_mark ? 0 : line_fence_width(inner);
        if (at > l->settled &&
            ((after_blank && line_begins_anew(line)) || (whole && width && inner.len == line.len))) {
            *last = (struct border){at, width && next > at + START_MAX ? next : at + START_MAX};
            if (!l->scan_mark)
                *last_outside = *last;
        }
        if (!whole)
            break;
        if (width) {
            l->scan_mark = inner.s[0];
            l->scan_width = width;
        } else if (l->scan_mark && line_closes_fence(inner, l->scan_mark, l->scan_width)) {
            l->scan_mark = 0;
        }
        /* An incomplete next line is scanned again later, with the empty line before it. */
        after_blank = line_is_blank(line);
        if (!after_blank)
            l->scanned = next;
    }
}

static void move_border(struct markdown_stream *l, struct border border, size_t blocks)
{
    if (l->segments_n == l->segments_room) {
        l->segments_room = l->segments_room ? l->segments_room * 2 : 4;
        l->segments = xrealloc(l->segments, l->segments_room * sizeof *l->segments);
    }
    l->first += blocks;
    l->settled = border.at;
    l->segments[l->segments_n++] = (struct segment){border.at, border.sure, l->first};
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
static enum rc prove(struct markdown_stream *l, struct rendered *exact, struct border border, struct err *e)
{
    if (border.at <= l->settled)
        return RC_OK;
    AUTO_RENDERED before = {0}, after = {0};
    enum rc rc = render(l, slice(l, l->settled, border.at), &before, e);
    if (!rc)
        rc = render(l, slice(l, border.at, l->pos), &after, e);
    if (rc)
        return rc;
    const struct strbuf *html = exact ? &exact->html : &l->html;
    size_t n = before.ends.n, len = before.html.len;
    if (n + after.ends.n != (exact ? exact->ends.n : l->ends.n) || len + after.html.len != html->len)
        return RC_OK;
    struct str head = strbuf_str(&before.html), rest = {html->s + len, html->len - len};
    if (!str_starts(strbuf_str(html), head) || !str_starts(rest, strbuf_str(&after.html)))
        return RC_OK;
    if (exact && (!str_starts(strbuf_str(&l->html), head) || l->ends.n < n))
        return RC_OK; /* a part before the border is held back */
    move_border(l, border, n);
    drop_blocks(&l->html, &l->ends, n, len);
    if (exact)
        drop_blocks(&exact->html, &exact->ends, n, len);
    return RC_OK;
}

/* Open code blocks. */

/* After an update: if the tail is a single open code block, it is continued without parsing. */
static void fence_enter(struct markdown_stream *l)
{
    struct str tail = slice(l, l->settled, l->pos);
    bool whole;
    size_t body;
    struct str line = line_at(tail, 0, &whole, &body);
    size_t width = line_fence_width(line);
    struct str info = str_trim(str_from(line, width)), word = {info.s, 0};
    if (!whole || !width || l->ends.n != 1 || memchr(info.s, '\\', info.len) || memchr(info.s, '&', info.len))
        return;
    while (word.len < info.len && info.s[word.len] != ' ' && info.s[word.len] != '\t')
        word.len++;

    AUTO_STRBUF sure;
    strbuf_init(&sure, l->html_max);
    strbuf_clear(&l->fence.rest);
    struct markdown_fence f = {.mark = line.s[0], .width = width, .at = body, .rest = l->fence.rest};
    markdown_code_head(&sure, word);
    bool closed = markdown_fence_take(&f, tail, 0, &sure, &f.rest);
    l->fence.rest = f.rest;
    if (closed || sure.failed || sure.len + f.rest.len != l->html.len ||
        memcmp(sure.s, l->html.s, sure.len) != 0 || memcmp(f.rest.s, l->html.s + sure.len, f.rest.len) != 0)
        return;
    f.at += l->settled;
    f.fixed16 = utf8_utf16_len(strbuf_str(&sure));
    f.on = true;
    l->fence = f;
    strbuf_release(&l->html);
    l->ends.n = 0;
}

static enum rc fence_update(struct markdown_stream *l, markdown_stream_fn *fn, void *arg, struct err *e)
{
    struct markdown_fence *f = &l->fence;
    AUTO_STRBUF now, rest;
    strbuf_init(&now, l->html_max);
    strbuf_init(&rest, l->html_max);
    bool closed = markdown_fence_take(f, strbuf_str(&l->text), l->dropped, &now, &rest);
    size_t sure = now.len;
    strbuf_addstr(&now, strbuf_str(&rest));
    if (now.failed || rest.failed)
        return err_set(e, RC_TOO_BIG, "a streamed answer has more than %zu bytes of HTML", l->html_max);
    tell(l->first, f->fixed16, strbuf_str(&f->rest), strbuf_str(&now), fn, arg);
    f->fixed16 += utf8_utf16_len((struct str){now.s, sure});
    strbuf_clear(&f->rest);
    strbuf_addstr(&f->rest, strbuf_str(&rest));
    l->pos = length(l);
    if (closed) {
        move_border(l, (struct border){f->at, f->at + START_MAX}, 1);
        f->on = false;
        l->pos = l->scanned = f->at;
        l->scan_mark = 0;
    }
    return RC_OK;
}

/* The interface. */

static enum rc tail_update(struct markdown_stream *l, markdown_stream_fn *fn, void *arg, struct err *e)
{
    AUTO_RENDERED now = {0}, exact = {0};
    bool as_is, in_text;
    enum rc rc = render_unfinished(l, slice(l, l->settled, length(l)), &now, &as_is, &in_text, e);
    if (rc)
        return rc;
    size_t n = now.ends.n > l->ends.n ? now.ends.n : l->ends.n;
    for (size_t i = 0; i < n; i++)
        tell(l->first + i, 0, block(&l->html, &l->ends, i), block(&now.html, &now.ends, i), fn, arg);
    struct strbuf html = l->html;
    struct ends ends = l->ends;
    l->html = now.html;
    l->ends = now.ends;
    now.html = html;
    now.ends = ends;
    l->pos = length(l);

    struct border last, last_outside;
    scan(l, &last, &last_outside);
    if (last.at > l->settled && !as_is)
        rc = render(l, slice(l, l->settled, l->pos), &exact, e);
    if (!rc)
        rc = prove(l, as_is ? NULL : &exact, last_outside, e);
    if (!rc && last.at > last_outside.at)
        rc = prove(l, as_is ? NULL : &exact, last, e);
    if (!rc)
        fence_enter(l);
    struct str tail = slice(l, l->settled, l->pos);
    l->costly = markdown_cost_exceeds(tail, TAIL_COSTLY);
    if (!rc && in_text && !l->costly && l->ends.n)
        markdown_run_begin(&l->run, tail, block(&l->html, &l->ends, l->ends.n - 1));
    return rc;
}

/* Settles the paragraph that an empty line has ended: nothing of it was held back. */
static void run_end(struct markdown_stream *l)
{
    if (l->ends.n != 1 ||
        !markdown_run_has_ended(&l->run, strbuf_str(&l->html), *slice(l, l->pos, length(l)).s))
        return;
    move_border(l, (struct border){l->pos, l->pos + START_MAX}, 1);
    strbuf_clear(&l->html);
    l->ends.n = 0;
    l->run.on = false;
}

/* True when the new text is plain: its escaped form is appended to the last block. */
static bool run_update(struct markdown_stream *l, markdown_stream_fn *fn, void *arg)
{
    char space[FRESH_SPACE];
    size_t most = l->html_max - l->html.len;
    AUTO_STRBUF fresh;
    strbuf_init_at(&fresh, most, space, sizeof space);
    struct markdown_stream_block b = {.index = l->first + l->ends.n - 1};
    size_t foot = l->run.foot;
    if (!markdown_run_take(&l->run, slice(l, l->pos, length(l)), strbuf_str(&l->html), &b.keep, &fresh) ||
        fresh.failed || fresh.len > most)
        return l->run.on = false;
    l->pos = length(l);
    if (fresh.len) {
        strbuf_truncate(&l->html, l->html.len - foot);
        strbuf_addstr(&l->html, strbuf_str(&fresh));
        l->ends.at[l->ends.n - 1] = l->html.len;
        b.html = strbuf_str(&fresh);
        fn(arg, &b);
    }
    return true;
}

/* True when the new part of a large tail is so small that it waits for the next update. */
static bool worth_waiting(const struct markdown_stream *l)
{
    size_t tail = length(l) - l->settled, fresh = length(l) - l->pos;
    if (l->costly)
        return fresh < tail / TAIL_COSTLY_STEPS;
    return tail > TAIL_LARGE && fresh < tail / TAIL_STEPS;
}

enum rc markdown_stream_update(struct markdown_stream *l, markdown_stream_fn *fn, void *arg, struct err *e)
{
    if (l->failed)
        return err_set(e, l->failed, "the stream of the answer has failed before");
    if (l->pos == length(l))
        return RC_OK;
    if (l->fence.on)
        l->failed = fence_update(l, fn, arg, e);
    if (l->run.on)
        run_end(l);
    if (!l->failed && !l->fence.on && l->pos != length(l) && !(l->run.on && run_update(l, fn, arg)) &&
        !worth_waiting(l))
        l->failed = tail_update(l, fn, arg, e);
    drop_text(l);
    return l->failed;
}

/* Sends the readers' blocks again, from the segment `from` on: calls fn with keep 0 for each block. `text`:
 * up to l->pos. */
static enum rc retell(const struct markdown_stream *l, struct str text, size_t from, markdown_stream_fn *fn,
    void *arg, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t s = from; s <= l->segments_n && !rc; s++) {
        size_t first = s ? l->segments[s - 1].block_end : 0, start = s ? l->segments[s - 1].end : 0;
        size_t end = s < l->segments_n ? l->segments[s].end : l->pos;
        struct str part = {text.s + start, end - start};
        AUTO_RENDERED r = {0};
        bool as_is;
        rc = s < l->segments_n ? render(l, part, &r, e) : render_unfinished(l, part, &r, &as_is, NULL, e);
        for (size_t i = 0; i < r.ends.n && !rc; i++)
            fn(arg, &(struct markdown_stream_block){.index = first + i, .html = block(&r.html, &r.ends, i)});
    }
    return rc;
}

enum rc markdown_stream_from(struct markdown_stream *l, struct str text, size_t text_pos, size_t *first,
    markdown_stream_fn *fn, void *arg, struct err *e)
{
    size_t s = 0;
    if (text.len < l->pos)
        return err_set(
            e, RC_INTERNAL, "the final text has %zu bytes, the streamed one %zu", text.len, l->pos);
    bool references = memmem(text.s, l->pos, "]:", 2); /* a definition can change any block */
    while (!references && s < l->segments_n && l->segments[s].sure <= text_pos)
        s++;
    *first = s ? l->segments[s - 1].block_end : 0;
    return retell(l, (struct str){text.s, l->pos}, s, fn, arg, e);
}
