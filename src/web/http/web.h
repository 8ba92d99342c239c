/*
 * What a FastCGI program shares among its threads, and its main loop. Everything here is made before the
 * threads start and is read-only or thread-safe afterwards.
 */
#ifndef ALFRED_WEB_WEB_H
#define ALFRED_WEB_WEB_H

#include <stdatomic.h>

#include "app/config/config.h"
#include "app/models/providers.h"
#include "codec/mustache/mustache.h"
#include "store/store.h"
#include "web/http/request.h"

struct web {
    const char *program;
    const struct config *config;
    const struct providers *providers;
    struct store *store;
    struct mustache_set *templates;
    struct route_table routes;
    void *extra;                      /* of the program: the stream's loop */
    struct places receiving, sending; /* of files (upload.h) */
    atomic_int draining;              /* refused bodies */
};

struct web_program {
    const char *name;
    struct route_table routes;
    enum rc (*start)(struct web *w, struct err *e); /* may be NULL; before the first request */
    void (*on_stop)(struct web *w);                 /* may be NULL; the signal came, handlers may still run */
    void (*finish)(struct web *w);                  /* may be NULL; no handler runs any more */
};

/* The whole life of a FastCGI program; returns the exit code. */
int web_main(const struct web_program *p);

#endif
