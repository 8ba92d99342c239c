/*
 * Routes. Each noun's folder has one const table of its addresses, their access and their scopes. A program
 * serves the routes of one surface from all tables (web/program/programs.c). It does not start when a route
 * declares no access level or no scope (routes_check()).
 */
#ifndef ALFRED_WEB_HTTP_ROUTE_H
#define ALFRED_WEB_HTTP_ROUTE_H

#include "store/account/api_token.h"
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
    SURFACE_V1,    /* programs for OpenAI: /v1/..., with an API token only, in the form of its API */
    SURFACE_SCRIPT /* the pages' own scripts: /page/..., internal, may change with any version */
};
/* The surface by the path, for requests without a matching route. */
enum surface surface_of(struct str path);

/* The scopes of an API token (enum api_scope) that pass, as bits. A route for signed-in browsers only has
 * SCOPE_LOGIN. */
#define SCOPE_LOGIN (1u << API_SCOPES)
#define SCOPE_READ  (1u << API_SCOPE_READ)
#define SCOPE_WRITE (1u << API_SCOPE_WRITE)
#define SCOPE_CHAT  (1u << API_SCOPE_CHAT)
#define SCOPE_ANY   (SCOPE_READ | SCOPE_WRITE | SCOPE_CHAT)

/* The proof, besides the origin, that an unsafe request comes from our own page. A token needs none. */
enum csrf {
    CSRF_UNDECLARED,
    CSRF_SAFE,        /* GET */
    CSRF_ORIGIN_ONLY, /* the user is not signed in yet */
    CSRF_TOKEN,
    CSRF_TOKEN_FILE,    /* a token before a file of at most [limits] import_bytes (upload.h) */
    CSRF_TOKEN_FORM,    /* a token in a form with small files (form_files.h), which are in req.files */
    CSRF_TOKEN_PICTURE, /* a token before a body of at most [limits] picture_bytes, in req.body */
    CSRF_TOKEN_SPEECH,  /* the same with [speech] max_bytes; for /v1 in a form, as sent */
    CSRF_TOKEN_DOCUMENT /* the same with document_bytes */
};

typedef enum rc route_handler(struct req *r, struct resp *out, struct err *e);

struct route {
    enum http_method method;
    const char *path; /* "/s/{session}": {names} are fields */
    route_handler *handler;
    enum access access;
    enum surface surface;
    enum csrf csrf;
    unsigned scopes;                 /* SCOPE_ bits; 0: undeclared */
    const struct field_rule *fields; /* ends with F_NONE; no_fields: none */
};

/* Access, surface, CSRF rule and scopes together, for the tables. An API route without scopes does not
 * compile. */
#define PAGE_READ(access)          access, SURFACE_PAGE, CSRF_SAFE, SCOPE_LOGIN
#define PAGE_CHANGE(access)        access, SURFACE_PAGE, CSRF_TOKEN, SCOPE_LOGIN
#define PAGE_FILE(access)          access, SURFACE_PAGE, CSRF_TOKEN_FILE, SCOPE_LOGIN
#define PAGE_FORM_FILES(access)    access, SURFACE_PAGE, CSRF_TOKEN_FORM, SCOPE_LOGIN
#define PAGE_BEFORE_SIGNIN(access) access, SURFACE_PAGE, CSRF_ORIGIN_ONLY, SCOPE_LOGIN

#define API_READ(access, scopes)     access, SURFACE_API, CSRF_SAFE, scopes
#define API_CHANGE(access, scopes)   access, SURFACE_API, CSRF_TOKEN, scopes
#define API_FILE(access, scopes)     access, SURFACE_API, CSRF_TOKEN_FILE, scopes
#define API_PICTURE(access, scopes)  access, SURFACE_API, CSRF_TOKEN_PICTURE, scopes
#define API_DOCUMENT(access, scopes) access, SURFACE_API, CSRF_TOKEN_DOCUMENT, scopes
#define API_BEFORE_SIGNIN(access)    access, SURFACE_API, CSRF_ORIGIN_ONLY, SCOPE_LOGIN

/* The handler reads the JSON body itself (req.body). */
#define V1_READ(scopes)   ACCESS_MEMBER, SURFACE_V1, CSRF_SAFE, scopes
#define V1_CALL(scopes)   ACCESS_MEMBER, SURFACE_V1, CSRF_TOKEN, scopes
#define V1_SPEECH(scopes) ACCESS_MEMBER, SURFACE_V1, CSRF_TOKEN_SPEECH, scopes

#define SCRIPT_READ(access)     access, SURFACE_SCRIPT, CSRF_SAFE, SCOPE_LOGIN
#define SCRIPT_CHANGE(access)   access, SURFACE_SCRIPT, CSRF_TOKEN, SCOPE_LOGIN
#define SCRIPT_SPEECH(access)   access, SURFACE_SCRIPT, CSRF_TOKEN_SPEECH, SCOPE_LOGIN
#define SCRIPT_DOCUMENT(access) access, SURFACE_SCRIPT, CSRF_TOKEN_DOCUMENT, SCOPE_LOGIN

struct route_table {
    const struct route *routes;
    size_t n;
};

/* Refuses a table with an undeclared access level or scope, a path of another surface, an unsafe method
 * without CSRF rule, or a {name} without a field rule. */
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
