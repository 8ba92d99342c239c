/*
 * Cuts a text with styles into messages and writes each as HTML.
 *
 * Tags are closed at the end of a piece and opened again in the next one, so every piece is well-formed by
 * itself. Open tags are a stack in one fixed order; between two runs it is closed down to what both have in
 * common. Only white space is lost at a cut.
 *
 * A piece is measured as the server does, in UTF-16 code units of its text without tags. The plain form has
 * the addresses of links, so its length is the one that counts.
 */
#include <ctype.h>
#include <stdio.h>

#include "base/utf8.h"
#include "channel/telegram/telegram_doc.h"
#include "channel/telegram/telegram_private.h"

#define TAGS_MAX      6
#define FACTOR        8   /* bytes of markup per byte of text: an escaped sign, closed and opened tags */
#define TAG_MORE      64  /* bytes of the tags of one run without addresses */
#define ADDRESS_MAX   500 /* longer addresses are left out of the plain form */
#define SENTENCE_ENDS ".!?:;"
#define TEXT_FACTOR   32 /* a short row of a table is padded to its columns */
#define TEXT_MORE     4096
#define JOINER        0x200Du
#define CUT_LOOK_PART 2 /* a better place to cut is looked for in the second half of a piece */

/* ---- tags ---- */

enum tag_kind { TAG_QUOTE = 1, TAG_PRE, TAG_LINK, TAG_BOLD, TAG_ITALIC, TAG_STRIKE, TAG_CODE };

struct tag {
    enum tag_kind kind;
    unsigned id; /* tells two neighbours apart */
};

/* The tags of a style, the outermost first. Code has no other tags inside or around it but a quotation. */
static size_t tags_of(struct tg_style s, struct tag out[TAGS_MAX])
{
    size_t n = 0;
    if (s.quote)
        out[n++] = (struct tag){TAG_QUOTE, s.quote};
    if (s.pre) {
        out[n++] = (struct tag){TAG_PRE, s.pre};
        return n;
    }
    if (s.link)
        out[n++] = (struct tag){TAG_LINK, s.link};
    else if (s.bits & STYLE_CODE) {
        out[n++] = (struct tag){TAG_CODE, 0};
        return n;
    }
    if (s.bits & STYLE_BOLD)
        out[n++] = (struct tag){TAG_BOLD, 0};
    if (s.bits & STYLE_ITALIC)
        out[n++] = (struct tag){TAG_ITALIC, 0};
    if (s.bits & STYLE_STRIKE)
        out[n++] = (struct tag){TAG_STRIKE, 0};
    return n;
}

struct stack {
    struct tag open[TAGS_MAX];
    size_t n;
};

static void add_escaped(struct strbuf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        switch (s.s[i]) {
        case '&': strbuf_adds(out, "&amp;"); break;
        case '<': strbuf_adds(out, "&lt;"); break;
        case '>': strbuf_adds(out, "&gt;"); break;
        case '"': strbuf_adds(out, "&quot;"); break;
        default: strbuf_addc(out, s.s[i]);
        }
}

static void open_tag(const struct tg_doc *d, struct tag t, struct strbuf *out)
{
    static const char *const simple[] = {[TAG_QUOTE] = "<blockquote>",
        [TAG_BOLD] = "<b>",
        [TAG_ITALIC] = "<i>",
        [TAG_STRIKE] = "<s>",
        [TAG_CODE] = "<code>"};
    if (t.kind == TAG_LINK) {
        strbuf_adds(out, "<a href=\"");
        add_escaped(out, d->words[t.id - 1]);
        strbuf_adds(out, "\">");
    } else if (t.kind == TAG_PRE) {
        struct str language = d->words[t.id - 1];
        strbuf_adds(out, "<pre>");
        if (language.len) {
            strbuf_adds(out, "<code class=\"language-");
            add_escaped(out, language);
            strbuf_adds(out, "\">");
        }
    } else {
        strbuf_adds(out, simple[t.kind]);
    }
}

