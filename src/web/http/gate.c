#include "web/http/gate.h"

#include <stdio.h>

#include "app/account/api_token.h"
#include "app/config/hosts.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/time_zones.h"
#include "codec/cookie.h"
#include "codec/form.h"
#include "codec/json/json.h"
#include "codec/url.h"
#include "web/fcgi/fcgi.h"
#include "web/http/web.h"

#define ORIGIN_MAX       (HOST_BYTES_MAX + 16) /* scheme, host and port */
#define REFUSED_MAX      128                   /* a method and a route */
#define SPEECH_FORM_MORE 8192                  /* of a body, besides the recording */

enum rc gate_check_host(const struct req *r, struct err *e)
{
    if (host_is_own(r->web->config, req_param(r, "HTTP_HOST"), req_param(r, "SERVER_ADDR")))
        return RC_OK;
    return err_say(e, RC_MISDIRECTED, "error.wrong_host");
}

/* Under such an address a browser keeps none of our cookies, because they are Secure. The machine's own
 * names are exceptions. */
static bool is_plain(const char *origin)
{
    struct str host = host_of_url(str_of(origin));
    return str_starts(str_of(origin), STR("http://")) && !str_is(host, "localhost") &&
           !str_is(host, "[::1]") && !str_starts(host, STR("127."));
}

/* Browsers send the origin of a request (Fetch Metadata), older ones, and over plain http all of them, an
 * Origin header. A request with neither does not come from our page. */
static enum rc check_origin(const struct req *r, struct err *e)
{
    const char *site = req_param(r, "HTTP_SEC_FETCH_SITE"), *origin = req_param(r, "HTTP_ORIGIN");
    if (site) {
        if (strcmp(site, "same-origin") == 0)
            return RC_OK;
        return err_say(e, RC_FORBIDDEN, "error.other_site");
    }
    const char *host = req_param(r, "HTTP_HOST"), *https = req_param(r, "HTTPS");
    char own[ORIGIN_MAX];
    snprintf(own, sizeof own, "%s://%s", https && strcmp(https, "on") == 0 ? "https" : "http", host);
    /* behind a proxy that ends TLS, only public_url says https */
    if (origin && (strcmp(origin, own) == 0 || strcmp(origin, r->web->config->server.public_url) == 0))
        return is_plain(origin) ? err_say(e, RC_FORBIDDEN, "error.plain_http") : RC_OK;
    /* no browser: this program needs a token, not an origin */
    if (!origin && !r->signed_in && r->surface == SURFACE_API && r->route->access != ACCESS_PUBLIC)
        return err_set(e, RC_UNAUTHENTICATED, "nobody is signed in");
    return err_say(e, RC_FORBIDDEN, "error.other_site");
}

/* NULL: missing or malformed. */
static const char *cookie_of(const struct req *r, const char *name)
{
    struct str value;
    const char *cookies = req_param(r, "HTTP_COOKIE");
    if (!cookies || cookie_get(str_of(cookies), name, &value, NULL) != RC_OK)
        return NULL;
    return arena_strndup(r->arena, value.s, value.len);
}

/* A login that cannot be looked up is no missing login: that would send users to the sign-in page. */
static enum rc identify_by_cookie(struct req *r, struct err *e)
{
    const char *token = cookie_of(r, COOKIE_NAME);
    if (!token)
        return RC_OK;
    enum rc rc = auth_identify(r->web->store, r->web->config, token, r->now, &r->who, e);
    r->signed_in = rc == RC_OK;
    if (r->signed_in)
        auth_csrf(token, r->csrf);
    return rc == RC_UNAUTHENTICATED ? RC_OK : rc;
}

/* Other schemes are for a proxy before us. */
static struct str bearer_token(const struct req *r)
{
    struct str sent = str_of(req_param(r, "HTTP_AUTHORIZATION") ? req_param(r, "HTTP_AUTHORIZATION") : "");
    if (!str_eq_nocase(str_cut(&sent, ' '), STR("Bearer")))
        return (struct str){0};
    return sent.s ? str_trim(sent) : STR("");
}

