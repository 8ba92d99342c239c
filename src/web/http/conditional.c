#include "web/http/conditional.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>

#include "web/http/respond.h"
#include "web/http/web.h"

#define TAG_BYTES   16
#define TAG_SIZE    (2 * TAG_BYTES + 3) /* with its quotes and NUL */
#define CHANGES_MAX 64                  /* changes with If-Match at the same time */

static void tag_of(struct str body, char out[TAG_SIZE])
{
    unsigned char hash[TAG_BYTES];
    char hex[2 * TAG_BYTES + 1];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)(body.s ? body.s : ""), body.len, NULL, 0);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    snprintf(out, TAG_SIZE, "\"%s\"", hex);
}

/* True when the list of the header has the tag or "*". A proxy that compresses makes tags weak, so that W/
 * does not matter. */
static bool lists(const char *header, const char *tag)
{
    for (struct str rest = str_of(header); rest.s;) {
        struct str one = str_trim(str_cut(&rest, ','));
        if (str_starts(one, STR("W/")))
            one = str_from(one, 2);
        if (str_is(one, tag) || str_is(one, "*"))
            return true;
    }
    return false;
}

bool conditional_is_known(const struct req *r, const char *tag)
{
    const char *known = req_param(r, "HTTP_IF_NONE_MATCH");
    return known && strcmp(known, tag) == 0;
}

/* ---- GET ---- */

static enum rc handle_read(struct req *r, struct resp *out, struct err *e)
{
    char tag[TAG_SIZE];
    const char *known = req_param(r, "HTTP_IF_NONE_MATCH");
    enum rc rc = r->route->handler(r, out, e);
    bool is_json = out->type && strcmp(out->type, "application/json") == 0;
    if (rc != RC_OK || out->detached || out->file_size > 0 || out->status != 200 || !is_json)
        return rc;
    tag_of(strbuf_str(&out->body), tag);
    resp_header(out, "ETag", "%s", tag);
    if (r->bearer)
        out->cache = "private, no-cache";
    if (known && lists(known, tag)) {
        out->status = HTTP_NOT_MODIFIED;
        strbuf_clear(&out->body);
    }
    return RC_OK;
}

/* ---- changes ---- */

static struct {
    pthread_mutex_t lock; /* guards the others */
    unsigned char paths[CHANGES_MAX][TAG_BYTES];
    bool used[CHANGES_MAX];
} changing = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The place in the list; CHANGES_MAX: the address is being changed, or the list is full. */
static size_t enter(const unsigned char path[TAG_BYTES])
{
    size_t place = CHANGES_MAX;
    pthread_mutex_lock(&changing.lock);
    for (size_t i = 0; i < CHANGES_MAX; i++) {
        if (changing.used[i] && memcmp(changing.paths[i], path, TAG_BYTES) == 0) {
            place = CHANGES_MAX;
            break;
        }
        if (!changing.used[i] && place == CHANGES_MAX)
            place = i;
    }
    if (place < CHANGES_MAX) {
        changing.used[place] = true;
        memcpy(changing.paths[place], path, TAG_BYTES);
    }
    pthread_mutex_unlock(&changing.lock);
    return place;
}

static void leave(size_t place)
{
    pthread_mutex_lock(&changing.lock);
    changing.used[place] = false;
    pthread_mutex_unlock(&changing.lock);
}

/* The tag that a GET of the address has now, with the fields that it takes. */
static enum rc current_tag(struct req *r, char tag[TAG_SIZE], struct err *e)
{
    struct route_match m;
    struct req get = *r;
    struct resp out = {.status = 200, .type = "", .file = -1};
    enum rc rc = route_find(r->web->routes, HTTP_GET, r->path, &m, NULL);
    if (rc != RC_OK)
        return err_say(e, RC_CHANGED, "error.no_condition");
    get.method = HTTP_GET;
    get.route = m.route;
    memset(get.fields, 0, sizeof get.fields);
    for (const struct field_rule *f = m.route->fields; f && f->field != F_NONE; f++)
        get.fields[f->field] = r->fields[f->field];
    strbuf_init(&out.head, RESPONSE_HEAD_MAX);
    strbuf_init(&out.body, RESPONSE_BODY_MAX);
    rc = m.route->handler(&get, &out, e);
    if (rc == RC_OK)
        tag_of(strbuf_str(&out.body), tag);
    strbuf_release(&out.head);
    strbuf_release(&out.body);
    return rc;
}

static enum rc handle_change(struct req *r, struct resp *out, const char *wanted, struct err *e)
{
    char tag[TAG_SIZE];
    unsigned char path[TAG_BYTES];
    crypto_generichash(path, sizeof path, (const unsigned char *)r->path.s, r->path.len, NULL, 0);
    size_t place = enter(path);
    if (place == CHANGES_MAX)
        return err_say(e, RC_UNAVAILABLE, "error.changing");
    enum rc rc = current_tag(r, tag, e);
    if (rc == RC_OK && !lists(wanted, tag))
        rc = err_say(e, RC_CHANGED, "error.changed");
    if (rc == RC_OK)
        rc = r->route->handler(r, out, e);
    leave(place);
    return rc;
}

enum rc conditional_handle(struct req *r, struct resp *out, struct err *e)
{
    const char *wanted = req_param(r, "HTTP_IF_MATCH");
    if (r->surface != SURFACE_API)
        return r->route->handler(r, out, e);
    if (r->method == HTTP_GET)
        return handle_read(r, out, e);
    return wanted ? handle_change(r, out, wanted, e) : r->route->handler(r, out, e);
}
