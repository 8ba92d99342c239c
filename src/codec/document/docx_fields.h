/* Fields of Word: their results are text, their instructions are not, except the address of a link. */
#ifndef ALFRED_CODEC_DOCUMENT_DOCX_FIELDS_H
#define ALFRED_CODEC_DOCUMENT_DOCX_FIELDS_H

#include "base/strbuf.h"

#define DOCX_FIELDS_MAX      16 /* inside each other; of deeper ones only the text is read */
#define DOCX_INSTRUCTION_MAX 1024

struct docx_field {
    bool result; /* its result is read */
    bool link;   /* to the address in `instruction` */
    size_t start, n;
    char instruction[DOCX_INSTRUCTION_MAX];
};

struct docx_fields {
    struct docx_field list[DOCX_FIELDS_MAX];
    size_t depth;
};

/* `type` of w:fldChar: begin, separate, end; may be NULL. `text`: of the paragraph. */
void docx_fields_char(struct docx_fields *f, const char *type, struct strbuf *text);
void docx_fields_instruction(struct docx_fields *f, struct str piece);
/* The paragraph ends: so do the links in it. */
void docx_fields_cut(struct docx_fields *f, struct strbuf *text);

#endif
