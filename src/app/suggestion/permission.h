/*
 * Permission for a call of a tool that may change something outside Alfred (net/awaited.h). The tool stores a
 * question of the kind SUGGESTION_CALL_TOOL and names it with permission_want(). The wait ends with the
 * user's decision, which any channel can bring, when the question lapses after PERMISSION_MS, or with a stop.
 * A question that is still open is removed with the end of its turn (store_suggestion_show()).
 */
#ifndef ALFRED_APP_SUGGESTION_PERMISSION_H
#define ALFRED_APP_SUGGESTION_PERMISSION_H

#include <jansson.h>

#include "app/suggestion/suggestion.h"
#include "net/awaited.h"
#include "net/thread_pool.h"

/* So long a turn waits. Its session can have no other one meanwhile. */
#define PERMISSION_MS (10 * MS_PER_MIN)
/* Questions that wait at the same time. One more call is refused with a sentence for the model. */
#define PERMISSIONS_MAX          64
#define PERMISSIONS_PER_USER     8
#define PERMISSION_LOOK_MS       (5 * MS_PER_S) /* between two looks at the store without a report of a change */
#define PERMISSION_ARGUMENTS_MAX 2000           /* bytes of the arguments in the question */

/* One call that waits. The turn engine owns it. Its end: RC_OK: the user allows the call; RC_FORBIDDEN: the
 * user refuses it; RC_TIMEOUT: no decision; RC_CANCELLED: a stop. */
struct permission {
    struct awaited awaited;
    int64_t asks; /* the question */
    struct permission *prev, *next;
};

/* Any thread. */
void permission_want(struct permission *p, int64_t suggestion);

/* The text of the question: "Home: Turn on (lamp: kitchen)", in the arena. Long arguments are cut, which the
 * text says. `args`: an object. */
struct str permission_text(struct arena *a, const struct lang *l, const char *from, const json_t *args);

struct awaited_client *permission_client_new(struct loop *l, struct thread_pool *pool, struct store *s);
/* Loop thread: a question may have been decided. */
void permission_look(struct awaited_client *c);

#endif
