#include "base/thread.h"

#include <string.h>

enum rc thread_start(pthread_t *out, void *(*run)(void *), void *arg, const char *of, struct err *e)
{
    int failed = pthread_create(out, NULL, run, arg);
    return failed ? err_set(e, RC_UNAVAILABLE, "cannot start the thread of %s: %s", of, strerror(failed))
                  : RC_OK;
}
