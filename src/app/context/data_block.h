/*
 * A block of data behind the system prompt: what was stored or said before, for the model to read and not to
 * obey. One JSON object a line between <name> and </name>, after a sentence that says what it is; < and > are
 * escaped in JSON (codec/view.h), so nothing in a line can end the block or look like a message of its own.
 *
 * A block is born with the bytes that it may take, its ends included; a line that does not fit is left out,
 * and a block without lines is none.
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

void data_block_begin(struct data_block *b, const char *sentence, const char *name, size_t bytes);
/* False, and nothing is added, when the line does not fit. */
bool data_block_add(struct data_block *b, const struct view *line);
/* The whole in the arena, or empty; the block is released. */
struct str data_block_end(struct data_block *b, struct arena *a);

/* Puts a block, or nothing, behind what a prompt has already. */
void data_block_append(struct arena *a, struct str *prompt, struct str block);

#endif
