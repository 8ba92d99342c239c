#include "web/search/index_progress.h"

#include "base/humanize.h"
#include "store/job.h"
#include "store/search/indexing.h"
#include "web/http/web.h"

/* Sets `*out` to a sentence when the newest job of this owner (0: of the system) failed; otherwise leaves
 * it. */
static enum rc find_stuck(const struct req *r, struct db *db, int64_t owner, const char **out, struct err *e)
{
    struct job j;
    enum rc rc = store_job_latest(db, r->arena, JOB_EMBED, owner, 0, &j, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    bool dead = rc == RC_OK && strcmp(j.state, "dead") == 0;
    const char *key = dead ? "search.index_gave_up" : "search.index_waits";
    if (dead || (rc == RC_OK && j.error && strcmp(j.state, "done") != 0))
        *out = lang_text(r->lang, key);
    return RC_OK;
}

/* Indexing that takes long or has stopped. */
struct progress {
    bool building; /* a new index; `indexed` has the progress */
    struct indexing indexed;
    const char *stuck; /* NULL: it continues */
};

static enum rc progress_read(const struct req *r, int64_t owner, struct progress *p, struct err *e)
{
    *p = (struct progress){0};
    struct db *db = store_read(r->web->store);
    enum rc rc = store_indexing(db, owner, &p->indexed, e);
    p->building = rc == RC_OK && p->indexed.done < p->indexed.total;
    if (rc == RC_OK || rc == RC_NOT_FOUND)
        rc = find_stuck(r, db, 0, &p->stuck, e); /* the model is not known yet */
    if (rc == RC_OK && !p->stuck)
        rc = find_stuck(r, db, r->who.user_id, &p->stuck, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* The object "progress", NULL when that is null. */
static struct view *view_progress(struct view *v, const struct progress *p)
{
    if (!p->building && !p->stuck) {
        view_null(v, "progress");
        return NULL;
    }
    struct view *o = view_obj(v, "progress");
    if (p->building) {
        view_int(o, "done", p->indexed.done);
        view_int(o, "total", p->indexed.total);
    } else {
        view_null(o, "done");
        view_null(o, "total");
    }
    view_text(o, "stuck", p->stuck);
    return o;
}

enum rc index_progress_resource(const struct req *r, struct view *v, int64_t owner, struct err *e)
{
    struct progress p;
    enum rc rc = progress_read(r, owner, &p, e);
    if (rc == RC_OK)
        view_progress(v, &p);
    return rc;
}

enum rc index_progress_text(const struct req *r, struct view *v, int64_t owner, struct err *e)
{
    struct progress p;
    struct arena *a = r->arena;
    enum rc rc = progress_read(r, owner, &p, e);
    struct view *o = rc == RC_OK ? view_progress(v, &p) : NULL;
    if (o)
        view_text(o, "words",
            p.building ? lang_fill(a, r->lang, "search.reindexing",
                             LANG_ARGS({"done", humanize_number(a, r->lang, p.indexed.done)},
                                 {"all", humanize_number(a, r->lang, p.indexed.total)}))
                       : NULL);
    return rc;
}