/* Fails for a bad API token, and when the database does. */
static enum rc identify(struct req *r, struct err *e)
{
    enum rc rc = RC_OK;
    struct str token = bearer_token(r);
    struct auth_client from = req_client(r);
    r->bearer = token.s != NULL;
    if (r->surface == SURFACE_V1 && !r->bearer)
        return err_say(e, RC_UNAUTHENTICATED, "token.missing");
    if (r->bearer) {
        rc = api_token_identify(r->web->store, r->web->config, token, &from, &r->who, e);
        r->signed_in = rc == RC_OK;
    } else {
        rc = identify_by_cookie(r, e);
    }
    if (!r->signed_in)
        return rc;
    const struct lang *own = lang_find(str_of(r->who.settings.value[SETTING_LANGUAGE]));
    if (own)
        r->lang = own;
    r->zone = time_zones_find(r->web->zones, r->arena, r->who.time_zone);
    return RC_OK;
}

void gate_identify(struct req *r)
{
    identify(r, NULL);
}

struct auth_client gate_signin_client(const struct req *r)
{
    struct auth_client from = req_client(r);
    from.device = cookie_of(r, COOKIE_DEVICE_NAME);
    return from;
}

const char *gate_begun(const struct req *r)
{
    return cookie_of(r, COOKIE_BEGUN_NAME);
}

static void set_cookie(struct resp *out, const char *name, const char *value, int64_t ms)
{
    AUTO_STRBUF line;
    strbuf_init(&line, 512);
    cookie_set_host(&line, name, str_of(value), ms / MS_PER_S, NULL);
    resp_header(out, "Set-Cookie", "%s", line.s);
}

/* nginx takes our r->address from the header when it trusts the proxy. */
static void check_proxy(const struct req *r)
{
    const char *reported = req_param(r, "HTTP_X_FORWARDED_FOR");
    if (reported && *reported && !strcasestr(reported, r->address))
        log_warn(
            "a proxy at %s reports addresses of clients (X-Forwarded-For), but [server] trusted_proxy does "
            "not list it: its users share its address and the limits of it",
            r->address);
}

void gate_signin_begun(struct resp *out, const struct auth_signin *in)
{
    set_cookie(out, COOKIE_BEGUN_NAME, in->begun, AUTH_BEGUN_MINUTES * MS_PER_MIN);
}

void gate_signed_in(const struct req *r, struct resp *out, const struct auth_signin *in)
{
    set_cookie(out, COOKIE_NAME, in->token, r->web->config->login.absolute_days * MS_PER_DAY);
    set_cookie(out, COOKIE_DEVICE_NAME, in->device, AUTH_DEVICE_DAYS * MS_PER_DAY);
    if (gate_begun(r))
        set_cookie(out, COOKIE_BEGUN_NAME, "", 0);
    check_proxy(r);
}

void gate_signed_out(struct resp *out)
{
    set_cookie(out, COOKIE_NAME, "", 0);
}

static enum rc check_access(const struct req *r, struct err *e)
{
    if (r->bearer && !(r->route->scopes & r->who.token.scopes))
        return r->route->scopes == SCOPE_LOGIN
                   ? err_say(e, RC_FORBIDDEN, "token.needs_login")
                   : err_say(e, RC_FORBIDDEN, "token.scope",
                         arg_text("scopes", api_scopes_text(r->arena, r->route->scopes)));
    if (r->route->access == ACCESS_PUBLIC)
        return RC_OK;
    if (!r->signed_in)
        return err_set(e, RC_UNAUTHENTICATED, "nobody is signed in");
    if (r->route->access == ACCESS_ADMIN && r->who.role != USER_ADMIN)
        return err_set(e, RC_FORBIDDEN, "user %lld is no admin", (long long)r->who.user_id);
    return RC_OK;
}

