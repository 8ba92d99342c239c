#include "cli/serve/nginx_conf.h"

#include <string.h>
#include <unistd.h>

#include "app/config/hosts.h"
#include "base/lang.h"

#define WORKERS_MAX      4
#define CONNECTIONS_MORE 1024 /* besides those of the readers */
#define STREAM_SHARE     3    /* two for each reader of a turn, and for half as many that watch a session */
#define BODY_MORE        1024 /* above [limits] body_bytes, so that the program refuses with its own message */
#define V1_BODY_TIMES    2    /* [limits] v1_body_bytes */
#define DOCUMENT_TIMES   2    /* [limits] document_bytes */
#define IMPORT_MORE      16384 /* above [limits] import_bytes: the form around the file */
#define SPEECH_FORM      16384 /* above [speech] max_bytes: the form around the recording */
#define SPEECH_MORE_S    30    /* above [speech] timeout_seconds */
#define TURN_MORE_S      60    /* above [turn] total_minutes, for saving and answering */
#define BURST_SECONDS    4     /* requests of this many seconds may arrive at once */
#define SIGNIN_BURST     20
#define HSTS_SECONDS     31536000 /* a year */

struct making {
    const struct config *c;
    const struct nginx_setup *s;
    struct strbuf *out;
};

static long workers(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > WORKERS_MAX ? WORKERS_MAX : cores;
}

static void put_user(const struct making *m)
{
    if (m->s->user)
        strbuf_addf(m->out, "user %s;", m->s->user);
}

static void put_workers(const struct making *m)
{
    strbuf_addint(m->out, workers());
}

static void put_connections(const struct making *m)
{
    strbuf_addint(m->out, m->c->limits.streams * STREAM_SHARE + CONNECTIONS_MORE);
}

static void put_listen(const struct making *m)
{
    for (size_t i = 0; i < m->s->listeners_n; i++) {
        const struct listen_tcp *l = &m->s->listeners[i];
        strbuf_addf(m->out, "%slisten %s%s;", i ? "\n        " : "", l->address, l->tls ? " ssl http2" : "");
    }
}

static void put_https_port(const struct making *m)
{
    strbuf_addint(m->out, m->c->server.https_port);
}

static void put_hosts(const struct making *m)
{
    const struct config_list *l = &m->c->server.names;
    for (size_t i = 0; i < l->n; i++)
        strbuf_addf(m->out, "%s\"%s\" \"%s\";", i ? "\n        " : "", l->v[i], l->v[i]);
}

static void put_public_url(const struct making *m)
{
    strbuf_adds(m->out, m->c->server.public_url);
}

static void put_hsts(const struct making *m)
{
    struct str host = host_of_url(str_of(m->c->server.public_url));
    if (m->s->hsts)
        strbuf_addf(m->out, "\"on:%.*s\" \"max-age=%d\";", STR_FMT(host), HSTS_SECONDS);
}

static void put_body(const struct making *m)
{
    strbuf_addint(m->out, m->c->limits.body_bytes + BODY_MORE);
}

/* The program names the limit to programs that exceed it; nginx stops those that send far more. */
static void put_v1_body(const struct making *m)
{
    strbuf_addint(m->out, V1_BODY_TIMES * m->c->limits.v1_body_bytes);
}

static void put_picture(const struct making *m)
{
    strbuf_addint(m->out, m->c->limits.picture_bytes + BODY_MORE);
}

static void put_speech(const struct making *m)
{
    strbuf_addint(m->out, m->c->speech.max_bytes + SPEECH_FORM);
}

static void put_speech_seconds(const struct making *m)
{
    strbuf_addint(m->out, m->c->speech.timeout_seconds + SPEECH_MORE_S);
}

/* The program names the limit, as for /v1. */
static void put_document(const struct making *m)
{
    strbuf_addint(m->out, DOCUMENT_TIMES * m->c->limits.document_bytes);
}

static void put_import(const struct making *m)
{
    strbuf_addint(m->out, m->c->limits.import_bytes + IMPORT_MORE);
}

static void put_turn_seconds(const struct making *m)
{
    strbuf_addint(m->out, m->c->turn.total_minutes * 60 + TURN_MORE_S);
}

static void put_trusted(const struct making *m)
{
    const struct config_list *l = &m->c->server.trusted_proxy;
    for (size_t i = 0; i < l->n; i++)
        strbuf_addf(m->out, "set_real_ip_from %s;\n    ", l->v[i]);
    if (l->n)
        strbuf_adds(m->out, "real_ip_header X-Forwarded-For;\n    real_ip_recursive on;");
}

