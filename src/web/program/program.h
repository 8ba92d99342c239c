/* The main loop of a FastCGI program, and the differences between the programs. */
#ifndef ALFRED_WEB_PROGRAM_PROGRAM_H
#define ALFRED_WEB_PROGRAM_PROGRAM_H

#include "web/http/web.h"

#define WEB_ROUTES_MAX 192 /* routes of one program */

struct web_program {
    const char *name;
    const struct route_table *const *tables; /* [tables_n] */
    size_t tables_n;
    unsigned surfaces; /* 1 << SURFACE_PAGE, ...: serves the routes of these */
    int nice;          /* for all its threads, see setpriority(2); 0: unchanged */
    enum rc (*start)(struct web *w, struct err *e); /* may be NULL; runs before the first request */
    void (*finish)(struct web *w);                  /* may be NULL; runs after the last handler */
};

extern const struct web_program pages_program, api_program;

/* Collects the program's routes in routes[WEB_ROUTES_MAX]. RC_INTERNAL: there are more. */
enum rc web_routes(const struct web_program *p, struct route *routes, struct route_table *out, struct err *e);

/* Runs a FastCGI program from start to end. Returns the exit code. */
int web_main(const struct web_program *p);

#endif