/* ---- input ---- */

/* Unknown fields of an address are ignored, for example those that other sites add to links. */
enum input { IN_ADDRESS, IN_BODY };

static enum rc set_by_name(struct req *r, struct str name, struct str value, enum input input, struct err *e)
{
    if (input == IN_BODY)
        r->wrong_param = arena_strndup(r->arena, name.s, name.len);
    enum field f = field_by_name(name);
    const struct field_rule *rule = f ? field_rule_find(r->route->fields, f) : NULL;
    if (!rule && input == IN_ADDRESS)
        return RC_OK;
    if (!rule)
        return err_say(e, RC_BAD_INPUT, "form.unknown_field");
    if (r->fields[f].present && field_is_list(rule->type)) /* a checkbox each */
        value = str_of(arena_printf(r->arena, "%s %.*s", r->fields[f].s.s, (int)value.len, value.s));
    else if (r->fields[f].present)
        return err_say(e, RC_BAD_INPUT, "form.sent_twice", arg_text("field", field_name(f)));
    enum rc rc = field_set(rule, r->arena, value, r->fields, e);
    if (rc == RC_OK)
        r->wrong_param = NULL;
    else if (input == IN_ADDRESS)
        r->wrong_param = field_name(f);
    return rc;
}

static enum rc read_path(struct req *r, const struct route_match *m, struct err *e)
{
    for (size_t i = 0; i < m->params_n; i++) {
        struct str raw;
        const struct field_rule *rule = field_rule_find(r->route->fields, m->params[i].field);
        if (url_decode(r->arena, m->params[i].raw, URL_PLUS_IS_PLUS, &raw, NULL) != RC_OK ||
            field_set(rule, r->arena, raw, r->fields, NULL) != RC_OK)
            return err_set(e, RC_NOT_FOUND, "malformed %s in the path", field_name(rule->field));
    }
    return RC_OK;
}

static enum rc read_form(struct req *r, struct str text, enum input input, struct err *e)
{
    struct form form;
    enum rc rc = form_parse(r->arena, text, &form, e);
    if (rc != RC_OK)
        return input == IN_BODY ? err_say(e, rc, "form.unreadable") : err_say(e, rc, "error.bad_address");
    for (size_t i = 0; rc == RC_OK && i < form.n; i++) {
        if (input == IN_BODY && str_is(form.fields[i].name, field_name(F_CSRF)))
            r->fields[F_CSRF] = (struct field_value){.present = true, .s = form.fields[i].value};
        else
            rc = set_by_name(r, form.fields[i].name, form.fields[i].value, input, e);
    }
    return rc;
}

/* A list of texts. */
static enum rc set_list(struct req *r, struct str name, const json_t *list, struct err *e)
{
    size_t i;
    json_t *v;
    AUTO_STRBUF all;
    strbuf_init(&all, FIELD_IDS_BYTES_MAX);
    json_array_foreach(list, i, v)
    {
        strbuf_adds(&all, json_is_string(v) ? json_string_value(v) : "?");
        strbuf_addc(&all, ' ');
    }
    if (!json_is_array(list) || all.failed)
        return err_say(
            e, RC_BAD_INPUT, "form.bad_ids", arg_text("field", arena_strndup(r->arena, name.s, name.len)));
    return set_by_name(r, name, strbuf_str(&all), IN_BODY, e);
}

