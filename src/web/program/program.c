#include "web/program/program.h"

#include <malloc.h>
#include <sodium.h>
#include <sys/resource.h>

#include "app/account/password.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/humanize.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rand.h"
#include "base/time_zones.h"
#include "web/fcgi/fcgi.h"
#include "web/fcgi/fcgi_store.h"
#include "web/http/gate.h"
#include "web/http/idempotent.h"
#include "web/http/respond.h"
#include "web/http/upload.h"
#include "web/page/error_page.h"
#include "web/page/html_cache.h"

#define AGENT_UNKNOWN "unknown"

/* Memory that a thread keeps for its next request. With a smaller value glibc returns pages to the kernel
 * after every request that uses 100 KB, and faults them in again. */
#define MALLOC_KEEP (1024 * 1024)

static void split_uri(struct req *r)
{
    struct str uri = str_of(fcgi_param(r->fcgi, "REQUEST_URI"));
    r->path = str_cut(&uri, '?');
    r->query = uri.s ? uri.s : "";
    r->surface = surface_of(r->path);
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
        .now = clock_wall_ms(),
        .lang = lang_accepted(fcgi_param(f, "HTTP_ACCEPT_LANGUAGE")),
        .dates = date_words_new(a)};
    split_uri(r);
    unsigned char raw[18];
    rand_bytes(raw, sizeof raw);
    sodium_bin2base64(r->nonce, sizeof r->nonce, raw, sizeof raw, sodium_base64_VARIANT_ORIGINAL);
}

static enum rc answer(struct req *r, struct resp *out, struct err *e)
{
    struct route_match m;
    enum rc rc = gate_check_host(r, e);
    if (rc != RC_OK)
        return rc;
    rc = route_find(r->web->routes, r->method, r->path, &m, e);
    if (rc != RC_OK) {
        r->other_methods = m.methods;
        gate_identify(r);
        return rc;
    }
    r->route = m.route;
    r->surface = m.route->surface;
    if (fcgi_late(r->fcgi))
        return err_say(e, RC_UNAVAILABLE, "error.server_busy");
    providers_refresh_lately(r->web->providers, r->web->store);
    rc = gate_pass(r, &m, e);
    return rc == RC_OK ? idempotent_handle(r, out, e) : rc;
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
    if (answer(&r, &out, &e) != RC_OK)
        respond_error(&r, &out, &e);
    if (!out.detached)
        respond_send(&r, &out);
    upload_leave(&r);
    long_body_leave(&r);
    fs_close(&out.file);
    strbuf_release(&out.head);
    strbuf_release(&out.body);
}

enum rc web_routes(const struct web_program *p, struct route *routes, struct route_table *out, struct err *e)
{
    size_t n = 0;
    for (size_t t = 0; t < p->tables_n; t++)
        for (size_t i = 0; i < p->tables[t]->n; i++) {
            const struct route *r = &p->tables[t]->routes[i];
            if (!(p->surfaces & 1u << r->surface))
                continue;
            if (n == WEB_ROUTES_MAX)
                return err_set(e, RC_INTERNAL, "%s has more than %d routes", p->name, WEB_ROUTES_MAX);
            routes[n++] = *r;
        }
    *out = (struct route_table){routes, n};
    return routes_check(*out, e);
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
        return err_set(e, RC_INTERNAL, "libsodium cannot be initialised");
    struct providers *providers;
    if ((rc = providers_new(c, &providers, e)) != RC_OK)
        return rc;
    w->providers = providers;
    if ((rc = fcgi_store_open(c, 2 * (int)c->server.threads, &w->store, e)) != RC_OK)
        return rc;
    password_threads((int)c->server.threads);
    w->zones = time_zones_new();
    w->templates = templates_new(c->server.template_dir);
    if (p->surfaces & (1u << SURFACE_PAGE | 1u << SURFACE_SCRIPT) &&
        (rc = templates_check(w->templates, e)) != RC_OK)
        return rc;
    if ((rc = html_cache_new(HTML_CACHE_BYTES, HTML_CACHE_LIFE_MS, &w->html, e)) != RC_OK)
        return rc;
    return p->start ? p->start(w, e) : RC_OK;
}

int web_main(const struct web_program *p)
{
    static struct route routes[WEB_ROUTES_MAX];
    struct web w = {.program = p->name,
        .receiving = PLACES_INIT,
        .sending = PLACES_INIT,
        .embedding = PLACES_INIT,
        .transcribing = PLACES_INIT,
        .documents = PLACES_INIT,
        .long_bodies.lock = PTHREAD_MUTEX_INITIALIZER};
    struct err e = ERR_INIT;
    fcgi_block_signals();
    log_init(p->name, LOG_INFO);
    /* Before the first thread: on Linux each has its own. Only a process with CAP_SYS_NICE or RLIMIT_NICE may
     * go below 0; for others a refusal is harmless. */
    if (p->nice)
        setpriority(PRIO_PROCESS, 0, p->nice);
    mallopt(M_TRIM_THRESHOLD, MALLOC_KEEP);
    mallopt(M_MMAP_THRESHOLD, MALLOC_KEEP);
    enum rc rc = web_routes(p, routes, &w.routes, &e);
    if (rc == RC_OK)
        rc = open_web(&w, p, &e);
    mem_trim(); /* of memory that only the start needed */
    bool started = rc == RC_OK;
    if (started)
        rc = fcgi_serve(&(struct fcgi_setup){.threads = (int)w.config->server.threads,
                            .body_max = (size_t)w.config->limits.body_bytes,
                            .handle = handle,
                            .arg = &w},
            &e);
    if (rc != RC_OK)
        log_error("%s: %s", rc_name(rc), e.text);
    /* also when fcgi_serve() failed: threads of the program use what is freed below */
    if (started && p->finish)
        p->finish(&w);
    html_cache_free(w.html);
    templates_free(w.templates);
    time_zones_free(w.zones);
    store_free(w.store);
    providers_free((struct providers *)w.providers); /* read-only while threads ran */
    config_free((struct config *)w.config);
    return rc == RC_OK ? 0 : 1;
}
