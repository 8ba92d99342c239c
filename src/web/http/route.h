/*
 * Routes: one const table per FastCGI program, the whole truth about what it serves and to whom. A route
 * without a declared access level does not start (routes_check()).
 */
#ifndef ALFRED_WEB_ROUTE_H
#define ALFRED_WEB_ROUTE_H

#include "web/http/fields.h"

struct req;
struct resp;

enum http_method { HTTP_GET, HTTP_POST, HTTP_PATCH, HTTP_DELETE, HTTP_OTHER };
enum http_method http_method_parse(const char *name); /* HEAD counts as GET */
const char *http_method_name(enum http_method m);

enum access {
    ACCESS_UNDECLARED,
    ACCESS_PUBLIC, /* anybody, signed in or not */
    ACCESS_MEMBER, /* any user */
    ACCESS_ADMIN
};

enum surface { SURFACE_PAGE, SURFACE_API }; /* how errors are shown, and what bodies are: forms or JSON */

/* What proves that an unsafe request comes from our own page, besides its origin. */
enum csrf {
    CSRF_UNDECLARED,
    CSRF_SAFE,        /* GET */
    CSRF_ORIGIN_ONLY, /* nobody signed in yet */
    CSRF_TOKEN,
    CSRF_TOKEN_FILE /* a token before a file of at most [limits] import_bytes, which goes to the disk as it
                     * comes (upload.h)
                     */
};

typedef enum rc route_handler(struct req *r, struct resp *out, struct err *e);

struct route {
    enum http_method method;
    const char *path; /* "/s/{session}": {names} are fields */
    route_handler *handler;
    enum access access;
    enum surface surface;
    enum csrf csrf;
    const struct field_rule *fields; /* ends with F_NONE; NULL: none */
};

struct route_table {
    const struct route *routes;
    size_t n;
};

/* Refuses a table with an undeclared access level, an unsafe method without CSRF rule, or a {name} without a
 * field rule. */
enum rc routes_check(struct route_table t, struct err *e);

#define ROUTE_PARAMS_MAX 4

struct route_match {
    const struct route *route;
    unsigned methods; /* 1 << HTTP_GET, ... */
    struct {
        enum field field;
        struct str raw; /* percent-encoded, as it came */
    } params[ROUTE_PARAMS_MAX];
    size_t params_n;
};

/* RC_NOT_FOUND, or RC_METHOD when the path exists with other methods: out->methods has a bit for each. */
enum rc route_find(
    struct route_table t, enum http_method m, struct str path, struct route_match *out, struct err *e);

#endif