static enum rc set_from_json(struct req *r, const char *name, const json_t *v, struct err *e)
{
    enum field f = field_by_name(str_of(name));
    const struct field_rule *rule = f ? field_rule_find(r->route->fields, f) : NULL;
    bool wants_number =
        rule && (rule->type == FIELD_INT || (rule->type == FIELD_ID_OR_NONE && json_is_integer(v)));
    r->wrong_param = arena_strdup(r->arena, name);
    if (json_is_null(v) && rule)
        return RC_OK;
    if (rule && rule->type == FIELD_BOOL)
        return json_is_boolean(v)
                   ? set_by_name(r, str_of(name), json_is_true(v) ? STR("yes") : STR("no"), IN_BODY, e)
                   : err_say(e, RC_BAD_INPUT, "form.true_or_false", arg_text("field", field_name(f)));
    if (rule && field_is_list(rule->type))
        return set_list(r, str_of(name), v, e);
    if (rule && wants_number && !json_is_integer(v))
        return err_say(e, RC_BAD_INPUT, "form.number", arg_text("field", field_name(f)));
    if (rule && !wants_number && !json_is_string(v))
        return err_say(e, RC_BAD_INPUT, "form.string", arg_text("field", field_name(f)));
    struct str s = {json_string_value(v), json_string_length(v)};
    if (wants_number)
        s = str_of(arena_printf(r->arena, "%lld", (long long)json_integer_value(v)));
    return set_by_name(r, str_of(name), s, IN_BODY, e);
}

static enum rc read_json(struct req *r, struct str text, struct err *e)
{
    AUTO(json_t) body = NULL;
    enum rc rc = json_parse(text, text.len, &body, e);
    if (rc != RC_OK)
        return rc;
    if (!json_is_object(body))
        return err_say(e, RC_BAD_INPUT, "form.json_object");
    const char *name;
    json_t *value;
    json_object_foreach(body, name, value)
    {
        if ((rc = set_from_json(r, name, value, e)) != RC_OK)
            return rc;
    }
    r->wrong_param = NULL;
    return RC_OK;
}

static bool type_is(const char *have, struct str want)
{
    struct str rest = str_of(have ? have : ""), type = str_trim(str_cut(&rest, ';'));
    return str_eq_nocase(type, want);
}

static bool reads_bytes(enum csrf rule)
{
    return rule == CSRF_TOKEN_PICTURE || rule == CSRF_TOKEN_SPEECH || rule == CSRF_TOKEN_DOCUMENT;
}

static enum rc check_token(const struct req *r, struct err *e)
{
    enum csrf rule = r->route->csrf;
    if (r->bearer ||
        (rule != CSRF_TOKEN && rule != CSRF_TOKEN_FORM && rule != CSRF_TOKEN_FILE && !reads_bytes(rule)))
        return RC_OK;
    const char *sent = r->surface == SURFACE_PAGE ? req_text(r, F_CSRF) : req_param(r, "HTTP_X_CSRF_TOKEN");
    if (sent && auth_csrf_equal(sent, r->csrf))
        return RC_OK;
    return err_say(e, RC_FORBIDDEN, ERROR_OLD_PAGE);
}

/* A file. Nothing of it is read before the token is checked. In a form the token's field comes first. */
static enum rc file_field(struct req *r, struct str name, struct str value, struct err *e)
{
    if (!str_is(name, field_name(F_CSRF)))
        return set_by_name(r, name, value, IN_BODY, e);
    if (!r->fields[F_CSRF].present)
        r->fields[F_CSRF] = (struct field_value){.present = true, .s = value};
    return RC_OK;
}

static enum rc read_file(struct req *r, struct err *e)
{
    if (r->surface == SURFACE_PAGE)
        return upload_form(r, file_field, check_token, e);
    enum rc rc = check_token(r, e);
    return rc == RC_OK ? upload_raw(r, e) : rc;
}

/* The bytes of a picture, a recording or a document. */
static enum rc read_bytes(struct req *r, struct err *e)
{
    const struct config *c = r->web->config;
    struct long_body_limit limit = {c->limits.picture_bytes, LONG_BODIES_TIMES, "picture.body_too_long"};
    if (r->route->csrf == CSRF_TOKEN_SPEECH)
        limit =
            (struct long_body_limit){c->speech.max_bytes + (r->surface == SURFACE_V1 ? SPEECH_FORM_MORE : 0),
                LONG_BODIES_TIMES, "speech.too_big"};
    if (r->route->csrf == CSRF_TOKEN_DOCUMENT)
        limit = (struct long_body_limit){
            c->limits.document_bytes, LONG_DOCUMENTS_TIMES, "document.body_too_long"};
    enum rc rc = check_token(r, e);
    if (rc == RC_OK && (rc = fcgi_body(r->fcgi, &r->body, e)) == RC_TOO_BIG)
        rc = long_body_read(r, &limit, &r->body, e);
    return rc;
}

