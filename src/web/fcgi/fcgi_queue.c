#include "web/fcgi/fcgi_queue.h"

#include "web/fcgi/fcgi_private.h"

void fcgi_queue_init(struct fcgi_queue *q, size_t max)
{
    *q = (struct fcgi_queue){.max = max};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
}

void fcgi_queue_release(struct fcgi_queue *q)
{
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->filled);
}

bool fcgi_queue_full(struct fcgi_queue *q)
{
    pthread_mutex_lock(&q->lock);
    bool full = q->n >= q->max;
    q->awaited = q->awaited || full;
    pthread_mutex_unlock(&q->lock);
    return full;
}

void fcgi_queue_put(struct fcgi_queue *q, struct fcgi_request *r)
{
    pthread_mutex_lock(&q->lock);
    r->next = NULL;
    *(q->last ? &q->last->next : &q->first) = r;
    q->last = r;
    q->n++;
    pthread_mutex_unlock(&q->lock);
    /* Without the lock: the woken thread would have to wait for it at once. */
    pthread_cond_signal(&q->filled);
}

struct fcgi_request *fcgi_queue_take(struct fcgi_queue *q, bool wait, bool *room_again)
{
    pthread_mutex_lock(&q->lock);
    while (wait && !q->n && !q->closed)
        pthread_cond_wait(&q->filled, &q->lock);
    struct fcgi_request *r = q->first;
    if (r) {
        q->first = r->next;
        q->last = q->first ? q->last : NULL;
        q->n--;
    }
    *room_again = q->awaited && q->n < q->max;
    q->awaited = q->awaited && !*room_again;
    pthread_mutex_unlock(&q->lock);
    return r;
}

void fcgi_queue_close(struct fcgi_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->filled);
    pthread_mutex_unlock(&q->lock);
}
