/* A text with its styles; telegram_doc.h. */
#include "channel/telegram/telegram_doc.h"

#include <ctype.h>
#include <stdlib.h>

void tg_doc_init(struct tg_doc *d, struct arena *a, size_t cap)
{
    *d = (struct tg_doc){.a = a};
    strbuf_init(&d->text, cap);
}

void tg_doc_release(struct tg_doc *d)
{
    strbuf_release(&d->text);
    free(d->runs);
    free(d->words);
    *d = (struct tg_doc){0};
}

static bool is_same_style(struct tg_style a, struct tg_style b)
{
    return a.bits == b.bits && a.link == b.link && a.pre == b.pre && a.quote == b.quote;
}

void tg_doc_add(struct tg_doc *d, struct str text, struct tg_style style)
{
    if (!text.len || d->text.failed)
        return;
    if (!d->runs_n || !is_same_style(d->runs[d->runs_n - 1].style, style)) {
        if (d->runs_n == d->runs_room) {
            d->runs_room = d->runs_room ? d->runs_room * 2 : 16;
            d->runs = xrealloc(d->runs, d->runs_room * sizeof *d->runs);
        }
        d->runs[d->runs_n++] = (struct tg_run){d->text.len, style};
    }
    strbuf_addstr(&d->text, text);
}

unsigned tg_doc_word(struct tg_doc *d, struct str word)
{
    if (d->words_n == d->words_room) {
        d->words_room = d->words_room ? d->words_room * 2 : 16;
        d->words = xrealloc(d->words, d->words_room * sizeof *d->words);
    }
    d->words[d->words_n++] = arena_str(d->a, word);
    return (unsigned)d->words_n;
}

void tg_doc_append(struct tg_doc *d, const struct tg_doc *other, struct tg_style more)
{
    unsigned first = (unsigned)d->words_n;
    for (size_t i = 0; i < other->words_n; i++)
        tg_doc_word(d, other->words[i]);
    for (size_t i = 0; i < other->runs_n; i++) {
        struct tg_style s = other->runs[i].style;
        size_t at = other->runs[i].at, end = i + 1 < other->runs_n ? other->runs[i + 1].at : other->text.len;
        s.bits |= more.bits;
        s.link = s.link ? s.link + first : 0;
        s.pre = s.pre ? s.pre + first : 0;
        s.quote = more.quote;
        tg_doc_add(d, (struct str){other->text.s + at, end - at}, s);
    }
}

void tg_doc_trim_end(struct tg_doc *d)
{
    while (d->text.len && isspace((unsigned char)d->text.s[d->text.len - 1]))
        strbuf_truncate(&d->text, d->text.len - 1);
    while (d->runs_n && d->runs[d->runs_n - 1].at >= d->text.len)
        d->runs_n--;
}
