/*
 * The HTML elements that models write in Markdown: <br>, <br/> and <br />, because a table's cell has no
 * other line break, and <sub>, <sup> and <kbd> around at most MARKDOWN_ELEMENT_MAX bytes of plain text. Names
 * in any case, without attributes. All other HTML is text. The mark of a footnote, [^1] to [^999], is a
 * raised [1]; its note is an ordinary paragraph, which begins with [1] on the line. Words as marks are not
 * known: [^a-z] is a regular expression.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_ELEMENT_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_ELEMENT_H

#include "base/strbuf.h"
#include "codec/markdown/tex_text.h"

#define MARKDOWN_ELEMENT_MAX 120
#define MARKDOWN_NOTE_DIGITS 3

enum markdown_element_kind { MARKDOWN_SUB, MARKDOWN_SUP, MARKDOWN_KBD, MARKDOWN_NOTE, MARKDOWN_BREAK };

struct markdown_element {
    enum markdown_element_kind kind;
    struct str text; /* inside of it */
};

/* For text without other markup. Cuts `*rest` after its first element; `*before` is the text before it.
 * False: there is none, and nothing is changed. */
bool markdown_cut_element(struct str *rest, struct str *before, struct markdown_element *found);

/* The start of a footnote's note: "[^1]:", whose colon may be a text of its own (markdown_adapt.h). */
bool markdown_begins_note(struct str s);

enum markdown_sub { MARKDOWN_SUB_PLAIN, MARKDOWN_SUB_LOWERED }; /* H2O, H₂O */
/* Appends the text as it is shown without HTML: x² for <sup>2</sup>. A line break has none. */
void markdown_element_text(const struct markdown_element *e, enum markdown_sub sub, struct strbuf *out);

/* Appends raised or lowered text without HTML. A mark such as [1] stays as it is. */
void markdown_script_text(enum tex_line line, struct str text, struct strbuf *out);

/* True when `s`, which begins with '<' or '[', may become an element with more text. */
bool markdown_element_is_open(struct str s);

#endif
