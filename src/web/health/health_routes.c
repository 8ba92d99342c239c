/*
 * Whether Alfred can read and write. Everybody may ask, as often as they like, so the answer is up to
 * HEALTH_LIFE_MS old: one thread at a time looks, and the others give what was found last.
 *
 * The look takes the write lock and reads, and changes nothing in the database. A full or broken disk is
 * found by an unnamed file beside it: statvfs() does not show that ext4 has stopped writing, nor a quota.
 */
#include "web/health/health_routes.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/fs.h"
#include "store/account/user.h"
#include "web/http/request.h"
#include "web/http/web.h"

#define HEALTH_LIFE_MS  1000
#define HEALTH_WAIT_MS  1000        /* for the write lock */
#define HEALTH_HANGS_MS 3000        /* a look takes longer only when the kernel holds it */
#define HEALTH_BYTES    (64 * 1024) /* room that a change may need */
#define CHECK           "the test for /api/health"

static const char failed[] = "database_failed"; /* the only reason that does not name the cause */

static enum rc look_tx(struct db *db, void *arg, struct err *e)
{
    return store_user_count(db, arg, e);
}

static enum rc write_file(const char *folder, struct err *e)
{
    static const char block[HEALTH_BYTES];
    AUTO_FD fd = fs_open_unnamed(folder);
    return fd < 0 ? fs_write_failed(folder, e) : fs_write_all(fd, block, sizeof block, e);
}

static const char *reason_of(const struct err *why)
{
    static const struct {
        const char *key, *reason;
    } reasons[] = {{"error.disk_full", "disk_full"}, {"error.disk_broken", "disk_broken"},
        {"error.database_busy", "database_locked"}, {"error.nothing_saved", "database_locked"}};
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (err_is(why, reasons[i].key))
            return reasons[i].reason;
    return failed;
}

/* NULL: all is well. */
static const char *look(struct web *w)
{
    const char *folder = w->config->server.data_dir;
    char path[FS_PATH_MAX];
    struct err why = ERR_INIT;
    int64_t users;
    if (fs_join(path, folder, CONFIG_DATABASE, &why) != RC_OK || !fs_exists(path))
        return "database_missing";
    enum rc rc = write_file(folder, &why);
    if (rc == RC_OK)
        rc = store_write_within(w->store, HEALTH_WAIT_MS, look_tx, &users, &why);
    if (rc == RC_OK) {
        log_repeat_end(&w->health.failures, CHECK);
        return NULL;
    }
    const char *reason = reason_of(&why);
    if (reason == failed)
        log_repeat(&w->health.failures, LOG_ERROR, CHECK ": %s: %s", rc_name(rc), why.text);
    return reason;
}

static enum rc api_health(struct req *r, struct resp *out, struct err *e)
{
    struct health *h = &r->web->health;
    int64_t now = clock_mono_ms(), since = 0;
    if (now >= h->until && atomic_compare_exchange_strong(&h->since, &since, now)) {
        h->reason = look(r->web);
        h->until = clock_mono_ms() + HEALTH_LIFE_MS;
        h->since = 0;
    }
    const char *reason = since && now - since > HEALTH_HANGS_MS ? "disk_hangs" : h->reason;
    struct view *v = view_new(r->arena);
    view_text(v, "status", reason ? "failed" : "ok");
    view_text(v, "reason", reason);
    return resp_json(out, reason ? 503 : 200, v, e);
}

static const struct route routes[] = {
    {HTTP_GET, "/api/health", api_health, API_READ(ACCESS_PUBLIC, SCOPE_ANY), no_fields},
};

const struct route_table health_routes = {routes, ARRAY_LEN(routes)};
