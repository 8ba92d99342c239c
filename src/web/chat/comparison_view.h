/* An open comparison (store/message/comparison.h) as two columns, for the page and for the event of a turn.
 */
#ifndef ALFRED_WEB_CHAT_COMPARISON_VIEW_H
#define ALFRED_WEB_CHAT_COMPARISON_VIEW_H

#include "store/message/comparison.h"
#include "store/message/turn.h"
#include "web/chat/message_view.h"

struct comparison_column {
    const char *turn; /* id of its running turn, NULL: none */
    struct message *messages;
    size_t n;
    struct message_annotations annotations;
};

struct comparison_columns {
    int64_t asked_id;
    struct comparison_column of[COMPARISON_COLUMNS];
    const char *running[COMPARISON_COLUMNS]; /* turns that run */
    size_t running_n;
};

/* Into the arena. RC_NOT_FOUND: the session has no open comparison. */
enum rc comparison_read(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    struct comparison_columns *out, struct err *e);

/* Adds "asked", "columns" and "decidable" (both answers have ended). */
void comparison_view(const struct message_frame *f, const struct comparison_columns *c, struct view *v);

/* The same as HTML, through the partial of the page. */
enum rc comparison_html(const struct web *w, const struct message_frame *f,
    const struct comparison_columns *c, struct strbuf *out, struct err *e);

/* "comparison" for the API: the question and the first message of each answer, else null. */
void comparison_resource(struct arena *a, struct view *v, const struct comparison_columns *c);

#endif
