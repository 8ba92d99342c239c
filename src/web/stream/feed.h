/*
 * A feed: the readers' view of one running turn, in one language. For the first reader of another language, a
 * feed in that language is made as a copy. A feed receives the engine's observer calls, has the answer's HTML
 * rendered (live_answer.h) and sends the changes to every reader. A reader that connects or reconnects first
 * gets the events that it lacks.
 *
 * While a worker renders the articles of a step, text of the next answer is collected, and sent after the
 * step. Steps are sent in their order, even when a later one is rendered first. Without readers nothing is
 * rendered. The feed of an unsaved answer stays until the answer is saved. Loop thread only, except
 * feeds_readers().
 */
#ifndef ALFRED_WEB_STREAM_FEED_H
#define ALFRED_WEB_STREAM_FEED_H

#include "app/turn/turn.h"
#include "net/thread_pool.h"
#include "web/http/web.h"
#include "web/stream/reader.h"

struct feeds; /* all feeds of a process */

struct feeds_setup {
    const struct web *web;
    struct loop *loop;
    const char *data_dir;            /* has the turns' logs */
    struct thread_pool *pool;        /* for steps and the end of turns: may wait for the database */
    struct thread_pool *render_pool; /* for running answers: computes only */
    size_t inline_max;               /* live_answer.h */
    void (*began)(void *arg, const struct turn_started *s);
    void (*ended)(void *arg);
    void *arg; /* of began() and ended(), which do not concern readers */
};

struct feeds *feeds_new(const struct feeds_setup *s);
void feeds_free(struct feeds *f); /* drops all readers; NULL is fine */

struct turn_observer feeds_observer(struct feeds *f);

/* Takes ownership of the reader. A turn that does not run here has ended: the reader gets its end. */
void feeds_attach(struct feeds *f, struct reader *r);

/* Calls fn when no event is being rendered: every reader of an ended turn has then got its end. */
void feeds_when_quiet(struct feeds *f, loop_fn *fn, void *arg);

int feeds_readers(const struct feeds *f); /* any thread */
void feeds_ping(
    struct feeds *f); /* an SSE comment to all: detects dead connections, keeps proxies from timing out */

/* readers_credentials() and readers_drop_credential() for all of them. */
void feeds_credentials(const struct feeds *f, struct credential *out, size_t *n);
void feeds_drop_credential(struct feeds *f, struct credential by);

#endif
