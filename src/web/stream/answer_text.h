/*
 * The text of a running answer, for readers that are programs: each gets new text as an event `text`.
 * live_answer.h does the same with HTML for pages. The text is kept from the first such reader on: most
 * answers have none, and the turn log has the text until then. Loop thread only.
 */
#ifndef ALFRED_WEB_STREAM_ANSWER_TEXT_H
#define ALFRED_WEB_STREAM_ANSWER_TEXT_H

#include "web/stream/reader.h"

struct answer_text {
    int64_t message_id;
    bool kept;
    struct strbuf text; /* empty unless kept */
    size_t sent;        /* bytes; a reader that catches up gets as many */
};

void answer_text_init(struct answer_text *t, size_t text_max);
void answer_text_release(struct answer_text *t);

void answer_text_begin(struct answer_text *t, int64_t message_id); /* starts another message without text */
void answer_text_add(struct answer_text *t, struct str piece);

/* Keeps the text from now on. The text so far is read from the turn's log. A log that cannot be read counts
 * as empty, because the end of the turn has the whole text. `sent`: the readers have the text so far. */
void answer_text_keep(struct answer_text *t, const char *data_dir, const char *turn, bool sent);

/* Sends the new text to the programs in the list. `scratch` is a buffer for the event. */
void answer_text_send(struct answer_text *t, struct reader *list, struct strbuf *scratch);
/* Sends a reader that has not begun the text that it lacks, by its position. */
void answer_text_catch_up(const struct answer_text *t, struct reader *r, struct strbuf *scratch);

#endif
