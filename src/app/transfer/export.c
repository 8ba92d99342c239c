#include "app/transfer/export.h"

#include <unistd.h>

#include "app/transfer/export_private.h"
#include "base/clock.h"
#include "base/fs.h"
#include "store/transfer.h"

#define SESSIONS_AT_ONCE 50
#define MESSAGES_AT_ONCE 50

static enum rc messages(struct export *x, const struct session *s, struct err *e)
{
    int64_t after = 0;
    size_t n = MESSAGES_AT_ONCE;
    enum rc rc = RC_OK;
    while (rc == RC_OK && n == MESSAGES_AT_ONCE) {
        AUTO(arena) batch = arena_new();
        struct message *m;
        rc = store_export_messages(x->db, batch, x->owner, s->id, after, MESSAGES_AT_ONCE, &m, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            rc = export_message(x, s, &m[i], e);
        if (rc == RC_OK && n)
            after = m[n - 1].id;
    }
    return rc;
}

typedef enum rc part_fn(struct export *x, const struct session *s, struct err *e);
static part_fn *const parts[] = {
    export_session, messages, export_summaries, export_compactions, export_memories, export_tasks};

static enum rc all_of(struct export *x, int64_t id, struct err *e)
{
    struct session s;
    enum rc rc = store_session_by_id(x->db, x->a, x->owner, id, &s, NULL);
    if (rc == RC_NOT_FOUND)
        return RC_OK; /* deleted meanwhile */
    if (rc != RC_OK)
        return err_set(e, rc, "session %lld", (long long)id);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(parts); i++)
        rc = parts[i](x, &s, e);
    return rc;
}

/* Releases the connection between batches, so that a long export does not keep an old snapshot of the
 * database alive. */
static enum rc sessions(struct export *x, export_progress_fn *progress, void *arg, struct err *e)
{
    int64_t after = 0;
    size_t n = SESSIONS_AT_ONCE;
    enum rc rc = RC_OK;
    while (rc == RC_OK && n == SESSIONS_AT_ONCE) {
        AUTO(arena) batch = arena_new();
        int64_t *ids;
        x->a = batch;
        x->db = store_read(x->store);
        rc = store_export_sessions(x->db, batch, x->owner, after, SESSIONS_AT_ONCE, &ids, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++, x->done++)
            rc = all_of(x, after = ids[i], e);
        store_read_done(x->store, x->db);
        if (rc == RC_OK && progress)
            rc = progress(arg, x->done, x->total > x->done ? x->total : x->done, e);
    }
    return rc;
}

static enum rc write_all(struct export *x, export_progress_fn *progress, void *arg, struct err *e)
{
    AUTO(arena) own = arena_new();
    x->a = own;
    x->db = store_read(x->store);
    enum rc rc = export_header(x, e);
    if (rc == RC_OK)
        rc = export_personal(x, e);
    store_read_done(x->store, x->db);
    if (rc == RC_OK)
        rc = sessions(x, progress, arg, e);
    x->a = own;
    x->db = store_read(x->store);
    if (rc == RC_OK)
        rc = export_memories(x, NULL, e);
    if (rc == RC_OK)
        rc = export_tasks(x, NULL, e);
    store_read_done(x->store, x->db);
    return rc;
}

enum rc export_write(struct store *s, int64_t owner, int fd, const struct export_want *want,
    export_progress_fn *progress, void *arg, struct err *e)
{
    struct export_file out;
    struct export x = {.store = s,
        .owner = owner,
        .now = clock_wall_ms(),
        .reasoning = want->reasoning,
        .put = export_file_put,
        .put_arg = &out};
    enum rc rc = export_file_open(&out, fd, want->compress, e);
    if (rc != RC_OK)
        return rc;
    strbuf_init(&x.line, EXPORT_LINE_MAX);
    rc = write_all(&x, progress, arg, e);
    strbuf_release(&x.line);
    return export_file_close(&out, rc, e);
}
