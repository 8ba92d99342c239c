/* What stands under answers because of the memory: the facts that an answer was given with, and the question
 * that waits for a yes or a no. */
#ifndef ALFRED_WEB_NOTES_H
#define ALFRED_WEB_NOTES_H

#include "app/confirm.h"
#include "codec/view.h"
#include "store/memory.h"
#include "store/message.h"

struct answer_facts {
    int64_t message_id;
    struct memory *facts;
    size_t n;
};

struct message_notes {
    struct answer_facts *answers;
    size_t n;
    struct confirm confirm; /* pending.id 0: nothing waits */
    int64_t settled_id;     /* the message whose question was just answered by a button; 0: none */
    const char *settled;    /* what came of it */
};

/* Of these messages of the session; everything lives in the arena. */
enum rc notes_read(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    const struct message *messages, size_t messages_n, struct message_notes *out, struct err *e);

/* "remembered", "confirm" and "settled" of a message, null when there is nothing; `notes` may be NULL. */
void notes_view(const struct message_notes *notes, struct arena *a, struct view *v, const struct message *m);

#endif
