/*
 * Requests on their way from the threads that receive them to the handlers' threads. Any thread may call any
 * function. A lock guards the queue and is held over no I/O. The server closes and releases it.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_QUEUE_H
#define ALFRED_WEB_FCGI_FCGI_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct fcgi_request;

struct fcgi_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct fcgi_request *first, *last;
    size_t n, max;
    bool closed;
    bool awaited; /* the loop waits for room */
};

void fcgi_queue_init(struct fcgi_queue *q, size_t max);
void fcgi_queue_release(struct fcgi_queue *q); /* no thread uses it any more */

/* True when `max` requests wait. The next fcgi_queue_take() that makes room then reports it. */
bool fcgi_queue_full(struct fcgi_queue *q);

/* Adds a complete request, also when the queue is full. */
void fcgi_queue_put(struct fcgi_queue *q, struct fcgi_request *r);

/* The first request, which the caller then owns. NULL: the queue is empty and, with `wait`, closed. */
struct fcgi_request *fcgi_queue_take(struct fcgi_queue *q, bool wait, bool *room_again);

/* The requests in the queue are still handed out. */
void fcgi_queue_close(struct fcgi_queue *q);

#endif
