#include "app/trash/trash.h"

#include "app/jobs/helper_notify.h"
#include "app/jobs/mass.h"
#include "app/summary/compact.h"
#include "app/summary/summary.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/job.h"
#include "store/memory/compaction.h"
#include "store/memory/summary.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define RESTORED_AT_ONCE 20 /* entries in one transaction, if they have few messages */

struct action {
    const struct config *config;
    int64_t owner;
    const char *session; /* public id of the session, or of the entry */
    int64_t message;
    const struct auth_client *from;
    char *entry;
    struct trash_restored *restored;
    int64_t n;
};

enum rc trash_purge_soon(struct db *db, int64_t now, struct err *e)
{
    return store_job_add(db, JOB_PURGE_TRASH, 0, 0, now, now, e);
}

/* ---- moving to the trash ---- */

enum rc trash_session_in(
    struct db *db, int64_t owner, const char *session, const struct auth_client *from, struct err *e)
{
    enum rc rc = store_trash_session(db, owner, session, from->now, e);
    if (rc == RC_OK)
        rc = trash_purge_soon(db, from->now, e);
    return rc == RC_OK ? auth_audit(db, from, owner, "session_deleted", session, e) : rc;
}

static enum rc session_tx(struct db *db, void *arg, struct err *e)
{
    const struct action *t = arg;
    return trash_session_in(db, t->owner, t->session, t->from, e);
}

enum rc trash_session(struct store *s, const struct config *c, int64_t owner, const char *session,
    const struct auth_client *from, struct err *e)
{
    struct action t = {.owner = owner, .session = session, .from = from};
    return helper_write(s, c->server.data_dir, session_tx, &t, e);
}

/* An answer that called tools is several messages. To the user it is one, and a model cannot use a part of
 * it. */
static enum rc first_of_answer(
    struct db *db, struct arena *a, int64_t owner, int64_t message, int64_t *first, struct err *e)
{
    struct message m;
    enum rc rc = store_message_get(db, a, owner, message, &m, e);
    *first = message;
    while (rc == RC_OK && m.role != ROLE_USER && m.parent_id) {
        *first = m.id;
        rc = store_message_get(db, a, owner, m.parent_id, &m, e);
    }
    return rc;
}

/* The parts of a deletion, so that no transaction is long. */
struct parts {
    struct action *action;
    int64_t session_id, first, *ids;
    size_t n, done; /* the last part is message_tx()'s */
    bool more;
};

/* A deletion that was broken off goes on with its entry. */
static enum rc read_parts(
    struct store *s, struct arena *a, struct action *t, struct parts *out, struct err *e)
{
    struct session session = {0};
    struct trash_broken broken;
    *out = (struct parts){.action = t};
    struct db *db = store_read(s);
    enum rc rc = store_session_get(db, a, t->owner, t->session, &session, e);
    if (rc == RC_OK)
        rc = first_of_answer(db, a, t->owner, t->message, &out->first, e);
    if (rc == RC_OK)
        rc = store_trash_parts(db, a, session.id, out->first, &out->ids, &out->n, e);
    if (rc == RC_OK && store_trash_broken_of(db, a, t->owner, out->first, &broken, NULL) == RC_OK)
        memcpy(t->entry, broken.pub, ID_SIZE);
    store_read_done(s, db);
    out->session_id = session.id;
    return rc;
}

static enum rc part_tx(struct db *db, void *arg, struct err *e)
{
    struct parts *p = arg;
    const struct action *t = p->action;
    int64_t until = clock_mono_ms() + MASS_STEP_MS;
    enum rc rc;
    do {
        const struct trash_part part = {
            t->owner, p->session_id, p->ids[p->done++], p->first, t->entry, clock_wall_ms()};
        rc = store_trash_part(db, &part, e);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc; /* another request for the same deletion has moved it */
    } while (rc == RC_OK && p->done + 1 < p->n && clock_mono_ms() < until);
    p->more = p->done + 1 < p->n;
    return rc;
}

static enum rc message_tx(struct db *db, void *arg, struct err *e)
{
    const struct action *t = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    int64_t first, now = t->from->now;
    enum rc rc = store_session_get(db, a, t->owner, t->session, &s, e);
    if (rc == RC_OK)
        rc = first_of_answer(db, a, t->owner, t->message, &first, e);
    if (rc == RC_OK)
        rc = store_trash_message(db, t->owner, s.id, first, t->entry, now, e);
    if (rc == RC_OK)
        rc = compact_forget(db, t->owner, s.id, first, now, e);
    if (rc == RC_OK)
        rc = summary_plan_afresh(db, t->config, t->owner, s.id, first, now, e);
    if (rc == RC_OK)
        rc = trash_purge_soon(db, now, e);
    const char *detail = arena_printf(a, "%s %lld", t->session, (long long)t->message);
    return rc == RC_OK ? auth_audit(db, t->from, t->owner, "message_deleted", detail, e) : rc;
}

