/* The questions of a session that wait for the user's yes or no. They are above the message box until they
 * are answered or lapse, wherever the conversation continues. */
#ifndef ALFRED_WEB_CHAT_QUESTIONS_H
#define ALFRED_WEB_CHAT_QUESTIONS_H

#include "web/http/request.h"

struct questions_of {
    const struct lang *lang;
    int64_t owner, session_id, now;
    int64_t answered_id; /* a question that was just answered is shown with its result; 0: none */
    int64_t leaf;        /* end of the conversation: questions below this answer are not repeated */
};

/* Adds to `v`: "questions", oldest first. */
enum rc questions_view(
    struct db *db, struct arena *a, const struct questions_of *q, struct view *v, struct err *e);

/* The same as HTML for the page. */
enum rc questions_html(const struct web *w, struct db *db, struct arena *a, const struct questions_of *q,
    const char *csrf, struct strbuf *out, struct err *e);

#endif
