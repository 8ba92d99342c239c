#include "web/http/respond.h"

#include "app/turn/turn.h"
#include "store/session/session.h"
#include "web/fcgi/fcgi.h"
#include "web/http/wrong_field.h"

/* The phrase of the status (RFC 9110, section 15), and the keys of the heading and of the sentence. */
static const struct class
{
    int status;
    const char *phrase, *title, *text;
} classes[RC_COUNT] = {
    [RC_OK] = {200, NULL, NULL, NULL},
    [RC_BAD_INPUT] = {400, "Bad Request", "error.bad_input_title", "error.bad_input"},
    [RC_UNAUTHENTICATED] = {401, "Unauthorized", "error.unauthenticated_title", "error.unauthenticated"},
    [RC_FORBIDDEN] = {403, "Forbidden", "error.forbidden_title", "error.forbidden"},
    [RC_NOT_FOUND] = {404, "Not Found", "error.not_found_title", "error.not_found"},
    [RC_GONE] = {410, "Gone", "error.gone_title", "error.gone"},
    [RC_CONFLICT] = {409, "Conflict", "error.conflict_title", "error.conflict"},
    [RC_CHANGED] = {412, "Precondition Failed", "error.conflict_title", "error.changed"},
    [RC_TOO_BIG] = {413, "Content Too Large", "error.too_big_title", "error.too_big"},
    [RC_MISDIRECTED] = {421, "Misdirected Request", "error.misdirected_title", "error.misdirected"},
    [RC_METHOD] = {405, "Method Not Allowed", "error.unsupported_title", "error.method"},
    [RC_UNSUPPORTED] = {415, "Unsupported Media Type", "error.unsupported_title", "error.unsupported"},
    [RC_RATE_LIMITED] = {429, "Too Many Requests", "error.wait_title", "error.rate_limited"},
    [RC_UNAVAILABLE] = {503, "Service Unavailable", "error.wait_title", "error.unavailable"},
    [RC_TIMEOUT] = {504, "Gateway Timeout", "error.timeout_title", "error.timeout"},
    [RC_UPSTREAM] = {502, "Bad Gateway", "error.upstream_title", "error.upstream"},
    [RC_CANCELLED] = {409, "Conflict", "error.cancelled_title", "error.cancelled"},
    [RC_IO] = {500, "Internal Server Error", "error.internal_title", "error.internal"},
    [RC_INTERNAL] = {500, "Internal Server Error", "error.internal_title", "error.internal"},
};

#define RETRY_AFTER_BUSY_S 2

/* Of an error; one without a class is ours. */
static const struct class *class_of(enum rc rc)
{
    return &classes[(unsigned)rc < RC_COUNT && rc ? rc : RC_INTERNAL];
}

int http_status(enum rc rc)
{
    return (unsigned)rc < RC_COUNT ? classes[rc].status : 500;
}

const char *public_text(const struct req *r, const struct err *e)
{
    /* A foreign row and an absent row must have the same sentence. These two say nothing about rows of
     * others: only the owner of a temporary chat learns that it has ended, and the other is the same for
     * both. */
    bool allowed = strcmp(e->said, SESSION_ENDED) == 0 || strcmp(e->said, TURN_PLACE_GONE) == 0;
    if (e->for_user && (e->rc != RC_NOT_FOUND || allowed))
        return said_words(r->arena, r->lang, err_stored(e));
    return lang_text(r->lang, class_of(e->rc)->text);
}

const char *error_title(const struct lang *l, enum rc rc)
{
    return lang_text(l, class_of(rc)->title);
}

int error_retry_after(const struct err *e)
{
    return e->retry_after_s ? e->retry_after_s : e->rc == RC_UNAVAILABLE ? RETRY_AFTER_BUSY_S : 0;
}

/* The form of OpenAI's API. */
static struct view *error_view_v1(const struct req *r, const struct err *e)
{
    int status = http_status(e->rc);
    const char *type = status == 429   ? "rate_limit_error"
                       : status >= 500 ? "server_error"
                       : status == 403 ? "permission_error"
                                       : "invalid_request_error";
    const char *code = r->wrong_code   ? r->wrong_code
                       : status == 401 ? "invalid_api_key"
                       : status == 429 ? "rate_limit_exceeded"
                                       : rc_name(e->rc);
    const char *message = e->for_user ? said_words(r->arena, r->lang, err_stored(e)) : public_text(r, e);
    if (!r->route && e->rc == RC_NOT_FOUND) /* a client of Anthropic's API or of OpenAI's /responses */
        message = lang_text(r->lang, "error.not_in_v1");
    struct view *v = view_new(r->arena), *o = view_obj(v, "error");
    view_text(o, "message", message);
    view_text(o, "type", type);
    view_text(o, "param", r->wrong_param);
    view_text(o, "code", code);
    return v;
}

