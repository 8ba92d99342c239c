/* Shared by the files that read ChatGPT's export. */
#ifndef ALFRED_APP_IMPORT_FORMAT_IMPORT_CHATGPT_PRIVATE_H
#define ALFRED_APP_IMPORT_FORMAT_IMPORT_CHATGPT_PRIVATE_H

#include "app/import/format/import_format_private.h"

#define CHATGPT_PLACE "#" /* member that we add to a node: the index of its message */

/* ---- import_chatgpt_marks.c ---- */

/* Replaces the marks of sources in an answer by what they stand for, by the metadata of its message. */
void chatgpt_resolve_marks(struct strbuf *b, const json_t *metadata);

/* ---- import_chatgpt_tools.c ---- */

/* Makes a call of an answer to the tool `to`, whose text is `b`. A document becomes the answer's text. Until
 * chatgpt_link_results() `tool` and `call_id` of the answer keep values for its results. */
void chatgpt_make_call(
    struct import_conversation *c, struct import_message *m, struct str to, struct strbuf *b);
/* The message with the finished report, if this one of a tool is about Deep Research; NULL. Its text must be
 * parsed, so the caller owns it. */
json_t *chatgpt_report(const json_t *message);
/* The index of the first message of the node above; IMPORT_NONE. For when all nodes were read. */
size_t chatgpt_place_above(const json_t *mapping, const struct import_message *m);
/* Results need their calls, so this runs when all nodes were read. */
void chatgpt_link_results(struct import_conversation *c, const json_t *mapping);

/* ---- import_chatgpt_thoughts.c ---- */

/* Keeps the reasoning of a message that is left out, for chatgpt_give_thoughts(). */
void chatgpt_read_thoughts(struct import_conversation *c, struct import_message *m, const json_t *message);
/* Moves it to the answers below. Runs when all nodes were read. */
void chatgpt_give_thoughts(struct import_conversation *c, const json_t *mapping);

#endif
