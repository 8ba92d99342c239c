/*
 * The text of a file that a person sends: of an office document (codec/document), of a PDF file, which
 * pdftotext of poppler reads as a confined child program (base/confined/confined.h), or of a text file
 * (codec/charset.h). The bytes tell which it is; a name or a type only for a PDF file without its mark.
 */
#ifndef ALFRED_APP_DOCUMENT_FILE_TEXT_H
#define ALFRED_APP_DOCUMENT_FILE_TEXT_H

#include "base/err.h"
#include "base/mem.h"

#define PDF_PROGRAM "pdftotext"
#define PDF_PACKAGE "poppler-utils" /* that has it */

#define PDF_MS     50000 /* less than the wait of nginx for an answer */
#define PDF_CPU_S  30
#define PDF_MEMORY ((size_t)768 * 1024 * 1024)

#define FILE_TEXT_UNKNOWN "document.unknown" /* sentence: no text, and of no format that is read */

struct file_text_source {
    struct str name, media_type; /* as the sender says; empty: unknown */
    const char *shown;           /* the name for sentences */
    struct str bytes;
    size_t max;  /* bytes of text; at most twice as many bytes of a text file are looked at */
    int stop_fd; /* confined_run(); -1: none */
};

/* `*text` is in the arena. Blocks while a program reads a PDF file. With a sentence: RC_UNSUPPORTED (of no
 * format that is read, an old one, or PDF_PROGRAM is missing), RC_BAD_INPUT (damaged, protected by a
 * password, or without text), RC_TOO_BIG (more than `max` bytes of text, or a limit of codec/document).
 * Without one: RC_UNAVAILABLE (the program cannot be started now, or was stopped), RC_INTERNAL (a library is
 * missing). */
enum rc file_text_read(struct arena *a, const struct file_text_source *s, struct str *text, struct err *e);

/* A PDF file: reading it may take seconds. */
bool file_text_takes_time(const struct file_text_source *s);

/* False: PDF_PROGRAM is not installed. */
bool file_text_has_pdf(void);

#endif
