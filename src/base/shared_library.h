/*
 * A shared library that is loaded at its first use. Every program of the family is the same executable file,
 * so a linked library would cost each of them memory and start time, also those that never call it.
 *
 *     #define FUNCTION(name) {#name, &curl.name},
 *     static const struct shared_function functions[] = {FUNCTIONS(FUNCTION) {0}};
 *     static struct shared_library libcurl = SHARED_LIBRARY("libcurl.so.4", functions, init);
 *
 * The pointers are set before the first shared_library_load() returns RC_OK and never change afterwards, so
 * all threads that have loaded the library may call them. It stays loaded until the process ends.
 */
#ifndef ALFRED_BASE_SHARED_LIBRARY_H
#define ALFRED_BASE_SHARED_LIBRARY_H

#include <pthread.h>

#include "base/err.h"

struct shared_function {
    const char *name;
    void *pointer; /* address of the function pointer that is set */
};

struct shared_library {
    const char *file;
    const struct shared_function *functions; /* ends with a name that is NULL */
    bool (*init)(void);                      /* called when all pointers are set; NULL: none */
    pthread_mutex_t lock;                    /* guards the members below */
    bool loaded;
    char failure[256]; /* of the last attempt; empty: it succeeded */
};
#define SHARED_LIBRARY(file_, functions_, init_)                                                       \
    {                                                                                                  \
        .file = (file_), .functions = (functions_), .init = (init_), .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Loads the library unless it is loaded. Any thread. RC_UNAVAILABLE: the file is missing or cannot be read
 * now (no descriptor), lacks one of the functions, or init() returned false; the error says which. Later
 * calls try again. */
enum rc shared_library_load(struct shared_library *l, struct err *e);

#endif
