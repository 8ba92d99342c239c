/*
 * A feed: the readers' view of one running turn. It follows the engine's observer calls, has the answer's
 * HTML made (live_answer.h) and sends every reader the changes. A reader that connects or reconnects first
 * gets the events that it lacks.
 *
 * While the page of a step is rendered on a worker, text of the next answer is collected and sent after it.
 * Steps are sent in the order in which they happened, whichever is rendered first. Without readers nothing is
 * rendered. The feed of an answer that could not be saved stays until it is saved. Loop thread only.
 */
#ifndef ALFRED_WEB_STREAM_FEED_H
#define ALFRED_WEB_STREAM_FEED_H

#include "app/turn/turn.h"
#include "net/thread_pool.h"
#include "web/stream/reader.h"
#include "web/http/web.h"

struct feeds; /* all of a process */

struct feeds_setup {
    const struct web *web;
    struct loop *loop;
    struct thread_pool *pool;        /* for pages of steps and of the end: waits for the database */
    struct thread_pool *render_pool; /* for the running answers: only computes */
    size_t inline_max;               /* live_answer.h */
};

struct feeds *feeds_new(const struct feeds_setup *s);
void feeds_free(struct feeds *f); /* drops all readers; NULL is fine */

struct turn_observer feeds_observer(struct feeds *f);

/* Takes the reader over. A turn that does not run here has ended: the reader gets its end. */
void feeds_attach(struct feeds *f, struct reader *r);

/* Calls fn once no event is being rendered any more: then every reader of an ended turn has got its end. */
void feeds_when_quiet(struct feeds *f, loop_fn *fn, void *arg);

int feeds_readers(const struct feeds *f);
void feeds_ping(
    struct feeds *f); /* an SSE comment to everybody: finds dead connections, keeps proxies awake */

/* The distinct logins of all readers, malloc'd; and the end of those of one login. */
int64_t *feeds_logins(const struct feeds *f, size_t *n);
void feeds_drop_login(struct feeds *f, int64_t login_id);

#endif
