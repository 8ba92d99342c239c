#include "base/shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Returns with l->failure set when something is missing. */
static void load(struct shared_library *l)
{
    void *library = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(l->failure, sizeof l->failure, "%s", dlerror());
        return;
    }
    for (const struct shared_function *f = l->functions; f->name; f++) {
        void *address = dlsym(library, f->name);
        if (!address) {
            snprintf(l->failure, sizeof l->failure, "%s has no function %s", l->file, f->name);
            return;
        }
        memcpy(f->pointer, &address, sizeof address);
    }
    if (l->init && !l->init())
        snprintf(l->failure, sizeof l->failure, "%s cannot be initialised", l->file);
}

enum rc shared_library_load(struct shared_library *l, struct err *e)
{
    pthread_mutex_lock(&l->lock);
    if (!l->tried) {
        load(l);
        l->tried = true;
    }
    pthread_mutex_unlock(&l->lock);
    return *l->failure ? err_set(e, RC_UNAVAILABLE, "%s", l->failure) : RC_OK;
}
