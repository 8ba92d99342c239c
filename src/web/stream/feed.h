/*
 * A feed: one running turn as its readers see it. It follows the engine's observer calls, keeps the answer's
 * live HTML and sends every reader what is new; a reader that comes (back) gets what it lacks first.
 *
 * While the page of a step is rendered on a worker, text of the next answer gathers and goes out after it, so
 * that readers see everything in order. With nobody watching nothing is rendered. Loop thread only.
 */
#ifndef ALFRED_WEB_FEED_H
#define ALFRED_WEB_FEED_H

#include "app/turn/turn.h"
#include "net/thread_pool.h"
#include "web/stream/reader.h"
#include "web/http/web.h"

struct feeds; /* all of a process */

struct feeds_setup {
    const struct web *web;
    struct loop *loop;
    struct work_pool *pool;
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