static void close_tag(const struct tg_doc *d, struct tag t, struct strbuf *out)
{
    static const char *const simple[] = {[TAG_QUOTE] = "</blockquote>",
        [TAG_PRE] = "</pre>",
        [TAG_LINK] = "</a>",
        [TAG_BOLD] = "</b>",
        [TAG_ITALIC] = "</i>",
        [TAG_STRIKE] = "</s>",
        [TAG_CODE] = "</code>"};
    if (t.kind == TAG_PRE && d->words[t.id - 1].len)
        strbuf_adds(out, "</code>");
    strbuf_adds(out, simple[t.kind]);
}

/* Changes the open tags to those of `s`. Returns how many were opened. `out` NULL: counts only. */
static size_t change_tags(const struct tg_doc *d, struct stack *k, struct tg_style s, struct strbuf *out)
{
    struct tag want[TAGS_MAX];
    size_t n = tags_of(s, want), same = 0;
    while (
        same < n && same < k->n && want[same].kind == k->open[same].kind && want[same].id == k->open[same].id)
        same++;
    for (; k->n > same; k->n--)
        if (out)
            close_tag(d, k->open[k->n - 1], out);
    for (size_t i = same; i < n; i++) {
        if (out)
            open_tag(d, want[i], out);
        k->open[k->n++] = want[i];
    }
    return n - same;
}

/* ---- where a piece ends ---- */

struct cutter {
    const struct tg_doc *d;
    size_t at;  /* where the piece begins */
    size_t run; /* the run there */
};

static size_t run_end(const struct tg_doc *d, size_t run)
{
    return run + 1 < d->runs_n ? d->runs[run + 1].at : d->text.len;
}

static struct str slice(const struct tg_doc *d, size_t from, size_t to)
{
    return (struct str){d->text.s + from, to - from};
}

/* The address that the plain form shows after a link. False: the link shows it itself, or it is very long. */
static bool plain_address(const struct tg_doc *d, size_t run, struct str *address)
{
    unsigned link = d->runs[run].style.link;
    if (!link || (run + 1 < d->runs_n && d->runs[run + 1].style.link == link))
        return false;
    size_t first = run;
    while (first > 0 && d->runs[first - 1].style.link == link)
        first--;
    *address = d->words[link - 1];
    return address->len <= ADDRESS_MAX &&
           !str_eq(str_trim(slice(d, d->runs[first].at, run_end(d, run))), *address);
}

/* Marks, joiners and colours that belong to the character before. */
static bool goes_on(uint32_t c)
{
    return (c >= 0x300 && c <= 0x36F) || c == JOINER || (c >= 0xFE00 && c <= 0xFE0F) ||
           (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0020 && c <= 0xE007F);
}

/* The last place up to which the piece fits. The address of a link counts from the start of the link's last
 * run on. */
static size_t limit(const struct cutter *c)
{
    const struct tg_doc *d = c->d;
    struct str text = strbuf_str(&d->text);
    struct stack k = {.n = 0};
    size_t units = 0, entities = 0, fits = c->at, hard = c->at;
    for (size_t run = c->run; run < d->runs_n; run++) {
        size_t from = run == c->run ? c->at : d->runs[run].at;
        struct str address, rest = slice(d, from, run_end(d, run));
        entities += change_tags(d, &k, d->runs[run].style, NULL);
        if (plain_address(d, run, &address))
            units += utf8_utf16_len(address) + sizeof " ()" - 1;
        if (entities > TELEGRAM_ENTITIES_MAX)
            break;
        while (rest.len) {
            uint32_t cp = utf8_next(&rest, NULL);
            units += cp >= 0x10000 ? 2 : 1;
            if (units > TELEGRAM_PIECE_UNITS)
                return fits > c->at ? fits : hard;
            hard = (size_t)(rest.s - text.s);
            if (cp != JOINER && !goes_on(utf8_at(text, hard)))
                fits = hard;
        }
    }
    return fits > c->at ? fits : hard;
}

/* A place to cut at or before `end`, at a rank: 0 paragraph, 1 line, 2 sentence, 3 word. */
static bool is_place(struct str text, size_t at, int rank)
{
    char before = text.s[at - 1], here = text.s[at];
    switch (rank) {
    case 0: return here == '\n' && at + 1 < text.len && text.s[at + 1] == '\n';
    case 1: return here == '\n';
    case 2: return here == ' ' && strchr(SENTENCE_ENDS, before);
    default: return here == ' ';
    }
}