/* RFC 9457: with "about:blank" the title is the phrase of the status. */
static void add_problem(const struct req *r, const struct err *e, struct view *v)
{
    const char *field = wrong_field(r, e);
    view_text(v, "type", "about:blank");
    view_text(v, "title", class_of(e->rc)->phrase);
    view_int(v, "status", http_status(e->rc));
    view_text(v, "detail", public_text(r, e));
    struct view *errors = view_list(v, "errors");
    if (!field)
        return;
    struct view *one = view_item(errors);
    if (r->method == HTTP_GET)
        view_text(one, "parameter", field);
    else
        view_text(one, "pointer", arena_printf(r->arena, "#/%s", field));
    view_text(one, "detail", public_text(r, e));
}

struct view *error_view(const struct req *r, const struct err *e)
{
    if (r->surface == SURFACE_V1)
        return error_view_v1(r, e);
    struct view *v = view_new(r->arena);
    if (r->surface == SURFACE_API)
        add_problem(r, e, v);
    struct view *o = view_obj(v, "error");
    view_text(o, "code", rc_name(e->rc));
    view_text(o, "message", public_text(r, e));
    if (error_retry_after(e))
        view_int(o, "retry_after", error_retry_after(e));
    return v;
}

const char *error_type(const struct req *r)
{
    return r->surface == SURFACE_API ? "application/problem+json" : "application/json";
}

/* Every answer has these lines; printf would take longer than the rest of sending. */
static void add_line(struct strbuf *to, const char *name, const char *value)
{
    strbuf_adds(to, name);
    strbuf_adds(to, value);
    strbuf_adds(to, "\r\n");
}

static void add_policy(struct strbuf *to, const char *nonce)
{
    strbuf_adds(to, "default-src 'none'; script-src 'self' 'nonce-");
    strbuf_adds(to, nonce);
    strbuf_adds(to,
        "'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
        "form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types alfred");
}

void respond_head(const struct req *r, const struct resp *out, struct strbuf *to)
{
    strbuf_adds(to, "Status: ");
    strbuf_addint(to, out->status);
    add_line(to, "\r\nContent-Type: ", out->type);
    strbuf_adds(to, "Content-Security-Policy: ");
    if (out->policy)
        strbuf_adds(to, out->policy);
    else
        add_policy(to, r->nonce);
    strbuf_adds(to, "\r\n"
                    "X-Content-Type-Options: nosniff\r\n"
                    "Cross-Origin-Opener-Policy: same-origin\r\n"
                    "Cross-Origin-Resource-Policy: same-origin\r\n");
    add_line(to, "Referrer-Policy: ", out->referrer ? out->referrer : "same-origin");
    /* no-transform: a proxy must not compress what nginx sends uncompressed, nor collect a stream for it */
    add_line(to, "Cache-Control: ", out->cache ? out->cache : "no-store, no-transform");
    strbuf_addstr(to, strbuf_str(&out->head));
}

void respond_send(struct req *r, struct resp *out)
{
    AUTO_STRBUF head;
    strbuf_init(&head, RESPONSE_HEAD_MAX);
    respond_head(r, out, &head);
    if (out->file_size > 0) {
        strbuf_addf(&head, "Content-Length: %lld\r\n\r\n", (long long)out->file_size);
        fcgi_answer_file(r->fcgi, strbuf_str(&head), out->file, r->head_only ? 0 : out->file_size);
        return;
    }
    /* A handler may leave the body of HEAD out. Then the length is not known. */
    if (out->status != HTTP_NOT_MODIFIED && (!r->head_only || out->body.len))
        strbuf_addf(&head, "Content-Length: %zu\r\n", out->body.len);
    strbuf_adds(&head, "\r\n");
    fcgi_answer(r->fcgi, strbuf_str(&head), r->head_only ? STR("") : strbuf_str(&out->body));
}
