/*
 * While a program cannot answer yet, its connections wait in the backlog of its socket, and people wait for a
 * page. The upgrade of a large database takes minutes. During one (CONFIG_UPGRADE_ENV), after FCGI_REFUSE_MS,
 * a thread accepts connections and closes them: nginx takes this for a program that does not run (502), and
 * answers itself.
 */
#ifndef ALFRED_WEB_FCGI_FCGI_REFUSE_H
#define ALFRED_WEB_FCGI_FCGI_REFUSE_H

#include <pthread.h>

#include "base/err.h"

#define FCGI_REFUSE_MS 1000

struct fcgi_refusal {
    pthread_t thread;
    int end_fd; /* -1: nothing is refused */
};

/* RC_IO: descriptor 0 is not a listening socket. RC_UNAVAILABLE: the thread cannot be started. */
enum rc fcgi_refuse_begin(struct fcgi_refusal *r, struct err *e);
/* After a begin that succeeded. Before fcgi_serve(). */
void fcgi_refuse_end(struct fcgi_refusal *r);

#endif
