/* A slide of a presentation: its heading is written when its title is known, before its content. */
#ifndef ALFRED_CODEC_DOCUMENT_DOCUMENT_SLIDE_H
#define ALFRED_CODEC_DOCUMENT_DOCUMENT_SLIDE_H

#include "codec/document/document_write.h"

struct document_slide {
    struct strbuf before, title; /* before: the text of the slides before */
    unsigned number;             /* of the slide in the presentation, hidden ones included */
    bool open;
};

void document_slide_begin(struct document_slide *s, struct document_out *o, unsigned number);
void document_slide_title(struct document_slide *s, struct str text); /* several become one line */
void document_slide_end(struct document_slide *s, struct document_out *o);

#endif
