#include "web/search/index_progress.h"

#include "app/jobs/helper_notify.h"
#include "store/indexing.h"
#include "store/job.h"
#include "web/http/web.h"
#include "web/page/humanize.h"

static const char waits[] = "The model that makes the search index is busy or does not answer. Search goes "
                            "on by words, and by what is "
                            "indexed already; Alfred asks it again by itself.";
static const char gave_up[] = "The search index could not be brought up to date. Search goes on by words, "
                              "and by what is indexed already; "
                              "it is tried again within the hour.";

/* Stays NULL: the newest job of this owner (0: the house) went well, or goes on. */
static enum rc find_stuck(const struct req *r, struct db *db, int64_t owner, const char **out, struct err *e)
{
    struct job j;
    enum rc rc = store_job_latest(db, r->arena, JOB_EMBED, owner, 0, &j, NULL);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return err_set(e, rc, "the jobs of the search index");
    if (rc == RC_OK && strcmp(j.state, "dead") == 0)
        *out = gave_up;
    else if (rc == RC_OK && j.error && strcmp(j.state, "done") != 0)
        *out = waits;
    return RC_OK;
}

static const char *progress_words(const struct req *r, const struct indexing *i)
{
    return arena_printf(
        r->arena, "Re-indexing: %s of %s", words_number(r->arena, i->done), words_number(r->arena, i->total));
}

enum rc progress_view(const struct req *r, struct view *v, int64_t owner, struct err *e)
{
    struct indexing i;
    const char *stuck = NULL;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_indexing(db, owner, &i, NULL);
    bool building = rc == RC_OK && i.done < i.total;
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        err_set(e, rc, "the progress of the search index");
    else
        rc = find_stuck(r, db, 0, &stuck, e); /* the model is not even known */
    if (rc == RC_OK && !stuck)
        rc = find_stuck(r, db, r->who.user_id, &stuck, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK || (!building && !stuck)) {
        view_null(v, "progress");
        return rc;
    }
    struct view *p = view_obj(v, "progress");
    view_text(p, "words", building ? progress_words(r, &i) : NULL);
    if (building) {
        view_int(p, "done", i.done);
        view_int(p, "total", i.total);
    } else {
        view_null(p, "done");
        view_null(p, "total");
    }
    view_text(p, "stuck", stuck);
    return RC_OK;
}
