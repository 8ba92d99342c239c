#include "web/session/tag_routes.h"

#include "app/session/tags.h"
#include "base/humanize.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/session/session_view.h"

static enum rc read_tags(const struct req *r, struct tag **out, size_t *n, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_tag_list_counted(db, r->arena, r->who.user_id, out, n, e);
    store_read_done(r->web->store, db);
    return rc;
}

static enum rc read_tag(const struct req *r, int64_t id, struct tag *out, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_tag_get(db, r->arena, r->who.user_id, id, out, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* ---- the page ---- */

static void view_colours(const struct req *r, struct view *v, int colour)
{
    struct view *list = view_list(v, "colours");
    for (int i = 0; i < TAG_COLOURS; i++) {
        struct view *item = view_item(list);
        view_int(item, "colour", i);
        view_text(item, "label",
            lang_text(
                r->lang, (const char *[]){"tag.colour_0", "tag.colour_1", "tag.colour_2", "tag.colour_3",
                             "tag.colour_4", "tag.colour_5", "tag.colour_6", "tag.colour_7"}[i]));
        view_bool(item, "chosen", i == colour);
    }
}

static void view_tag(const struct req *r, struct view *v, const struct tag *t)
{
    view_id(r->arena, v, "id", t->id);
    view_text(v, "name", t->name);
    view_int(v, "colour", t->colour);
    view_text(v, "url", tag_url(r->arena, t->name));
    view_text(v, "count_words", lang_count(r->arena, r->lang, "tag.sessions", t->sessions, NULL));
}

/* The fields of the forms. */
static void view_edited(const struct req *r, struct view *v, const struct tag *tags, size_t n, size_t at)
{
    view_bool(v, "edited", true);
    view_colours(r, v, tags[at].colour);
    view_bool(v, "any_others", n > 1);
    struct view *others = view_list(v, "others");
    for (size_t i = 0; i < n; i++) {
        if (i == at)
            continue;
        struct view *item = view_item(others);
        view_id(r->arena, item, "other", tags[i].id);
        view_text(item, "label", tags[i].name);
    }
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct tag *tags;
    struct view *v;
    size_t n;
    enum rc rc = read_tags(r, &tags, &n, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "tag.title"), AT_TAGS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    struct view *list = view_list(v, "tags");
    int64_t edited = req_int(r, r->method == HTTP_GET ? F_EDIT : F_ENTRY); /* or whose form was refused */
    for (size_t i = 0; i < n; i++) {
        struct view *item = view_item(list);
        view_tag(r, item, &tags[i]);
        if (tags[i].id == edited)
            view_edited(r, item, tags, n, i);
    }
    view_bool(v, "any", n > 0);
    return why ? page_problem(r, out, "tags", v, why, e) : resp_page(r, out, 200, "tags", v, e);
}

static enum rc page_tags(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static int colour_wanted(const struct req *r)
{
    return req_has(r, F_COLOUR) ? (int)req_int(r, F_COLOUR) : -1;
}

static enum rc change(const struct req *r, struct err *e)
{
    struct tag_change c = {.name = req_str(r, F_NAME), .colour = colour_wanted(r)};
    struct tag t;
    enum rc rc = read_tag(r, req_int(r, F_ENTRY), &t, e);
    return rc != RC_OK ? rc : tag_change(r->web->store, r->who.user_id, req_int(r, F_ENTRY), &c, e);
}

static enum rc page_tag_add(struct req *r, struct resp *out, struct err *e)
{
    int64_t id;
    struct err why = ERR_INIT;
    enum rc rc = tag_add(r->web->store, r->who.user_id, req_str(r, F_NAME), -1, r->now, &id, &why);
    return rc == RC_OK ? page_done(out, "/tags", "tag_added") : page_again(r, out, show, &why, e);
}

static enum rc page_tag_change(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = change(r, &why);
    return rc == RC_OK ? page_done(out, "/tags", "tag_saved") : page_again(r, out, show, &why, e);
}

static enum rc page_tag_merge(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tag_merge(r->web->store, r->who.user_id, req_int(r, F_ENTRY), req_int(r, F_TO), e);
    return rc == RC_OK ? page_done(out, "/tags", "tags_merged") : rc;
}

static enum rc ask_delete(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct tag t;
    enum rc rc = read_tag(r, req_int(r, F_ENTRY), &t, e);
    if (rc != RC_OK)
        return rc;
    struct page_question q = {
        .title = lang_fill(
            r->arena, r->lang, "tag.delete_title", LANG_ARGS({"name", humanize_isolated(r->arena, t.name)})),
        .text = lang_text(r->lang, "tag.delete_text"),
        .action = arena_printf(r->arena, "/tags/%lld/delete", (long long)t.id),
        .cancel_url = "/tags",
    };
    return page_question(r, out, &q, why, e);
}

static enum rc page_tag_delete_ask(struct req *r, struct resp *out, struct err *e)
{
    return ask_delete(r, out, NULL, e);
}

static enum rc page_tag_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tag_delete(r->web->store, r->who.user_id, req_int(r, F_ENTRY), e);
    return rc == RC_OK ? page_done(out, "/tags", "tag_deleted") : rc;
}

/* ---- the API ---- */

static void tag_resource(struct arena *a, struct view *v, const struct tag *t)
{
    view_id(a, v, "id", t->id);
    view_text(v, "name", t->name);
    view_int(v, "colour", t->colour);
    view_text(v, "url", tag_url(a, t->name));
}

static enum rc api_tags(struct req *r, struct resp *out, struct err *e)
{
    struct tag *tags;
    size_t n;
    enum rc rc = read_tags(r, &tags, &n, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "tags");
    for (size_t i = 0; i < n; i++) {
        struct view *item = view_item(list);
        tag_resource(r->arena, item, &tags[i]);
        view_int(item, "sessions", tags[i].sessions);
    }
    return resp_json(out, 200, v, e);
}

static enum rc answer(const struct req *r, struct resp *out, int status, int64_t id, struct err *e)
{
    struct tag t;
    enum rc rc = read_tag(r, id, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    tag_resource(r->arena, view_obj(v, "tag"), &t);
    return resp_json(out, status, v, e);
}

static enum rc api_tag_add(struct req *r, struct resp *out, struct err *e)
{
    int64_t id;
    enum rc rc = tag_add(r->web->store, r->who.user_id, req_str(r, F_NAME), colour_wanted(r), r->now, &id, e);
    return rc == RC_OK ? answer(r, out, 201, id, e) : rc;
}

static enum rc api_tag_change(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = change(r, e);
    return rc == RC_OK ? answer(r, out, 200, req_int(r, F_ENTRY), e) : rc;
}

static enum rc api_tag_merge(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tag_merge(r->web->store, r->who.user_id, req_int(r, F_ENTRY), req_int(r, F_TO), e);
    return rc == RC_OK ? answer(r, out, 200, req_int(r, F_TO), e) : rc;
}

static enum rc api_tag_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = tag_delete(r->web->store, r->who.user_id, req_int(r, F_ENTRY), e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

static const struct field_rule page_fields[] = {
    {.field = F_EDIT, .type = FIELD_ID_ROW},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule add_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_COLOUR, .type = FIELD_INT, .min = 0, .max = TAG_COLOURS - 1},
    {.field = F_NONE},
};

static const struct field_rule tag_fields[] = {
    {.field = F_ENTRY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule delete_fields[] = {
    {.field = F_ENTRY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule change_fields[] = {
    {.field = F_ENTRY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NAME, .type = FIELD_LINE},
    {.field = F_COLOUR, .type = FIELD_INT, .min = 0, .max = TAG_COLOURS - 1},
    {.field = F_NONE},
};

static const struct field_rule merge_fields[] = {
    {.field = F_ENTRY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TO, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/tags",                   page_tags,           PAGE_READ(ACCESS_MEMBER),               page_fields},
    {HTTP_POST,   "/tags",                   page_tag_add,        PAGE_CHANGE(ACCESS_MEMBER),             add_fields},
    {HTTP_POST,   "/tags/{entry}",           page_tag_change,     PAGE_CHANGE(ACCESS_MEMBER),             change_fields},
    {HTTP_POST,   "/tags/{entry}/merge",     page_tag_merge,      PAGE_CHANGE(ACCESS_MEMBER),             merge_fields},
    {HTTP_GET,    "/tags/{entry}/delete",    page_tag_delete_ask, PAGE_READ(ACCESS_MEMBER),               delete_fields},
    {HTTP_POST,   "/tags/{entry}/delete",    page_tag_delete,     PAGE_CHANGE(ACCESS_MEMBER),             delete_fields},

    {HTTP_GET,    "/api/tags",               api_tags,            API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_POST,   "/api/tags",               api_tag_add,         API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), add_fields},
    {HTTP_PATCH,  "/api/tags/{entry}",       api_tag_change,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), change_fields},
    {HTTP_DELETE, "/api/tags/{entry}",       api_tag_delete,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), tag_fields},
    {HTTP_POST,   "/api/tags/{entry}/merge", api_tag_merge,       API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), merge_fields},
};
/* clang-format on */

const struct route_table tag_routes = {routes, ARRAY_LEN(routes)};
