/* Shared by the files of this folder. */
#ifndef ALFRED_APP_DOCUMENT_DOCUMENT_PRIVATE_H
#define ALFRED_APP_DOCUMENT_DOCUMENT_PRIVATE_H

#include "app/document/file_text.h"

/* Of a PDF file, as file_text_read(). */
enum rc pdf_text(struct arena *a, const struct file_text_source *s, struct str *text, struct err *e);

/* Returns `rc`, with the sentence `key` about the file. */
enum rc file_refuse(const struct file_text_source *s, enum rc rc, const char *key, struct err *e);

#endif
