#include "codec/ansi/ansi_wrap.h"

#include "base/utf8.h"
#include "codec/ansi/terminal_text.h"

#define MARK       '\x01' /* never in clean text; a byte with the styles follows */
#define MARK_BITS  0x80   /* keeps the byte from being a control character */
#define TAB_STOP   4
#define COLUMN_MIN 8 /* for text, however narrow the terminal is */

void ansi_mark(struct strbuf *rich, unsigned styles)
{
    strbuf_addc(rich, MARK);
    strbuf_addc(rich, (char)(MARK_BITS | styles));
}

/* ---- one line ---- */

struct lines {
    struct strbuf *out;
    const struct ansi_prefix *prefix;
    struct ansi_look look;
    size_t room;     /* columns after the prefix */
    size_t used;     /* of them */
    unsigned styles; /* of the text that comes */
    bool open;       /* the line has its prefix */
    bool any;        /* there was a line */
};

static struct lines lines_of(const struct ansi_prefix *p, struct ansi_look look, struct strbuf *out)
{
    size_t room = look.columns > p->columns + COLUMN_MIN ? look.columns - p->columns : COLUMN_MIN;
    return (struct lines){.out = out, .prefix = p, .look = look, .room = room};
}

static void put_style(struct lines *l, unsigned styles)
{
    static const struct {
        unsigned bit;
        const char *code;
    } codes[] = {{ANSI_BOLD, ";1"}, {ANSI_DIM, ";2"}, {ANSI_ITALIC, ";3"}, {ANSI_UNDERLINE, ";4"},
        {ANSI_STRIKE, ";9"}, {ANSI_CODE, ";36"}};
    if (!l->look.styled)
        return;
    strbuf_adds(l->out, "\x1b[0");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (styles & codes[i].bit)
            strbuf_adds(l->out, codes[i].code);
    strbuf_addc(l->out, 'm');
}

static void begin_line(struct lines *l)
{
    if (l->open)
        return;
    strbuf_addstr(l->out, l->any ? l->prefix->rest : l->prefix->first);
    if (l->styles)
        put_style(l, l->styles);
    l->open = l->any = true;
    l->used = 0;
}

static void end_line(struct lines *l)
{
    begin_line(l);
    if (l->styles)
        put_style(l, 0);
    while (l->out->len && l->out->s[l->out->len - 1] == ' ')
        strbuf_truncate(l->out, l->out->len - 1);
    strbuf_addc(l->out, '\n');
    l->open = false;
}

static void set_styles(struct lines *l, unsigned styles)
{
    if (l->open && styles != l->styles)
        put_style(l, styles);
    l->styles = styles;
}

static bool is_mark(struct str s)
{
    return s.len >= ANSI_MARK_SIZE && s.s[0] == MARK;
}

static unsigned styles_of(struct str mark)
{
    return (unsigned char)mark.s[1] & ~(unsigned)MARK_BITS;
}

/* ---- words ---- */

/* The length and width of the word at the start: up to a space or line end. A wide character is a word of its
 * own, because Chinese and Japanese have no spaces. */
static size_t word_len(struct str s, size_t *width)
{
    struct str rest = s;
    *width = 0;
    while (rest.len && rest.s[0] != ' ' && rest.s[0] != '\n') {
        if (is_mark(rest)) {
            rest = str_from(rest, ANSI_MARK_SIZE);
            continue;
        }
        struct str before = rest;
        size_t w = terminal_width_of(utf8_next(&rest, NULL));
        if (w > 1 && *width) {
            rest = before;
            break;
        }
        *width += w;
        if (w > 1)
            break;
    }
    while (rest.len && is_mark(rest)) /* such as the end of a bold word */
        rest = str_from(rest, ANSI_MARK_SIZE);
    return s.len - rest.len;
}

static void put_word(struct lines *l, struct str word)
{
    while (word.len) {
        if (is_mark(word)) {
            set_styles(l, styles_of(word));
            word = str_from(word, ANSI_MARK_SIZE);
            continue;
        }
        struct str rest = word;
        size_t w = terminal_width_of(utf8_next(&rest, NULL));
        if (l->open && l->used + w > l->room)
            end_line(l);
        begin_line(l);
        strbuf_add(l->out, word.s, word.len - rest.len);
        l->used += w;
        word = rest;
    }
}

void ansi_wrap(struct str rich, const struct ansi_prefix *p, struct ansi_look look, struct strbuf *out)
{
    struct lines l = lines_of(p, look, out);
    size_t blanks = 0;
    while (rich.len) {
        if (rich.s[0] == ' ' || rich.s[0] == '\n') {
            if (rich.s[0] == '\n')
                end_line(&l);
            blanks = l.open ? blanks + 1 : 0;
            rich = str_from(rich, 1);
            continue;
        }
        size_t width, n = word_len(rich, &width);
        if (l.open && width && l.used + blanks + width > l.room)
            end_line(&l);
        for (; l.open && width && blanks; blanks--) {
            strbuf_addc(out, ' ');
            l.used++;
        }
        put_word(&l, (struct str){rich.s, n});
        if (width)
            blanks = 0;
        rich = str_from(rich, n);
    }
    if (l.open)
        end_line(&l);
}

void ansi_verbatim(
    struct str clean, unsigned styles, const struct ansi_prefix *p, struct ansi_look look, struct strbuf *out)
{
    struct lines l = lines_of(p, look, out);
    l.styles = styles;
    while (clean.len) {
        if (clean.s[0] == '\n') {
            end_line(&l);
            clean = str_from(clean, 1);
        } else if (clean.s[0] == '\t') {
            begin_line(&l);
            do
                put_word(&l, STR(" "));
            while (l.used % TAB_STOP && l.used < l.room);
            clean = str_from(clean, 1);
        } else {
            struct str rest = clean;
            utf8_next(&rest, NULL);
            put_word(&l, (struct str){clean.s, clean.len - rest.len});
            clean = rest;
        }
    }
    if (l.open)
        end_line(&l);
}

size_t ansi_rich_width(struct str rich)
{
    size_t most = 0, n = 0;
    while (rich.len) {
        if (is_mark(rich)) {
            rich = str_from(rich, ANSI_MARK_SIZE);
        } else if (rich.s[0] == '\n') {
            n = 0;
            rich = str_from(rich, 1);
        } else {
            n += terminal_width_of(utf8_next(&rich, NULL));
            most = n > most ? n : most;
        }
    }
    return most;
}

size_t ansi_line_width(struct str line)
{
    size_t n = 0;
    while (line.len) {
        if (line.s[0] == '\x1b') {
            while (line.len && line.s[0] != 'm')
                line = str_from(line, 1);
            line = line.len ? str_from(line, 1) : line;
        } else {
            n += terminal_width_of(utf8_next(&line, NULL));
        }
    }
    return n;
}

void ansi_as_it_is(struct str text, struct ansi_look look, struct strbuf *out)
{
    static const struct ansi_prefix none = {{"", 0}, {"", 0}, 0};
    AUTO_STRBUF clean;
    strbuf_init(&clean, 3 * text.len + 1);
    terminal_text_add(&clean, text);
    ansi_verbatim(strbuf_str(&clean), 0, &none, look, out);
}
