#include "store/session.h"
#include "web/api.h"
#include "web/search/search_resource.h"
#include "web/search/index_progress.h"
#include "web/search/search_results.h"

enum rc api_search(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = search_view(r, v, false, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

enum rc api_related(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct view *v = view_new(r->arena);
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), &s, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        rc = related_view(r, v, s.id, (int)req_int(r, F_LIMIT), e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

static enum rc answer_progress(struct req *r, struct resp *out, int64_t owner, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = progress_view(r, v, owner, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

enum rc api_search_progress(struct req *r, struct resp *out, struct err *e)
{
    return answer_progress(r, out, r->who.user_id, e);
}

enum rc api_jobs_progress(struct req *r, struct resp *out, struct err *e)
{
    return answer_progress(r, out, 0, e);
}