static void put_zones(const struct making *m)
{
    int64_t rate = m->c->limits.requests_per_second, signins = m->c->limits.signins_per_minute;
    if (rate)
        strbuf_addf(
            m->out, "limit_req_zone $alfred_client zone=requests:4m rate=%lldr/s;\n    ", (long long)rate);
    if (signins)
        strbuf_addf(
            m->out, "limit_req_zone $alfred_signin zone=signins:1m rate=%lldr/m;\n    ", (long long)signins);
    if (m->c->limits.connections)
        strbuf_adds(m->out, "limit_conn_zone $alfred_client zone=connections:4m;");
}

static void put_limits(const struct making *m)
{
    long long burst = m->c->limits.requests_per_second * BURST_SECONDS;
    if (burst)
        strbuf_addf(m->out, "limit_req zone=requests burst=%lld nodelay;\n        ", burst);
    if (m->c->limits.signins_per_minute)
        strbuf_addf(m->out, "limit_req zone=signins burst=%d nodelay;\n        ", SIGNIN_BURST);
    if (m->c->limits.connections)
        strbuf_addf(m->out, "limit_conn connections %lld;", (long long)m->c->limits.connections);
}

static void put_access_log(const struct making *m)
{
    if (m->c->server.log_level == LOG_DEBUG)
        strbuf_addf(m->out, "\"%s/access.log\" alfred", m->s->run_dir);
    else
        strbuf_adds(m->out, "off");
}

static void put_run(const struct making *m)
{
    strbuf_adds(m->out, m->s->run_dir);
}

static void put_static(const struct making *m)
{
    strbuf_adds(m->out, m->c->server.static_dir);
}

static void put_errors(const struct making *m)
{
    strbuf_adds(m->out, m->s->errors_dir);
}

static void put_languages(const struct making *m)
{
    const struct lang *l;
    for (size_t i = 0; (l = lang_at(i)); i++)
        strbuf_addf(m->out, "%s\"~*^%s\\b\" %s;", i ? "\n        " : "", lang_code(l), lang_code(l));
}

static void put_certificate(const struct making *m)
{
    strbuf_adds(m->out, m->s->certificate);
}

static void put_certificate_key(const struct making *m)
{
    strbuf_adds(m->out, m->s->certificate_key);
}

static const struct {
    const char *name;
    void (*put)(const struct making *m);
} places[] = {
    {"USER", put_user},
    {"WORKERS", put_workers},
    {"CONNECTIONS", put_connections},
    {"LISTEN", put_listen},
    {"HTTPS_PORT", put_https_port},
    {"HOSTS", put_hosts},
    {"PUBLIC_URL", put_public_url},
    {"HSTS", put_hsts},
    {"BODY", put_body},
    {"V1_BODY", put_v1_body},
    {"PICTURE", put_picture},
    {"SPEECH", put_speech},
    {"SPEECH_SECONDS", put_speech_seconds},
    {"DOCUMENT", put_document},
    {"IMPORT", put_import},
    {"TURN_SECONDS", put_turn_seconds},
    {"TRUSTED", put_trusted},
    {"ZONES", put_zones},
    {"LIMITS", put_limits},
    {"ACCESS_LOG", put_access_log},
    {"RUN", put_run},
    {"STATIC", put_static},
    {"ERRORS", put_errors},
    {"LANGUAGES", put_languages},
    {"CERTIFICATE", put_certificate},
    {"CERTIFICATE_KEY", put_certificate_key},
};

static enum rc put_place(const struct making *m, struct str name, struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (str_is(name, places[i].name)) {
            places[i].put(m);
            return RC_OK;
        }
    return err_set(e, RC_INTERNAL, "nginx template: unknown name @%.*s@", STR_FMT(name));
}

/* nginx cannot escape a $ in a path. */
static enum rc check_path(const char *path, struct err *e)
{
    if (strpbrk(path, "\"\\$\n\r"))
        return err_tell(
            e, RC_BAD_INPUT, "nginx does not support quotes, backslashes or $ in a path: %.150s", path);
    return RC_OK;
}

enum rc nginx_conf(const struct config *c, const struct nginx_setup *s, struct str template,
    struct strbuf *out, struct err *e)
{
    const char *paths[] = {s->run_dir, s->errors_dir, s->certificate, s->certificate_key,
        c->server.static_dir, c->server.public_url};
    struct making m = {c, s, out};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < ARRAY_LEN(paths) && rc == RC_OK; i++)
        rc = check_path(paths[i], e);
    while (template.s && rc == RC_OK) {
        strbuf_addstr(out, str_cut(&template, '@'));
        if (template.s)
            rc = put_place(&m, str_cut(&template, '@'), e);
    }
    return rc == RC_OK && out->failed ? err_set(e, RC_TOO_BIG, "the configuration of nginx is too long") : rc;
}
