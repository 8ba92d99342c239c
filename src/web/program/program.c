#include "web/http/web.h"

#include <malloc.h>
#include <sodium.h>

#include "assets.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/rand.h"
#include "web/fcgi/fcgi.h"
#include "web/http/gate.h"
#include "web/http/respond.h"
#include "web/http/upload.h"

#define AGENT_UNKNOWN "unknown"

/* Per thread: what one request frees, the next one uses. Below it glibc gives pages of 100 KB back to the
 * kernel after every request and faults them in again at the next. */
#define MALLOC_KEEP (1024 * 1024)

static void split_uri(struct req *r)
{
    struct str uri = str_of(fcgi_param(r->fcgi, "REQUEST_URI"));
    r->path = str_cut(&uri, '?');
    r->query = uri.s ? uri.s : "";
    r->surface = str_starts(r->path, STR("/api/")) ? SURFACE_API : SURFACE_PAGE;
}

static void req_init(struct req *r, struct web *w, struct fcgi_request *f, struct arena *a)
{
    const char *method = fcgi_param(f, "REQUEST_METHOD");
    const char *address = fcgi_param(f, "REMOTE_ADDR"), *agent = fcgi_param(f, "HTTP_USER_AGENT");
    *r = (struct req){.web = w,
        .arena = a,
        .fcgi = f,
        .method = http_method_parse(method),
        .head_only = method && strcmp(method, "HEAD") == 0,
        .address = address ? address : AGENT_UNKNOWN,
        .agent = agent ? agent : AGENT_UNKNOWN,
        .now = clock_wall_ms()};
    split_uri(r);
    unsigned char raw[18];
    rand_bytes(raw, sizeof raw);
    sodium_bin2base64(r->nonce, sizeof r->nonce, raw, sizeof raw, sodium_base64_VARIANT_ORIGINAL);
}

static enum rc answer(struct req *r, struct resp *out, struct err *e)
{
    struct route_match m;
    enum rc rc = route_find(r->web->routes, r->method, r->path, &m, e);
    if (rc != RC_OK) {
        r->other_methods = m.methods;
        gate_identify(r);
        return rc;
    }
    r->route = m.route;
    r->surface = m.route->surface;
    rc = gate_pass(r, &m, e);
    return rc == RC_OK ? m.route->handler(r, out, e) : rc;
}

static void handle(void *arg, struct fcgi_request *f)
{
    AUTO(arena) a = arena_new();
    struct req r;
    req_init(&r, arg, f, a);
    struct resp out = {.status = 200, .type = "text/plain; charset=utf-8", .file = -1};
    strbuf_init(&out.head, RESPONSE_HEAD_MAX);
    strbuf_init(&out.body, RESPONSE_BODY_MAX);
    struct err e = ERR_INIT;
    if (answer(&r, &out, &e) != RC_OK) {
        respond_error(&r, &out, &e);
        if (r.route && r.route->csrf == CSRF_TOKEN_FILE)
            upload_drain(&r);
    }
    if (!out.detached)
        respond_send(&r, &out);
    upload_leave(&r);
    fs_close(&out.file);
    strbuf_release(&out.head);
    strbuf_release(&out.body);
}

static enum rc open_web(struct web *w, const struct web_program *p, struct err *e)
{
    struct config *c;
    enum rc rc = config_load(NULL, &c, e);
    if (rc != RC_OK)
        return rc;
    w->config = c;
    log_init(p->name, c->server.log_level);
    if (sodium_init() < 0)
        return err_set(e, RC_INTERNAL, "libsodium does not start");
    struct providers *providers;
    if ((rc = routes_check(p->routes, e)) != RC_OK || (rc = providers_new(c, &providers, e)) != RC_OK)
        return rc;
    w->providers = providers;
    char db_path[FS_PATH_MAX];
    if ((rc = fs_join(db_path, c->server.data_dir, CONFIG_DATABASE, e)) != RC_OK)
        return rc;
    if ((rc = store_open(db_path, (int)c->server.threads, &w->store, e)) != RC_OK)
        return rc;
    w->templates = mustache_set_new();
    mustache_set_constant(w->templates, "asset", ASSET_VERSION);
    if ((rc = mustache_set_load(w->templates, c->server.template_dir, e)) != RC_OK)
        return rc;
    if ((rc = mustache_check_raw(w->templates, e)) != RC_OK ||
        (rc = mustache_check_names(w->templates, e)) != RC_OK)
        return rc;
    return p->start ? p->start(w, e) : RC_OK;
}

int web_main(const struct web_program *p)
{
    struct web w = {.program = p->name,
        .routes = p->routes,
        .receiving.lock = PTHREAD_MUTEX_INITIALIZER,
        .sending.lock = PTHREAD_MUTEX_INITIALIZER};
    struct err e = ERR_INIT;
    log_init(p->name, LOG_INFO);
    mallopt(M_TRIM_THRESHOLD, MALLOC_KEEP);
    mallopt(M_MMAP_THRESHOLD, MALLOC_KEEP);
    enum rc rc = open_web(&w, p, &e);
    malloc_trim(0); /* what only the start needed */
    if (rc == RC_OK)
        rc = fcgi_serve((int)w.config->server.threads, handle, (void (*)(void *))p->on_stop, &w, &e);
    if (rc != RC_OK)
        log_error("%s: %s", rc_name(rc), e.text);
    else if (p->finish)
        p->finish(&w);
    mustache_set_free(w.templates);
    store_free(w.store);
    providers_free((struct providers *)w.providers); /* read-only while there were threads */
    config_free((struct config *)w.config);
    return rc == RC_OK ? 0 : 1;
}