/* Undoes a deletion that has failed, unless another request has ended it. */
static void undo_parts(struct store *s, const struct parts *p)
{
    AUTO(arena) a = arena_new();
    const struct action *t = p->action;
    struct trash_broken broken;
    struct trash_restored back;
    struct db *db = store_read(s);
    enum rc rc = store_trash_broken_of(db, a, t->owner, p->first, &broken, NULL);
    store_read_done(s, db);
    if (rc == RC_OK)
        (void)trash_restore(s, t->config, t->owner, broken.pub, t->from, &back, NULL);
}

enum rc trash_message(struct store *s, const struct config *c, int64_t owner, const char *session,
    int64_t message, const struct auth_client *from, char entry[ID_SIZE], struct err *e)
{
    id_new(ID_SESSION, entry);
    AUTO(arena) a = arena_new();
    struct action t = {
        .config = c, .owner = owner, .session = session, .message = message, .from = from, .entry = entry};
    struct parts p;
    enum rc rc = read_parts(s, a, &t, &p, e);
    if (rc == RC_OK && p.n > 1)
        rc = mass_index_steps(&(struct mass){.store = s}, part_tx, &p, &p.more, e);
    if (rc == RC_OK)
        rc = helper_write(s, c->server.data_dir, message_tx, &t, e);
    if (rc != RC_OK && p.done)
        undo_parts(s, &p);
    return rc;
}

/* ---- out of it ---- */

static enum rc gone(enum rc rc, struct err *e)
{
    return rc == RC_NOT_FOUND ? err_say(e, RC_GONE, "trash.gone") : rc;
}

enum rc trash_restored_jobs(
    struct db *db, const struct config *c, int64_t owner, int64_t session_id, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct session s;
    struct compaction_request compaction;
    struct summary_request *asked;
    size_t n = 0;
    enum rc rc = store_session_by_id(db, a, owner, session_id, &s, e);
    if (rc == RC_OK && !s.named && s.message_count > 1)
        rc = store_job_add(db, JOB_TITLE, owner, session_id, now, now, e);
    if (rc == RC_OK)
        rc = store_summary_requests(db, a, owner, session_id, &asked, &n, e);
    if (rc == RC_OK && n)
        rc = store_job_add_wanted(db, JOB_SUMMARISE, owner, session_id, now, now, e);
    if (rc == RC_OK && s.compacting &&
        (rc = store_compaction_request_get(db, a, owner, session_id, &compaction, e)) == RC_OK)
        rc = store_job_add_wanted(db, JOB_COMPACT, owner, session_id, now, now, e);
    return rc == RC_OK ? summary_plan(db, c, owner, session_id, now, e) : rc;
}

static enum rc restore_one(
    struct db *db, const struct action *t, const char *entry, struct trash_restored *out, struct err *e)
{
    AUTO(arena) a = arena_new();
    enum rc rc = store_trash_restore(db, t->owner, entry, out, e);
    if (rc == RC_OK)
        rc = trash_restored_jobs(db, t->config, t->owner, out->session_id, t->from->now, e);
    if (rc != RC_OK)
        return rc;
    const char *detail =
        out->message_id ? arena_printf(a, "%s %lld", out->pub, (long long)out->message_id) : out->pub;
    return auth_audit(
        db, t->from, t->owner, out->message_id ? "message_restored" : "session_restored", detail, e);
}

static enum rc restore_tx(struct db *db, void *arg, struct err *e)
{
    const struct action *t = arg;
    AUTO(arena) a = arena_new();
    struct session s;
    enum rc rc = restore_one(db, t, t->session, t->restored, e);
    if (rc != RC_NOT_FOUND || store_session_get(db, a, t->owner, t->session, &s, NULL) != RC_OK)
        return gone(rc, e);
    *t->restored = (struct trash_restored){.session_id = s.id}; /* another device was faster */
    memcpy(t->restored->pub, s.pub, ID_SIZE);
    return RC_OK;
}

struct trash_step {
    int64_t owner;
    const char *entry; /* NULL: all */
    bool more;
};

static enum rc return_step_tx(struct db *db, void *arg, struct err *e)
{
    struct trash_step *t = arg;
    return store_trash_return_step(db, t->owner, t->entry, &t->more, e);
}

/* A long entry comes back in steps, so that no transaction is long. What goes wrong here, such as another
 * device that was faster, is seen again by the transaction that restores the entry. */
