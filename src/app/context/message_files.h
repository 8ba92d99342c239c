/*
 * The texts of a message of the user that a model can read in parts: the files at its end (markdown_typed.h),
 * and the message itself, whose name is "". Lines are counted from 1 on. A line break at the end of a text
 * begins no further line.
 */
#ifndef ALFRED_APP_CONTEXT_MESSAGE_FILES_H
#define ALFRED_APP_CONTEXT_MESSAGE_FILES_H

#include "base/mem.h"
#include "base/str.h"

#define MESSAGE_FILES_MAX 32

struct message_file {
    struct str name, text; /* parts of the message's text; the name is empty for the message itself */
};

/* The message itself comes first. Returns the number. */
size_t message_files(struct str text, struct message_file out[MESSAGE_FILES_MAX + 1]);
size_t message_file_lines(struct str text);
/* The text before the files. */
struct str message_own_text(struct str text);

/* Says what of a message is left out between the offsets `from` and `to`, and how a model reads it. `id`: of
 * the message; 0: it is the current question. In the arena. */
const char *message_cut_mark(struct arena *a, struct str text, int64_t id, size_t from, size_t to);
#define MESSAGE_CUT_MARK_MAX ((size_t)1200) /* bytes of it */

#endif
