#include "app/jobs/helper_notify.h"
#include "web/http/resource.h"
#include "web/memory/memories.h"
#include "web/memory/memory_resource.h"
#include "web/memory/memory_routes.h"

enum rc api_memories(struct req *r, struct resp *out, struct err *e)
{
    struct memories l;
    enum rc rc = memories_read(r, &l, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "memories");
    for (size_t i = 0; i < l.n; i++)
        memory_resource(r->arena, view_item(list), &l.rows[i]);
    view_id(r->arena, v, "next", l.next);
    view_bool(v, "paused", l.paused);
    return resp_json(out, 200, v, e);
}

static enum rc answer(const struct req *r, struct resp *out, int status, const struct memory *m,
    const bool *merged, struct err *e)
{
    struct view *v = view_new(r->arena);
    helper_notify(r->web->config->server.data_dir); /* the fact's vector is made */
    memory_resource(r->arena, view_obj(v, "memory"), m);
    if (merged)
        view_bool(v, "known_before", *merged);
    return resp_json(out, status, v, e);
}

enum rc api_memory(struct req *r, struct resp *out, struct err *e)
{
    struct memory m;
    struct view *v = view_new(r->arena);
    struct db *db = store_read(r->web->store);
    enum rc rc = store_memory_get(db, r->arena, r->who.user_id, req_int(r, F_MEMORY), r->now, &m, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    memory_resource(r->arena, view_obj(v, "memory"), &m);
    return resp_json(out, 200, v, e);
}

enum rc api_memory_add(struct req *r, struct resp *out, struct err *e)
{
    struct memory_wish w = memory_wish_of(r, 0);
    struct memory m;
    bool merged;
    enum rc rc = memory_add(r->web->store, &w, r->arena, &m, &merged, e);
    return rc == RC_OK ? answer(r, out, merged ? 200 : 201, &m, &merged, e) : rc;
}

enum rc api_memory_change(struct req *r, struct resp *out, struct err *e)
{
    struct memory_wish w = memory_wish_of(r, req_int(r, F_MEMORY));
    struct memory m;
    if (!w.text.s && !w.tags.s && !w.sets_permanent)
        return err_say(e, RC_BAD_INPUT, "form.send_fact");
    enum rc rc = memory_change(r->web->store, &w, r->arena, &m, e);
    return rc == RC_OK ? answer(r, out, 200, &m, NULL, e) : rc;
}

enum rc api_memory_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = memory_delete(r->web->store, r->who.user_id, req_int(r, F_MEMORY), r->now, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}
