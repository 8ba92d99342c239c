/*
 * Routes. Each noun's folder has one const table of its addresses and their access. A program serves the
 * routes of one surface from all tables (web/program/programs.c). It does not start when a route declares no
 * access level (routes_check()).
 */
#ifndef ALFRED_WEB_HTTP_ROUTE_H
#define ALFRED_WEB_HTTP_ROUTE_H

#include "web/http/fields.h"

struct req;
struct resp;

enum http_method { HTTP_GET, HTTP_POST, HTTP_PATCH, HTTP_DELETE, HTTP_OTHER };
enum http_method http_method_parse(const char *name); /* HEAD counts as GET */
const char *http_method_name(enum http_method m);

enum access {
    ACCESS_UNDECLARED,
    ACCESS_PUBLIC, /* everybody, signed in or not */
    ACCESS_MEMBER, /* any user */
    ACCESS_ADMIN
};

/* The clients of a route. It decides the form of errors and of bodies: forms for pages, JSON for the
 * others. */
enum surface {
    SURFACE_PAGE,  /* people: HTML */
    SURFACE_API,   /* programs: /api/..., documented in docs/openapi.yaml */
    SURFACE_SCRIPT /* the pages' own scripts: /page/..., internal, may change with any version */
};
/* The surface by the path, for requests without a matching route. */
enum surface surface_of(struct str path);

/* The proof, besides the origin, that an unsafe request comes from our own page. */
enum csrf {
    CSRF_UNDECLARED,
    CSRF_SAFE,        /* GET */
    CSRF_ORIGIN_ONLY, /* the user is not signed in yet */
    CSRF_TOKEN,
    CSRF_TOKEN_FILE /* a token before a file of at most [limits] import_bytes (upload.h) */
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

/* Access, surface and CSRF rule together, for the tables. */
#define PAGE_READ(access)   access, SURFACE_PAGE, CSRF_SAFE
#define PAGE_CHANGE(access) access, SURFACE_PAGE, CSRF_TOKEN
#define PAGE_FILE(access)   access, SURFACE_PAGE, CSRF_TOKEN_FILE
#define PAGE_DOOR(access)   access, SURFACE_PAGE, CSRF_ORIGIN_ONLY
#define API_READ(access)    access, SURFACE_API, CSRF_SAFE
#define API_CHANGE(access)  access, SURFACE_API, CSRF_TOKEN
#define API_FILE(access)    access, SURFACE_API, CSRF_TOKEN_FILE
#define API_DOOR(access)    access, SURFACE_API, CSRF_ORIGIN_ONLY

#define SCRIPT_READ(access)   access, SURFACE_SCRIPT, CSRF_SAFE
#define SCRIPT_CHANGE(access) access, SURFACE_SCRIPT, CSRF_TOKEN

struct route_table {
    const struct route *routes;
    size_t n;
};

/* Refuses a table with an undeclared access level, a path of another surface, an unsafe method without CSRF
 * rule, or a {name} without a field rule. */
enum rc routes_check(struct route_table t, struct err *e);

#define ROUTE_PARAMS_MAX 4

struct route_match {
    const struct route *route;
    unsigned methods; /* 1 << HTTP_GET, ... */
    struct {
        enum field field;
        struct str raw; /* percent-encoded */
    } params[ROUTE_PARAMS_MAX];
    size_t params_n;
};

/* RC_NOT_FOUND. RC_METHOD: the path has only other methods; out->methods has a bit for each. */
enum rc route_find(
    struct route_table t, enum http_method m, struct str path, struct route_match *out, struct err *e);

#endif
