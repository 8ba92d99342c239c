/*
 * One message of Open WebUI. It becomes several when tools were called: an answer with its call, the result,
 * the next answer. The last one has the message's key, because its children refer to it.
 */
#ifndef ALFRED_APP_IMPORT_FORMAT_IMPORT_OPENWEBUI_PRIVATE_H
#define ALFRED_APP_IMPORT_FORMAT_IMPORT_OPENWEBUI_PRIVATE_H

#include "app/import/format/import_format_private.h"

#define OPENWEBUI "openwebui"

struct openwebui_message {
    struct import_conversation *c;
    const json_t *json;
    const char *key, *parent; /* parent: of the next piece */
    struct strbuf text, reasoning;
    int64_t reasoning_ms;
    size_t pieces;
};

/* ---- import_openwebui_answer.c ---- */

/* The text of an answer in `content`, with its blocks. The end of the answer stays in `text` and
 * `reasoning`. */
void openwebui_read_content(struct openwebui_message *m, struct str content);
/* The same of the items in `output`. */
void openwebui_read_output(struct openwebui_message *m, const json_t *items);
/* Adds a piece with the text. */
struct import_message *openwebui_add(struct openwebui_message *m, enum message_role role, struct str text);
/* Adds an answer with `text` and `reasoning`, which become empty. */
struct import_message *openwebui_add_answer(struct openwebui_message *m);

#endif
