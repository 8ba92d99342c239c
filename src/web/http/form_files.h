/*
 * A form with several small files (multipart/form-data), as a whole in memory: its body has at most [limits]
 * body_bytes. A file for an import is larger, see upload.h.
 */
#ifndef ALFRED_WEB_HTTP_FORM_FILES_H
#define ALFRED_WEB_HTTP_FORM_FILES_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define FORM_FILES_MAX 64

struct form_file {
    struct str name;  /* as the browser sent it, decoded; not checked */
    struct str bytes; /* not checked */
};

struct form_files {
    struct form_file list[FORM_FILES_MAX];
    size_t n;
};

typedef enum rc form_field_fn(void *arg, struct str name, struct str value, struct err *e);

/* Reads a body. A control without a chosen file gives none. Other fields go to `field`. Names and bytes are
 * in the arena or the body. RC_UNSUPPORTED, RC_BAD_INPUT, RC_TOO_BIG, and the errors of `field`. */
enum rc form_files_read(struct arena *a, const char *content_type, struct str body, form_field_fn *field,
    void *arg, struct form_files **out, struct err *e);

#endif
