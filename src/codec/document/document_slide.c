#include "codec/document/document_slide.h"

#include <stdio.h>

void document_slide_begin(struct document_slide *s, struct document_out *o, unsigned number)
{
    if (s->open)
        document_slide_end(s, o);
    *s = (struct document_slide){.before = o->text, .number = number, .open = true};
    strbuf_init(&o->text, s->before.cap);
    strbuf_init(&s->title, s->before.cap);
}

void document_slide_title(struct document_slide *s, struct str text)
{
    text = str_trim(text);
    if (text.len && s->title.len)
        strbuf_addc(&s->title, ' ');
    for (size_t i = 0; i < text.len; i++)
        strbuf_addc(&s->title, text.s[i] == '\n' ? ' ' : text.s[i]);
}

/* Without content and title nothing is written. */
void document_slide_end(struct document_slide *s, struct document_out *o)
{
    if (!s->open)
        return;
    struct strbuf content = o->text;
    o->text = s->before;
    if (content.len || s->title.len) {
        char marks[32];
        snprintf(marks, sizeof marks, "## Slide %u%s", s->number, s->title.len ? ": " : "");
        AUTO_STRBUF heading;
        strbuf_init(&heading, s->title.cap + sizeof marks);
        strbuf_adds(&heading, marks);
        strbuf_addstr(&heading, strbuf_str(&s->title));
        document_block(o, "", strbuf_str(&heading));
        document_block(o, "", strbuf_str(&content));
    }
    *o->full = *o->full || content.failed;
    strbuf_release(&content);
    strbuf_release(&s->title);
    s->open = false;
}
