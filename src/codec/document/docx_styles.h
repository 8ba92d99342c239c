/* Headings and numbers of lists in Word: styles.xml and numbering.xml. */
#ifndef ALFRED_CODEC_DOCUMENT_DOCX_STYLES_H
#define ALFRED_CODEC_DOCUMENT_DOCX_STYLES_H

#include "codec/document/document_private.h"

#define DOCX_LEVELS     9 /* of lists and of outlines */
#define DOCX_UNSET      (-1)
#define DOCX_NO_HEADING 0

/* The properties of a paragraph or of its style. */
struct docx_form {
    int heading; /* 1 to 9; DOCX_NO_HEADING: text; DOCX_UNSET: as the style */
    int list;    /* numId; 0: none; DOCX_UNSET: as the style */
    int level;   /* of the list, from 0 on; DOCX_UNSET: as the style */
};

int docx_outline_heading(const char *value); /* of w:outlineLvl */

struct docx_styles;
/* `relations`: of the main part. */
enum rc docx_styles_read(
    struct document *d, const struct relations *relations, struct docx_styles **out, struct err *e);
void docx_styles_free(struct docx_styles *s); /* NULL is fine */

/* Completes `form` by the style, and by those on which it is based. `style` may be NULL or unknown. */
void docx_styles_apply(const struct docx_styles *s, const char *style, struct docx_form *form);
/* Counts the next item of a list and writes its label: "-", "1.", "2.1.3", "(a)". False: the list is unknown.
 */
bool docx_styles_label(struct docx_styles *s, const struct docx_form *form, struct strbuf *out);

#endif
