/* The main loop of a FastCGI program, and what the programs differ in. */
#ifndef ALFRED_WEB_PROGRAM_PROGRAM_H
#define ALFRED_WEB_PROGRAM_PROGRAM_H

#include "web/http/web.h"

#define WEB_ROUTES_MAX 160 /* of one program */

struct web_program {
    const char *name;
    const struct route_table *const *tables; /* [tables_n] */
    size_t tables_n;
    unsigned surfaces; /* 1 << SURFACE_PAGE, ...: the routes of these are served */
    enum rc (*start)(struct web *w, struct err *e); /* may be NULL; before the first request */
    void (*finish)(struct web *w);                  /* may be NULL; no handler runs any more */
};

extern const struct web_program pages_program, api_program;

/* The routes that a program serves, into routes[WEB_ROUTES_MAX]. RC_INTERNAL: there are more. */
enum rc web_routes(const struct web_program *p, struct route *routes, struct route_table *out, struct err *e);

/* The whole life of a FastCGI program; returns the exit code. */
int web_main(const struct web_program *p);

#endif
