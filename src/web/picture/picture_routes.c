#include "web/picture/picture_routes.h"

#include "app/picture/picture.h"
#include "web/http/web.h"
#include "web/picture/picture_resource.h"

static enum rc api_picture_add(struct req *r, struct resp *out, struct err *e)
{
    struct picture p;
    enum rc rc = picture_store(r->web->store, r->web->config, r->arena, r->who.user_id, r->body, &p, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    picture_resource(r->arena, view_obj(v, "picture"), &p);
    return resp_json(out, 201, v, e);
}

static enum rc picture_bytes(struct req *r, struct resp *out, struct err *e)
{
    struct picture p;
    struct str data;
    const char *id = req_text(r, F_PICTURE);
    bool unchanged = picture_is_kept(r, id);
    struct db *db = store_read(r->web->store);
    enum rc rc = store_picture_get(db, r->arena, r->who.user_id, id, &p, unchanged ? NULL : &data, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        picture_answer(out, id, p.media_type, unchanged ? NULL : &data);
    return rc;
}

static const struct field_rule picture_fields[] = {
    {.field = F_PICTURE, .type = FIELD_ID_PICTURE, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/pictures/{picture}",     picture_bytes,   PAGE_READ(ACCESS_MEMBER),               picture_fields},
    {HTTP_POST, "/api/pictures",           api_picture_add, API_PICTURE(ACCESS_MEMBER, SCOPE_CHAT), no_fields},
    {HTTP_GET,  "/api/pictures/{picture}", picture_bytes,   API_READ(ACCESS_MEMBER, SCOPE_READ),    picture_fields},
};
/* clang-format on */

const struct route_table picture_routes = {routes, ARRAY_LEN(routes)};
