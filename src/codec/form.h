/*
 * application/x-www-form-urlencoded (WHATWG URL, section 5): bodies of forms and query strings.
 *
 * Names and values are decoded, are valid UTF-8 without NUL, end in NUL and are in the arena. A name may
 * occur more than once. Failures: RC_BAD_INPUT (an invalid escape or invalid text), RC_TOO_BIG (too many
 * fields). The caller limits the bytes.
 */
#ifndef ALFRED_CODEC_FORM_H
#define ALFRED_CODEC_FORM_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define FORM_FIELDS_MAX 64

struct form_field {
    struct str name, value;
};

struct form {
    const struct form_field *fields; /* in their order */
    size_t n;
};

enum rc form_parse(struct arena *a, struct str text, struct form *out, struct err *e);

#endif
