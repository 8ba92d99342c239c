/*
 * The text of a file that a person sends: a text file (codec/charset.h), or a PDF file, which pdftotext of
 * poppler reads as a confined child program (base/confined.h).
 */
#ifndef ALFRED_APP_DOCUMENT_FILE_TEXT_H
#define ALFRED_APP_DOCUMENT_FILE_TEXT_H

#include "base/err.h"
#include "base/strbuf.h"

#define PDF_PROGRAM "pdftotext"
#define PDF_PACKAGE "poppler-utils" /* that has it */

#define PDF_MS     60000
#define PDF_CPU_S  30
#define PDF_MEMORY ((size_t)768 * 1024 * 1024)

enum file_text {
    FILE_TEXT_READ,
    FILE_TEXT_BINARY, /* no text, and of no format that is read */
    FILE_TEXT_LONG,   /* more than `max` bytes of text */
    /* of a PDF file: */
    FILE_TEXT_LOCKED,    /* by a password */
    FILE_TEXT_EMPTY,     /* pictures only */
    FILE_TEXT_BROKEN,    /* damaged, or it takes too long or too much memory */
    FILE_TEXT_NO_PROGRAM /* PDF_PROGRAM is missing or does not start; the log says so */
};

struct file_text_source {
    struct str name, media_type; /* as the sender says; empty: unknown */
    struct str bytes;
    size_t max;  /* bytes of text */
    int stop_fd; /* confined_run(); -1: none */
};

/* Adds the text to `out`, whose cap leaves room for `max` bytes. Blocks while a program reads the file.
 * RC_UNAVAILABLE: the program cannot be started now, or was stopped. */
enum rc file_text_read(
    const struct file_text_source *s, enum file_text *result, struct strbuf *out, struct err *e);

/* False: PDF_PROGRAM is not installed. */
bool file_text_has_pdf(void);

#endif
