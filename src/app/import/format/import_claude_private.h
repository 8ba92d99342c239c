/* Shared by the files that read Claude's export. */
#ifndef ALFRED_APP_IMPORT_FORMAT_IMPORT_CLAUDE_PRIVATE_H
#define ALFRED_APP_IMPORT_FORMAT_IMPORT_CLAUDE_PRIVATE_H

#include "app/import/format/import_format_private.h"

/* ---- import_claude_text.c ---- */

/* Appends a text of an answer as a paragraph. Documents in it become fenced blocks, reasoning in it goes to
 * `thinking`. `citations`: the list of the block; NULL: none. */
void claude_add_text(struct strbuf *text, struct strbuf *thinking, struct str said, const json_t *citations);
/* The word for the fence of a document, by its language, else by its type; either may be empty. */
struct str claude_language(struct str language, struct str type);

#endif
