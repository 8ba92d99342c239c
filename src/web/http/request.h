/*
 * One request and its answer, as handlers see them.
 *
 * The request owns an arena; everything that a handler builds is in it. Fields are typed and checked
 * (fields.h). `who` is set when `signed_in`. The response is buffered: a handler fills it and returns RC_OK,
 * or returns an error that respond.h turns into an error page or JSON error. Nothing is written before the
 * handler returns.
 */
#ifndef ALFRED_WEB_HTTP_REQUEST_H
#define ALFRED_WEB_HTTP_REQUEST_H

#include "app/account/auth.h"
#include "base/locale.h"
#include "codec/view.h"
#include "web/http/form_files.h"
#include "web/http/long_body.h"
#include "web/http/route.h"
#include "web/http/upload.h"

struct web; /* web.h: shared by a whole program */
struct fcgi_request;

#define CSP_NONCE_SIZE 25 /* 18 bytes as base64 */

struct req {
    struct web *web;
    struct arena *arena;
    struct fcgi_request *fcgi;
    const struct route *route; /* NULL: not found */
    enum http_method method;
    bool head_only;
    struct str path; /* percent-encoded, without the query */
    const char *query;
    enum surface surface;
    unsigned other_methods; /* when the address lacks this method: those that it has, 1 << HTTP_GET, ... */
    const char *address;    /* the client's address, as nginx sees it */
    const char *agent;
    int64_t now;                  /* wall clock at the start */
    const struct lang *lang;      /* of the answer */
    const struct time_zone *zone; /* the user's; NULL: the server's */
    struct date_words *dates;     /* for req_locale() */
    char nonce[CSP_NONCE_SIZE];
    bool signed_in;
    bool bearer; /* the request has an API token, valid or not; its cookie does not count */
    struct identity who;
    char csrf[CSRF_SIZE]; /* empty when signed out or a program */
    struct field_value fields[F_COUNT];
    struct str body;         /* SURFACE_V1, CSRF_TOKEN_PICTURE, _SPEECH and _DOCUMENT: as sent */
    struct strbuf long_body; /* its bytes, when it is long (long_body.h) */
    struct long_body_share long_share;
    unsigned needed_scopes;   /* of an error: the scopes that the API token must all have; 0: the route's */
    const char *wrong_param;  /* of an error: the field or parameter that it is about; NULL: none */
    const char *wrong_code;   /* SURFACE_V1: the code of an error; NULL: that of its status */
    struct form_files *files; /* for a route with CSRF_TOKEN_FORM; NULL: no body was sent */
    struct upload upload;     /* for a route with CSRF_TOKEN_FILE */
    struct places *place;     /* the request has a place of these (places.h); NULL: none */
};

struct resp {
    int status;
    const char *type;     /* Content-Type */
    const char *policy;   /* the Content-Security-Policy; NULL: that of our pages */
    const char *referrer; /* the Referrer-Policy; NULL: that of our pages */
    const char *cache;    /* Cache-Control; NULL: no-store, no-transform */
    struct strbuf head;   /* further header lines, each ending in CRLF */
    struct strbuf body;
    int file; /* sent instead of the body when file_size > 0: an open file, closed after sending */
    int64_t file_size;
    bool secret;   /* the body has a secret that is shown once, so no copy of it is kept */
    bool detached; /* the connection was handed over: nothing is written */
};

/* The text of a field, NUL-terminated. NULL: not sent. */
const char *req_text(const struct req *r, enum field f);
struct str req_str(const struct req *r, enum field f); /* .s is NULL when not sent */
int64_t req_int(const struct req *r, enum field f);    /* 0 when not sent */
bool req_has(const struct req *r, enum field f);

static inline struct locale req_locale(const struct req *r)
{
    return (struct locale){r->lang, r->zone, r->now, r->dates};
}

static inline struct auth_client req_client(const struct req *r)
{
    return (struct auth_client){.address = r->address, .agent = r->agent, .now = r->now};
}

/* For a handler that needs more than one scope; the gate has checked that the token has one of the route's.
 * RC_FORBIDDEN with a sentence: the API token lacks one. A browser has all rights of its user. */
enum rc req_need_scopes(struct req *r, unsigned scopes, struct err *e);

const char *req_param(const struct req *r, const char *fcgi_name); /* a CGI variable, NULL when absent */

/* Adds a header line. The values must not contain client input. */
void resp_header(struct resp *out, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The answer is a file to save under this name. */
void resp_file_name(struct resp *out, struct arena *a, const char *name);
void resp_redirect(struct resp *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* 303, a local path */

/* Answers with the view, as JSON or through a template. */
enum rc resp_json(struct resp *out, int status, const struct view *v, struct err *e);
enum rc resp_page(struct req *r, struct resp *out, int status, const char *template_name,
    const struct view *v, struct err *e);

#endif
