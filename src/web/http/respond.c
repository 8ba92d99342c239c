#include "web/http/respond.h"

#include "base/log.h"
#include "codec/url.h"
#include "web/fcgi/fcgi.h"
#include "web/chat/message_view.h"
#include "web/http/web.h"

static const struct {
    int status;
    const char *title, *text;
} classes[RC_COUNT] = {
    [RC_OK] = {200, "", ""},
    [RC_BAD_INPUT] = {400, "That did not work", "The request was not understood."},
    [RC_UNAUTHENTICATED] = {401, "Please sign in", "Please sign in first."},
    [RC_FORBIDDEN] = {403, "Not allowed", "You may not do that."},
    [RC_NOT_FOUND] = {404, "Not found", "There is nothing here."},
    [RC_CONFLICT] = {409, "Not right now", "That clashes with what is there now."},
    [RC_TOO_BIG] = {413, "Too big", "That is larger than Alfred takes."},
    [RC_METHOD] = {405, "Not supported", "This address does not take that."},
    [RC_UNSUPPORTED] = {415, "Not supported", "Alfred does not take that here."},
    [RC_RATE_LIMITED] = {429, "A moment, please", "That was too often. Please try again later."},
    [RC_UNAVAILABLE] = {503, "A moment, please",
        "Alfred is busy or restarting. Please try again in a moment."},
    [RC_TIMEOUT] = {504, "No answer in time", "That took too long. Please try again."},
    [RC_UPSTREAM] = {502, "No good answer", "A service that Alfred asked gave no good answer."},
    [RC_CANCELLED] = {409, "Stopped", "That was stopped."},
    [RC_IO] = {500, "Something broke", "Something went wrong on the server. What you had saved is safe."},
    [RC_INTERNAL] = {500, "Something broke",
        "Something went wrong on the server. What you had saved is safe."},
};

#define RETRY_AFTER_BUSY_S 2
#define NEXT_MAX           800 /* bytes of an address that is remembered over a sign-in */

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

static int retry_after(const struct err *e)
{
    return e->retry_after_s ? e->retry_after_s : e->rc == RC_UNAVAILABLE ? RETRY_AFTER_BUSY_S : 0;
}

struct view *error_view(struct arena *a, const struct err *e)
{
    struct view *v = view_new(a), *o = view_obj(v, "error");
    view_text(o, "code", rc_name(e->rc));
    view_text(o, "message", public_text(e));
    if (retry_after(e))
        view_int(o, "retry_after", retry_after(e));
    return v;
}

static enum rc error_page(struct req *r, struct resp *out, const struct err *e)
{
    struct view *v = view_new(r->arena);
    view_page_common(r, v, classes[e->rc].title);
    view_int(v, "status", http_status(e->rc));
    view_text(v, "title", classes[e->rc].title);
    view_text(v, "text", public_text(e));
    view_text(v, "action_url", "/");
    view_text(v, "action_label", r->signed_in ? "Back to Alfred" : "Go to sign-in");
    return resp_page(r, out, http_status(e->rc), "error", v, NULL);
}

/* Where the reader wanted to go comes next; that it is a path of ours is checked when it is used. */
static void redirect_to_signin(const struct req *r, struct resp *out)
{
    AUTO_STRBUF next;
    strbuf_init(&next, NEXT_MAX);
    url_encode(&next, r->path);
    if (*r->query) {
        strbuf_adds(&next, "%3F");
        url_encode(&next, str_of(r->query));
    }
    bool useful = !next.failed && !str_is(r->path, "/");
    resp_redirect(out, "/signin%s%s", useful ? "?next=" : "", useful ? next.s : "");
}

/* RFC 9110, 15.5.6: a 405 names what is allowed. */
static void add_allow(struct resp *out, unsigned methods)
{
    AUTO_STRBUF list;
    strbuf_init(&list, 128);
    for (int m = HTTP_GET; m < HTTP_OTHER; m++)
        if (methods & 1u << m)
            strbuf_addf(&list, "%s%s", list.len ? ", " : "", http_method_name((enum http_method)m));
    resp_header(out, "Allow", "%s", list.s);
}

void respond_error(struct req *r, struct resp *out, const struct err *e)
{
    strbuf_clear(&out->head);
    strbuf_clear(&out->body);
    out->file_size = 0;
    int status = http_status(e->rc);
    if (status >= 500)
        log_error("%s %.*s: %s: %s", http_method_name(r->method), STR_FMT(r->path), rc_name(e->rc), e->text);
    else /* the client is told; what bears on safety has an audit row */
        log_debug("%s %.*s: %s: %s", http_method_name(r->method), STR_FMT(r->path), rc_name(e->rc), e->text);
    if (e->rc == RC_METHOD)
        add_allow(out, r->other_methods);
    if (retry_after(e))
        resp_header(out, "Retry-After", "%d", retry_after(e));

    if (r->surface == SURFACE_API) {
        resp_json(out, status, error_view(r->arena, e), NULL);
    } else if (e->rc == RC_UNAUTHENTICATED && r->method == HTTP_GET) {
        redirect_to_signin(r, out);
    } else if (error_page(r, out, e) != RC_OK) {
        out->status = status;
        out->type = "text/plain; charset=utf-8";
        strbuf_clear(&out->body);
        strbuf_addf(&out->body, "%s\n", public_text(e));
    }
}

void respond_head(const struct req *r, const struct resp *out, struct strbuf *to)
{
    strbuf_addf(to, "Status: %d\r\nContent-Type: %s\r\n", out->status, out->type);
    strbuf_addf(to,
        "Content-Security-Policy: default-src 'none'; script-src 'self' 'nonce-%s'; style-src 'self'; "
        "img-src 'self'; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
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
