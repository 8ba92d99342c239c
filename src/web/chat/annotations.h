/* The annotations below answers: the facts in their context, and the suggestions and changes of their
 * tools. */
#ifndef ALFRED_WEB_CHAT_ANNOTATIONS_H
#define ALFRED_WEB_CHAT_ANNOTATIONS_H

#include "codec/view.h"
#include "store/memory/memory.h"
#include "store/message/message.h"
#include "web/suggestion/suggestion_view.h"

struct answer_facts {
    int64_t message_id;
    struct memory *facts;
    size_t n;
};

struct message_annotations {
    struct answer_facts *answers;
    size_t n;
    struct suggestions suggestions; /* for all these messages */
};

/* Reads the annotations of `n` messages of the session, into the arena. */
enum rc annotations_read(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    const struct message *messages, size_t messages_n, struct message_annotations *out, struct err *e);

/* "remembered" (null: none) and the list "suggestions" of a message. `annotations` may be NULL. */
void annotations_view(const struct message_annotations *annotations, struct arena *a, const struct lang *l,
    struct view *v, const struct message *m);

/* The same for the API: the lists "facts" (id, text, url) and "suggestions" (suggestion_resource()). */
void annotations_resource(const struct message_annotations *annotations, struct arena *a,
    const struct lang *l, struct view *v, const struct message *m);

#endif
