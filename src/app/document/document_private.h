/* Shared by the files of this folder. */
#ifndef ALFRED_APP_DOCUMENT_DOCUMENT_PRIVATE_H
#define ALFRED_APP_DOCUMENT_DOCUMENT_PRIVATE_H

#include "app/document/file_text.h"

bool pdf_is(const struct file_text_source *s);
/* As file_text_read(). */
enum rc pdf_text(const struct file_text_source *s, enum file_text *result, struct strbuf *out, struct err *e);

#endif