static size_t choose(const struct cutter *c, size_t most)
{
    struct str text = strbuf_str(&c->d->text);
    size_t least = c->at + (most - c->at) / CUT_LOOK_PART;
    if (most >= text.len)
        return text.len;
    for (int rank = 0; rank <= 3; rank++)
        for (size_t at = most; at > least; at--)
            if (is_place(text, at, rank))
                return at;
    return most;
}

/* ---- pieces ---- */

bool tg_is_blank(uint32_t c)
{
    return c <= ' ' || c == 0xA0 || c == 0xFEFF || c == 0x2060 || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E);
}

static bool is_blank(struct str s)
{
    while (s.len)
        if (!tg_is_blank(utf8_next(&s, NULL)))
            return false;
    return true;
}

/* Writes the part up to `end`. */
static void write_piece(const struct cutter *c, size_t end, struct arena *a, struct channel_piece *out)
{
    const struct tg_doc *d = c->d;
    struct stack k = {.n = 0};
    struct strbuf markup, plain;
    size_t room = FACTOR * (end - c->at);
    for (size_t run = c->run; run < d->runs_n && d->runs[run].at < end; run++) {
        struct tg_style s = d->runs[run].style;
        room += 2 * TAG_MORE + (s.link ? FACTOR * d->words[s.link - 1].len : 0);
    }
    strbuf_init(&markup, room);
    strbuf_init(&plain, room);
    for (size_t run = c->run; run < d->runs_n && (run == c->run || d->runs[run].at < end); run++) {
        size_t from = run == c->run ? c->at : d->runs[run].at, to = run_end(d, run);
        struct str address, text = slice(d, from, to < end ? to : end);
        change_tags(d, &k, d->runs[run].style, &markup);
        add_escaped(&markup, text);
        strbuf_addstr(&plain, text);
        if (to <= end && plain_address(d, run, &address))
            strbuf_addf(&plain, " (%.*s)", STR_FMT(address));
    }
    change_tags(d, &k, (struct tg_style){0}, &markup);
    out->markup = arena_str(a, strbuf_str(&markup));
    out->plain = arena_str(a, strbuf_str(&plain));
    strbuf_release(&markup);
    strbuf_release(&plain);
}

/* Begins the next piece at `at` or after the white space there: of code only the end of its line. */
static void move_to(struct cutter *c, size_t at)
{
    const struct tg_doc *d = c->d;
    bool first = true;
    for (;; at++, first = false) {
        while (c->run + 1 < d->runs_n && d->runs[c->run + 1].at <= at)
            c->run++;
        if (at >= d->text.len || !isspace((unsigned char)d->text.s[at]) ||
            (d->runs[c->run].style.pre && !(first && d->text.s[at] == '\n')))
            break;
    }
    c->at = at;
}

static void cut_pieces(const struct tg_doc *d, struct arena *a, struct channel_piece **out, size_t *n)
{
    struct cutter c = {.d = d};
    size_t room = 4;
    *out = ARENA_ARRAY(a, struct channel_piece, room);
    *n = 0;
    while (c.at < d->text.len) {
        size_t end = choose(&c, limit(&c));
        size_t next = end;
        if (end <= c.at) /* cannot happen: a piece has at least one character */
            return;
        if (end < d->text.len)
            while (end > c.at + 1 && isspace((unsigned char)d->text.s[end - 1]))
                end--;
        if (!is_blank(slice(d, c.at, end))) {
            if (*n == room) {
                struct channel_piece *more = ARENA_ARRAY(a, struct channel_piece, room * 2);
                memcpy(more, *out, *n * sizeof *more);
                *out = more;
                room *= 2;
            }
            write_piece(&c, end, a, &(*out)[(*n)++]);
        }
        move_to(&c, next);
    }
}

void telegram_render(struct arena *a, struct str markdown, struct channel_piece **out, size_t *n)
{
    struct tg_doc d;
    tg_doc_init(&d, a, TEXT_FACTOR * markdown.len + TEXT_MORE);
    tg_walk(&d, markdown);
    if (d.text.failed) { /* names of columns repeated in thousands of rows */
        tg_doc_release(&d);
        tg_doc_init(&d, a, markdown.len);
        tg_doc_add(&d, str_trim(markdown), (struct tg_style){0});
    }
    cut_pieces(&d, a, out, n);
    tg_doc_release(&d);
}
