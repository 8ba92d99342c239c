/* Starting threads. */
#ifndef ALFRED_BASE_THREAD_H
#define ALFRED_BASE_THREAD_H

#include <pthread.h>

#include "base/err.h"

/* pthread_create(). `of` completes "the thread of ..." in the error. RC_UNAVAILABLE: the system or its limit
 * of threads allows none; nothing is started. */
enum rc thread_start(pthread_t *out, void *(*run)(void *), void *arg, const char *of, struct err *e);

#endif
