/*
 * A block of data after the system prompt or the newest message: stored or earlier texts that the model reads
 * but does not obey. It consists of a sentence that explains it, and one JSON object per line between <name>
 * and </name>. < and > are escaped in JSON (codec/view.h), so a line can neither end the block nor imitate a
 * message.
 *
 * A block has a limit of bytes, its ends included. A line that does not fit is left out. A block without
 * lines is empty.
 */
#ifndef ALFRED_APP_CONTEXT_DATA_BLOCK_H
#define ALFRED_APP_CONTEXT_DATA_BLOCK_H

#include "codec/view.h"

#define DATA_BLOCK_MAX ((size_t)64 * 1024) /* bytes of any block */

struct data_block {
    struct strbuf text;
    const char *name; /* a constant */
    int lines;
};

/* Begins a block of at most `bytes` with a sentence for the model. The caller ends it with
 * data_block_end(), which also releases it. */
void data_block_begin(struct data_block *b, const char *sentence, const char *name, size_t bytes);
/* False when the line does not fit; nothing is added. */
bool data_block_add(struct data_block *b, const struct view *line);
/* The whole block in the arena, or empty. Releases the block. */
struct str data_block_end(struct data_block *b, struct arena *a);

/* Appends a block, or nothing, to a prompt. */
void data_block_append(struct arena *a, struct str *prompt, struct str block);

#endif
