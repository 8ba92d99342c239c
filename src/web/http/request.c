#include "web/http/request.h"

#include <stdarg.h>
#include <stdio.h>

#include "app/account/api_token.h"
#include "codec/url.h"
#include "web/fcgi/fcgi.h"
#include "web/http/web.h"

#define FILE_NAME_MAX ((size_t)4096) /* bytes of an encoded name */
#define PAGE_ROOM     65000 /* bytes of nearly all pages, so that the body is not moved while it grows */

const char *req_text(const struct req *r, enum field f)
{
    return r->fields[f].present ? r->fields[f].s.s : NULL;
}

struct str req_str(const struct req *r, enum field f)
{
    return r->fields[f].present ? r->fields[f].s : (struct str){0};
}

int64_t req_int(const struct req *r, enum field f)
{
    return r->fields[f].present ? r->fields[f].i : 0;
}

bool req_has(const struct req *r, enum field f)
{
    return r->fields[f].present;
}

const char *req_param(const struct req *r, const char *fcgi_name)
{
    return fcgi_param(r->fcgi, fcgi_name);
}

enum rc req_need_scopes(struct req *r, unsigned scopes, struct err *e)
{
    unsigned missing = r->bearer ? scopes & ~r->who.token.scopes : 0;
    if (!missing)
        return RC_OK;
    r->needed_scopes = scopes;
    return err_say(e, RC_FORBIDDEN, "token.scope", arg_text("scopes", api_scopes_text(r->arena, missing)));
}

void resp_header(struct resp *out, const char *name, const char *fmt, ...)
{
    va_list ap;
    strbuf_addf(&out->head, "%s: ", name);
    va_start(ap, fmt);
    strbuf_addv(&out->head, fmt, ap);
    va_end(ap);
    strbuf_adds(&out->head, "\r\n");
}

/* A name of ASCII for old clients, and the whole one (RFC 6266, RFC 8187). */
void resp_file_name(struct resp *out, struct arena *a, const char *name)
{
    char *plain = arena_strdup(a, name);
    AUTO_STRBUF encoded;
    strbuf_init(&encoded, FILE_NAME_MAX);
    url_encode(&encoded, str_of(name));
    for (char *p = plain; *p; p++)
        if ((unsigned char)*p >= 0x7F || (unsigned char)*p < ' ' || strchr("\"\\/", *p))
            *p = '_';
    resp_header(
        out, "Content-Disposition", "attachment; filename=\"%s\"; filename*=UTF-8''%s", plain, encoded.s);
}

void resp_redirect(struct resp *out, const char *fmt, ...)
{
    char path[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    out->status = 303;
    out->type = "text/plain; charset=utf-8";
    strbuf_clear(&out->body);
    resp_header(out, "Location", "%s", path);
}

enum rc resp_json(struct resp *out, int status, const struct view *v, struct err *e)
{
    out->status = status;
    out->type = "application/json";
    view_json(v, &out->body);
    return out->body.failed ? err_set(e, RC_TOO_BIG, "answer over %zu bytes", out->body.cap) : RC_OK;
}

enum rc resp_page(struct req *r, struct resp *out, int status, const char *template_name,
    const struct view *v, struct err *e)
{
    out->status = status;
    out->type = "text/html; charset=utf-8";
    (void)strbuf_reserve(&out->body, PAGE_ROOM);
    return templates_render(r->web->templates, r->lang, template_name, v, &out->body, e);
}
