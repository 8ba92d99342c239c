#include "web/http/respond.h"

#include "web/fcgi/fcgi.h"
#include "web/http/web.h"

static const struct {
    int status;
    const char *title, *text;
} classes[RC_COUNT] = {
    [RC_OK] = {200, "", ""},
    [RC_BAD_INPUT] = {400, "Invalid request", "Alfred could not read this request."},
    [RC_UNAUTHENTICATED] = {401, "Please sign in", "Please sign in first."},
    [RC_FORBIDDEN] = {403, "Not allowed", "You do not have permission to do this."},
    [RC_NOT_FOUND] = {404, "Not found", "There is nothing here."},
    [RC_CONFLICT] = {409, "Conflict", "This conflicts with a newer change."},
    [RC_TOO_BIG] = {413, "Too large", "This is larger than the limit."},
    [RC_MISDIRECTED] = {421, "Wrong address", "Alfred does not answer under this address."},
    [RC_METHOD] = {405, "Not supported", "This address does not support this method."},
    [RC_UNSUPPORTED] = {415, "Not supported", "This type of content is not supported here."},
    [RC_RATE_LIMITED] = {429, "A moment, please", "Too many requests. Please try again later."},
    [RC_UNAVAILABLE] = {503, "A moment, please",
        "Alfred is busy or restarting. Please try again in a moment."},
    [RC_TIMEOUT] = {504, "No answer in time", "This took too long. Please try again."},
    [RC_UPSTREAM] = {502, "Service error", "A service that Alfred uses did not answer correctly."},
    [RC_CANCELLED] = {409, "Stopped", "This was stopped."},
    [RC_IO] = {500, "Something broke", "Something went wrong on the server. What you had saved is safe."},
    [RC_INTERNAL] = {500, "Something broke",
        "Something went wrong on the server. What you had saved is safe."},
};

#define RETRY_AFTER_BUSY_S 2

int http_status(enum rc rc)
{
    return (unsigned)rc < RC_COUNT ? classes[rc].status : 500;
}

const char *public_text(const struct err *e)
{
    if (e->for_user && e->rc != RC_NOT_FOUND)
        return e->text;
    return classes[(unsigned)e->rc < RC_COUNT ? e->rc : RC_INTERNAL].text;
}

const char *error_title(enum rc rc)
{
    return classes[(unsigned)rc < RC_COUNT ? rc : RC_INTERNAL].title;
}

int error_retry_after(const struct err *e)
{
    return e->retry_after_s ? e->retry_after_s : e->rc == RC_UNAVAILABLE ? RETRY_AFTER_BUSY_S : 0;
}

struct view *error_view(struct arena *a, const struct err *e)
{
    struct view *v = view_new(a), *o = view_obj(v, "error");
    view_text(o, "code", rc_name(e->rc));
    view_text(o, "message", public_text(e));
    if (error_retry_after(e))
        view_int(o, "retry_after", error_retry_after(e));
    return v;
}

void respond_head(const struct req *r, const struct resp *out, struct strbuf *to)
{
    strbuf_addf(to, "Status: %d\r\nContent-Type: %s\r\n", out->status, out->type);
    strbuf_addf(to,
        "Content-Security-Policy: default-src 'none'; script-src 'self' 'nonce-%s'; style-src 'self'; "
        "img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types alfred\r\n",
        r->nonce);
    strbuf_adds(to, "X-Content-Type-Options: nosniff\r\n"
                    "Referrer-Policy: same-origin\r\n"
                    "Cross-Origin-Opener-Policy: same-origin\r\n"
                    "Cross-Origin-Resource-Policy: same-origin\r\n"
                    "Cache-Control: no-store\r\n");
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
    strbuf_addf(&head, "Content-Length: %zu\r\n\r\n", out->body.len);
    fcgi_answer(r->fcgi, strbuf_str(&head), r->head_only ? STR("") : strbuf_str(&out->body));
}
