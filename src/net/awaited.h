/*
 * Work that a call of a tool waits for: a page of the web, a tool of a server, a picture, a program. A tool
 * runs on a thread of the pool and must not wait there. It says what it wants and returns; the turn engine
 * starts the work on its loop, and the tool runs again when the work has ended. Work that hangs
 * therefore holds no thread of the pool.
 *
 * A kind of work begins its struct with a struct awaited, and its client with a struct awaited_client.
 */
#ifndef ALFRED_NET_AWAITED_H
#define ALFRED_NET_AWAITED_H

#include "base/running.h"
#include "net/loop.h"

struct awaited_client;

/* One piece of work. The turn engine owns it. All zero: none is wanted. */
struct awaited {
    int64_t owner; /* set before the start */
    bool wanted;   /* set by the function that describes it */

    /* the end, for the tool */
    bool ended;
    enum rc rc;
    struct err *err; /* a sentence unless rc is RC_OK */

    struct awaited_client *client;
    struct running running;
    loop_fn *done;
    void *arg;
};

struct awaited_client {
    struct loop *loop;
    struct running_list running; /* with the limits of work at the same time */
    const char *busy;            /* a sentence for the model when one of them is reached */
    /* Calls awaited_end() once, inside or later. */
    void (*start)(struct awaited *w);
    /* Of one that runs: makes awaited_end() be called soon, or calls it. */
    void (*cancel)(struct awaited *w);
    void (*free)(struct awaited_client *c);
};

/* ---- for the engine, on the loop's thread ---- */

static inline bool awaited_waits(const struct awaited *w)
{
    return w->wanted && !w->ended;
}
/* Calls done(arg) once, on the loop, never inside this function. */
void awaited_start(struct awaited_client *c, struct awaited *w, loop_fn *done, void *arg);
/* Ends it with an error and calls done(arg) soon. Does nothing unless it runs. */
void awaited_cancel(struct awaited *w);
/* Ends one that was not started, without a call of done(). `why` is for the model. */
void awaited_refuse(struct awaited *w, const char *why);
/* No work of the client may run. NULL is fine. */
void awaited_client_free(struct awaited_client *c);

/* ---- for the tool ---- */

/* The error of one that has ended with an error: returns its `rc`. */
enum rc awaited_failed(const struct awaited *w, struct err *e);

/* ---- for the kind of work ---- */

/* The error is in `err` already. The reader may be inside awaited_start() or a stop. */
void awaited_end(struct awaited *w, enum rc rc);
void awaited_fail(struct awaited *w, enum rc rc, const char *why);
/* Frees its error. It must not run. */
void awaited_release(struct awaited *w);

#define AWAITED_STOPPED "The answer was stopped."

#endif
