/*
 * Calls a method of the Bot API: JSON in, JSON out.
 *
 * The address contains the token, so errors name the server only. `params` and results are jansson trees; a
 * result belongs to the answer and is valid during the callback, or until telegram_answer_release().
 */
#ifndef ALFRED_CHANNEL_TELEGRAM_TELEGRAM_CALL_H
#define ALFRED_CHANNEL_TELEGRAM_TELEGRAM_CALL_H

#include "base/err.h"
#include "codec/json/json.h"
#include "net/http.h"

#define TELEGRAM_DESCRIPTION_MAX 160
#define TELEGRAM_CALL_MS         30000 /* limit of one call, beside its `wait_s` */
#define TELEGRAM_CONNECT_MS      10000
#define TELEGRAM_ANSWER_MAX      (8 * 1024 * 1024) /* bytes; getUpdates brings up to 100 updates */

struct telegram_api {
    const char *url; /* without the final slash */
    const char *token;
    const char *proxy; /* NULL: none */
};

/* The server's answer. code 200: success, with `result`. Other codes are its error_code, or the HTTP status
 * of an answer that is not in the Bot API's form. code 0: no answer; the rc of the call has the reason. */
struct telegram_answer {
    int code;
    bool sent;      /* the server may have received the request */
    json_t *result; /* NULL: none */
    char
        description[TELEGRAM_DESCRIPTION_MAX]; /* the server's reason, without the token; for log and owner */
    int64_t retry_after_s;                     /* of code 429, at most CHANNEL_WAIT_MAX_MS; 0: none */
    int64_t migrate_to;                        /* the new id of a group; 0: none */
};
void telegram_answer_release(struct telegram_answer *a);

/* RC_OK: the server answered, also with an error code. RC_UPSTREAM: the answer is not in the Bot API's form.
 * Other codes as http_start()'s, with a sentence. */
typedef void telegram_called_fn(void *arg, enum rc rc, const struct telegram_answer *a, const struct err *e);

struct telegram_call;

struct telegram_file {
    const char *field, *name; /* the parameter; the name that people see */
    struct str content;
};
#define TELEGRAM_FILE_MAX (16 * 1024 * 1024) /* bytes; the server takes 50 MB */

struct telegram_request {
    const char *method;
    const json_t *params;             /* NULL: none */
    const struct telegram_file *file; /* sent with the parameters as multipart/form-data; NULL: none */
    int wait_s;                       /* the time that the server may take on purpose (getUpdates' timeout) */
    telegram_called_fn *called;
    void *arg;
};

/* Starts a call; `called` runs once on the loop's thread, never before this returns. *out is valid until
 * then. `api` and `r` are not kept. */
enum rc telegram_call_start(struct http_client *c, const struct telegram_api *api,
    const struct telegram_request *r, struct telegram_call **out, struct err *e);
void telegram_call_cancel(struct telegram_call *c); /* NULL is fine; no callback follows */

/* The same without a loop and callback, for the command line and setup. `allowed` as in http_fetch(). */
enum rc telegram_call_blocking(const struct telegram_api *api, const char *const *allowed, size_t allowed_n,
    const struct telegram_request *r, struct telegram_answer *out, struct err *e);

/* RC_OK for code 200. Other codes give a sentence for the owner with the server's reason and the remedy. */
enum rc telegram_answer_rc(const struct telegram_answer *a, struct err *e);

#endif
