#include "store/store.h"

#include "base/log.h"
#include "store/reader_pool.h"
#include "store/writer.h"

#define LATER_PAGES 4000 /* store_checkpoints_later(): 16 MB */

struct store {
    char *path;
    struct writer *writer;
    struct reader_pool *readers;
    struct log_repeat visits; /* failures of store_write_visit() */
};

/* ---- writing ---- */

enum rc store_write_within(struct store *s, int64_t wait_ms, store_fn *fn, void *arg, struct err *e)
{
    return writer_run(s->writer, DURABLE, wait_ms, fn, arg, e);
}

void store_write_visit(struct store *s, store_fn *fn, void *arg)
{
    struct err why = ERR_INIT;
    enum rc rc = store_write_within(s, STORE_WRITE_BRIEF_MS, fn, arg, &why);
    if (rc == RC_OK)
        log_repeat_end(&s->visits, "noting visits");
    else
        log_repeat(&s->visits, LOG_WARN, "noting a visit: %s", why.text);
}

enum rc store_write(struct store *s, store_fn *fn, void *arg, struct err *e)
{
    return writer_run(s->writer, DURABLE, STORE_WRITE_WAIT_MS, fn, arg, e);
}

enum rc store_write_lazy(struct store *s, store_fn *fn, void *arg, struct err *e)
{
    return writer_run(s->writer, LAZY, STORE_WRITE_WAIT_MS, fn, arg, e);
}

enum rc store_truncate_log(struct store *s, int64_t wait_ms, struct err *e)
{
    AUTO(db) db = NULL;
    enum rc rc = db_open(s->path, DB_READ_WRITE, &db, e);
    return rc == RC_OK ? db_truncate_log(db, wait_ms, e) : rc;
}

/* ---- reading ---- */

struct db *store_read(struct store *s)
{
    return reader_pool_take(s->readers);
}

struct db *store_read_state(struct store *s)
{
    struct db *db = store_read(s);
    struct err e = ERR_INIT;
    if (db_begin_reading(db, &e) != RC_OK)
        log_warn("each statement of a reader sees its own state: %s", e.text);
    return db;
}

void store_read_done(struct store *s, struct db *db)
{
    if (db_in_transaction(db))
        (void)db_commit(db, NULL); /* nothing was written */
    reader_pool_give(s->readers, db);
}

enum rc store_with_reader(struct store *s, store_fn *fn, void *arg, struct err *e)
{
    struct db *db = store_read(s);
    enum rc rc = fn(db, arg, e);
    store_read_done(s, db);
    return rc;
}

/* ---- open and close ---- */

static void close_all(struct store *s)
{
    reader_pool_free(s->readers);
    writer_free(s->writer);
    free_charp(&s->path);
    free_charp(&s);
}

enum rc store_open(const char *path, int readers, struct store **out, struct err *e)
{
    *out = NULL;
    struct store *s = xcalloc(1, sizeof *s);
    s->path = xstrdup(path);
    enum rc rc = writer_new(path, &s->writer, e);
    if (rc == RC_OK)
        rc = reader_pool_new(path, readers, &s->readers, e);
    if (rc != RC_OK) {
        close_all(s);
        return rc;
    }
    *out = s;
    return RC_OK;
}

void store_checkpoints_later(struct store *s)
{
    writer_checkpoint_at(s->writer, LATER_PAGES);
}

void store_stop(struct store *s)
{
    writer_stop(s->writer);
}

void store_free(struct store *s)
{
    if (!s)
        return;
    store_stop(s);
    close_all(s);
}