static enum rc whole_body(struct req *r, struct str *out, struct err *e)
{
    const struct long_body_limit limit = {
        r->web->config->limits.v1_body_bytes, LONG_BODIES_TIMES, "v1.body_too_long"};
    if (r->surface == SURFACE_V1 && fcgi_body(r->fcgi, out, NULL) == RC_TOO_BIG)
        return long_body_read(r, &limit, out, e);
    return fcgi_body(r->fcgi, out, e);
}

/* A field of a form with small files, which is read as a whole before the token is checked. */
static enum rc form_field(void *arg, struct str name, struct str value, struct err *e)
{
    return file_field(arg, name, value, e);
}

static enum rc read_body(struct req *r, struct err *e)
{
    struct str body;
    const char *type = req_param(r, "CONTENT_TYPE");
    enum rc rc = whole_body(r, &body, e);
    if (rc != RC_OK || body.len == 0)
        return rc; /* nothing was sent: the rules report the missing field */
    if (r->surface == SURFACE_V1) {
        r->body = body;
        return type_is(type, STR("application/json")) ? RC_OK : err_say(e, RC_UNSUPPORTED, "form.wants_json");
    }
    if (r->route->csrf == CSRF_TOKEN_FORM)
        return form_files_read(r->arena, type, body, form_field, r, &r->files, e);
    if (r->surface != SURFACE_PAGE)
        return type_is(type, STR("application/json")) ? read_json(r, body, e)
                                                      : err_say(e, RC_UNSUPPORTED, "form.wants_json");
    return type_is(type, STR("application/x-www-form-urlencoded"))
               ? read_form(r, body, IN_BODY, e)
               : err_say(e, RC_UNSUPPORTED, "form.wants_form");
}

/* The body is ignored, but it must be complete before the connection can be handed over. */
static enum rc ignore_body(const struct req *r, struct err *e)
{
    struct str ignored;
    return fcgi_body(r->fcgi, &ignored, e);
}

/* Only for signed-in users: a stranger could fill the disk with rows. */
static void note_refused(const struct req *r)
{
    char what[REFUSED_MAX];
    struct auth_client from = req_client(r);
    snprintf(what, sizeof what, "%s %s", http_method_name(r->method), r->route->path);
    auth_note_refused(r->web->store, &r->who, &from, what);
}

enum rc gate_pass(struct req *r, const struct route_match *m, struct err *e)
{
    bool unsafe = r->method != HTTP_GET;
    enum rc rc = identify(r, e);
    if (rc == RC_OK && unsafe && !r->bearer)
        rc = check_origin(r, e);
    if (rc == RC_OK)
        rc = check_access(r, e);
    if (rc == RC_OK)
        rc = read_path(r, m, e);
    if (rc == RC_OK && *r->query)
        rc = read_form(r, str_of(r->query), IN_ADDRESS, e);
    if (rc == RC_OK)
        rc = !unsafe                             ? ignore_body(r, e)
             : r->route->csrf == CSRF_TOKEN_FILE ? read_file(r, e)
             : reads_bytes(r->route->csrf)       ? read_bytes(r, e)
                                                 : read_body(r, e);
    if (rc == RC_OK && unsafe)
        rc = check_token(r, e);
    if (rc == RC_FORBIDDEN && r->signed_in)
        note_refused(r);
    if (rc != RC_OK)
        return rc;
    r->wrong_param = fields_missing(r->route->fields, r->fields);
    return fields_complete(r->route->fields, r->fields, e);
}
