/* Shared by transport.c and transport_body.c: one call, and the state of its attempt. */
#ifndef ALFRED_LLM_TRANSPORT_PRIVATE_H
#define ALFRED_LLM_TRANSPORT_PRIVATE_H

#include "base/backoff.h"
#include "codec/json/json_series.h"
#include "codec/sse.h"
#include "llm/internal.h"

#define STATUS_OK_MIN 200
#define STATUS_OK_MAX 299
#define DRAIN_MS      50
#define GRACE_MS      1000

enum body_kind { NOT_KNOWN, EVENTS, ONE_OBJECT };

struct transport {
    struct llm_call *call;
    const struct llm_wire *wire;
    char *model;
    /* The request, kept for another attempt until the first event. */
    struct arena *arena; /* address and headers */
    const char *url;
    struct http_header *headers;
    size_t headers_n;
    struct strbuf body;
    struct http_call *http;
    struct loop_timer *again, *last; /* the next attempt; the limit after the finish reason */
    bool keeps_reasoning;            /* sends_reasoning of the request */
    bool searches, lists_results;    /* of llm_reading */
    int tries;
    struct backoff loading;
    int64_t loading_until; /* clock_mono_ms(); 0: the server is not loading */

    /* state of this attempt */
    int status, retry_after_s;
    enum body_kind kind;
    struct sse_parser *sse;
    struct json_series events;
    struct strbuf raw;  /* an error's body, or the single object */
    struct strbuf room; /* for utf8_stitch_json() */
    bool got_bytes, got_event, began_with_comment;
    struct llm_reading in;
    struct err *failed; /* owned; why the attempt ends; NULL: no failure so far */
};

static inline bool transport_status_is_good(const struct transport *t)
{
    return t->status >= STATUS_OK_MIN && t->status <= STATUS_OK_MAX;
}

/* ---- transport.c ---- */

/* Frees the request when no attempt can follow any more. */
void transport_forget_if_answered(struct transport *t);

/* ---- transport_body.c: failures are in t->failed ---- */

sse_event_fn transport_on_event;
/* Reads a piece of the body. */
void transport_take(struct transport *t, struct str piece);
/* The body is complete: reads the rest that was held back. */
void transport_read_rest(struct transport *t);
/* NULL: it is not JSON. The caller releases it. */
json_t *transport_parse(struct transport *t, struct str text);
/* The body of a refusal, as JSON. NULL: it says nothing. The caller releases it. */
json_t *transport_refusal(struct transport *t);

#endif
