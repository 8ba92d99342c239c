/*
 * The HTML of a running answer. Text arrives on the loop, and events leave on the loop. A thread pool
 * renders, because one malicious text takes up to half a second. Short texts are rendered on the loop:
 * passing them to a thread would cost more.
 *
 * An answer has at most one job on the pool. Text and readers that arrive meanwhile wait for the next job. A
 * slow rendering therefore leads to larger updates and not to a queue, and answers take turns on the pool.
 *
 * Text of finished blocks is not kept. For a reader that lacks some of them it is read from the turn's log.
 *
 * Loop thread only.
 */
#ifndef ALFRED_WEB_STREAM_LIVE_ANSWER_H
#define ALFRED_WEB_STREAM_LIVE_ANSWER_H

#include "base/err.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "net/thread_pool.h"

struct live_answer;

/* The blocks that a reader lacks after joining a running answer. */
struct live_catch_up {
    uint64_t reader;
    size_t known;        /* position in the text up to which it has the blocks */
    struct strbuf event; /* empty: it lacks none */
    bool failed;         /* the turn's log was removed, because the turn ends now, or it cannot be read */
};

/* The result of a job; valid during the call. */
struct live_news {
    struct str update; /* the event for readers that are up to date; empty: no change */
    const struct live_catch_up *caught_up;
    size_t caught_up_n;
    const char *failed; /* once: the reason why no more updates come; otherwise NULL */
};

/* Rendering any text of this size takes less than a millisecond. */
#define LIVE_INLINE_MAX ((size_t)4096)

/* Buffers of a job. Jobs on the loop share those of the setup; a job on the pool has its own. */
struct live_buffers {
    struct strbuf blocks, update;
};

void live_buffers_init(struct live_buffers *b);
void live_buffers_release(struct live_buffers *b);

typedef void live_news_fn(void *arg, const struct live_news *news);

struct live_answer_setup {
    int64_t message_id;
    const char *data_dir;
    char turn[ID_SIZE];
    size_t text_max;
    size_t inline_max; /* bytes of text up to which the loop itself renders */
    struct thread_pool *pool;
    struct live_buffers *inlined; /* for jobs on the loop, shared by all answers */
    live_news_fn *news; /* after each job, but not after live_answer_free(), which it must not call */
    void *news_arg;
    loop_fn *begins, *ends; /* around each job, also after live_answer_free() */
    void *job_arg;
};

struct live_answer *live_answer_new(const struct live_answer_setup *s);
void live_answer_free(struct live_answer *a); /* a running job ends first; NULL is fine */

/* RC_TOO_BIG beyond text_max. Nothing is rendered yet. */
enum rc live_answer_add(struct live_answer *a, struct str text, struct err *e);

bool live_answer_is_unread(const struct live_answer *a); /* no reader has a block: all get the next update */
bool live_answer_is_idle(const struct live_answer *a);   /* no news is pending */

/* Starts a job when there is new text and none runs. The news may be delivered before the return. */
void live_answer_update(struct live_answer *a);

/* Requests the blocks for a reader that is at position `known`, and starts a job unless one runs. The news
 * has them together with the update up to the same position. */
void live_answer_catch_up(struct live_answer *a, uint64_t reader, size_t known);

#endif