static void return_long(struct store *s, int64_t owner, const char *entry)
{
    struct trash_step t = {.owner = owner, .entry = entry};
    (void)mass_index_steps(&(struct mass){.store = s}, return_step_tx, &t, &t.more, NULL);
}

enum rc trash_restore(struct store *s, const struct config *c, int64_t owner, const char *entry,
    const struct auth_client *from, struct trash_restored *out, struct err *e)
{
    return_long(s, owner, entry);
    struct action t = {.config = c, .owner = owner, .session = entry, .from = from, .restored = out};
    return helper_write(s, c->server.data_dir, restore_tx, &t, e);
}

enum rc trash_restore_broken(struct store *s, const struct config *c, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct auth_client from = {.address = "", .agent = "", .now = clock_wall_ms()};
    struct trash_restored back;
    struct trash_broken *list;
    size_t n = 0;
    struct db *db = store_read(s);
    enum rc rc = store_trash_broken_before(db, a, from.now - TRASH_BROKEN_MS, &list, &n, e);
    store_read_done(s, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        rc = trash_restore(s, c, list[i].owner, list[i].pub, &from, &back, e);
        rc = rc == RC_GONE ? RC_OK : rc;
    }
    if (n)
        log_info("%zu deletions of messages that were broken off are undone", n);
    return rc;
}

static const struct trash_query newest = {.limit = RESTORED_AT_ONCE};

/* One entry at least, and then as many as have TRASH_STEP messages together. Restoring an entry can restore
 * others, too. So the number is the difference of two counts, and an entry that is not found is no failure.
 */
static enum rc restore_some_tx(struct db *db, void *arg, struct err *e)
{
    struct action *t = arg;
    AUTO(arena) a = arena_new();
    struct trash_entry *list;
    size_t n = 0;
    int64_t before = 0, after = 0, messages = 0;
    enum rc rc = store_trash_count(db, t->owner, &before, e);
    if (rc == RC_OK)
        rc = store_trash_list(db, a, t->owner, &newest, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct trash_restored out;
        messages += list[i].messages;
        if (i && messages > TRASH_STEP)
            break;
        rc = restore_one(db, t, list[i].pub, &out, e);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    if (rc == RC_OK)
        rc = store_trash_count(db, t->owner, &after, e);
    t->n = before - after;
    return rc;
}

/* The long ones of the entries that the next transaction restores. */
static enum rc index_next(struct store *s, int64_t owner, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct trash_entry *list;
    size_t n = 0;
    struct db *db = store_read(s);
    enum rc rc = store_trash_list(db, a, owner, &newest, &list, &n, e);
    store_read_done(s, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        if (list[i].messages > TRASH_STEP)
            return_long(s, owner, list[i].pub);
    return rc;
}

enum rc trash_restore_all(struct store *s, const struct config *c, int64_t owner,
    const struct auth_client *from, int64_t *n, struct err *e)
{
    struct action t = {.config = c, .owner = owner, .from = from};
    enum rc rc;
    *n = 0;
    do {
        if ((rc = index_next(s, owner, e)) != RC_OK)
            return rc;
        rc = helper_write(s, c->server.data_dir, restore_some_tx, &t, e);
        *n += rc == RC_OK ? t.n : 0;
    } while (rc == RC_OK && t.n);
    return rc;
}

/* ---- erasing ---- */

static enum rc erase_tx(struct db *db, void *arg, struct err *e)
{
    const struct action *t = arg;
    enum rc rc = gone(store_trash_erase(db, t->owner, t->session, e), e);
    if (rc != RC_OK)
        return rc;
    return auth_audit(db, t->from, t->owner, t->session ? "trash_erased" : "trash_emptied",
        t->session ? t->session : "", e);
}

static enum rc erase_step_tx(struct db *db, void *arg, struct err *e)
{
    struct trash_step *t = arg;
    return store_trash_erase_some(db, t->owner, &t->more, e);
}

enum rc trash_erase(struct store *s, const struct config *c, int64_t owner, const char *entry,
    const struct auth_client *from, struct err *e)
{
    struct action t = {.owner = owner, .session = entry, .from = from};
    struct trash_step all = {.owner = owner};
    enum rc rc = RC_OK;
    if (!entry)
        rc = mass_steps(&(struct mass){.store = s}, erase_step_tx, &all, &all.more, e);
    return rc == RC_OK ? helper_write(s, c->server.data_dir, erase_tx, &t, e) : rc;
}

enum rc trash_purge_tx(struct db *db, void *more, struct err *e)
{
    int64_t until = clock_mono_ms() + MASS_STEP_MS;
    bool *again = more;
    enum rc rc;
    do
        rc = store_trash_purge(db, 0, again, e);
    while (rc == RC_OK && *again && clock_mono_ms() < until);
    return rc;
}
