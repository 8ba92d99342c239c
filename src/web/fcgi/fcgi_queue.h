/*
 * Requests on their way from the loop to the threads that handle them. Any thread may call any function; a
 * lock guards the queue and is held over no I/O. Closing it and releasing it is the server's.
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
    bool awaited; /* somebody saw that it was full */
};

void fcgi_queue_init(struct fcgi_queue *q, size_t max);
void fcgi_queue_release(struct fcgi_queue *q); /* no thread uses it any more */

/* Whether `max` requests wait. Then the next fcgi_queue_take() that makes room says so. */
bool fcgi_queue_full(struct fcgi_queue *q);

/* Takes a request that is complete, also when the queue is full. */
void fcgi_queue_put(struct fcgi_queue *q, struct fcgi_request *r);

/* Waits for a request, which is the caller's then. NULL: the queue is closed and empty. */
struct fcgi_request *fcgi_queue_take(struct fcgi_queue *q, bool *room_again);

/* Requests that are in the queue are still given out. */
void fcgi_queue_close(struct fcgi_queue *q);

#endif
