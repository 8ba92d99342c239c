#include "web/trash/trash_routes.h"

#include "app/trash/trash.h"
#include "base/humanize.h"
#include "codec/url.h"
#include "store/session/session.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"
#include "web/session/session_resource.h"
#include "web/trash/trash_resource.h"

#define TRASH_ROWS 50 /* of a list without F_LIMIT */

struct trash_rows {
    struct trash_entry *rows;
    size_t n;
    const char *next; /* NULL: no more */
};

static enum rc read_trash(const struct req *r, struct trash_rows *out, struct err *e)
{
    int limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : TRASH_ROWS;
    struct trash_query q = {.words = req_str(r, F_Q), .limit = limit + 1};
    *out = (struct trash_rows){0};
    if (req_has(r, F_AFTER) && !trash_key_parse(req_str(r, F_AFTER), &q.after))
        return err_say(e, RC_BAD_INPUT, "form.bad_after");
    struct db *db = store_read(r->web->store);
    enum rc rc = store_trash_list(db, r->arena, r->who.user_id, &q, &out->rows, &out->n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK || out->n <= (size_t)limit)
        return rc;
    out->n = (size_t)limit; /* the extra row only shows that there are more */
    out->next = trash_key_text(r->arena, &out->rows[out->n - 1]);
    return RC_OK;
}

/* ---- the page ---- */

static enum rc page_trash(struct req *r, struct resp *out, struct err *e)
{
    struct trash_rows l;
    struct view *v;
    enum rc rc = read_trash(r, &l, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "trash.title"), AT_TRASH, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    const struct locale locale = req_locale(r);
    view_bool(v, "any", l.n > 0);
    view_bool(v, "later_page", req_has(r, F_AFTER));
    view_text(v, "lead", lang_count(r->arena, r->lang, "trash.lead", r->web->config->trash.days, NULL));
    view_text(v, "q", req_str(r, F_Q).len ? req_text(r, F_Q) : NULL);
    view_bool(v, "searchable", l.n > 0 || req_str(r, F_Q).len);
    view_text(v, "next_url",
        l.next ? URL_WITH(r->arena, "/trash", {field_name(F_Q), req_str(r, F_Q)},
                     {field_name(F_AFTER), str_of(l.next)})
               : NULL);
    struct view *list = view_list(v, "entries");
    for (size_t i = 0; i < l.n; i++)
        trash_view(r->arena, view_item(list), r->web->config, &locale, &l.rows[i]);
    return resp_page(r, out, 200, "trash", v, e);
}

/* Redirects to the restored session or message, unless F_BACK names a page. */
static enum rc page_restore(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct trash_restored back;
    enum rc rc =
        trash_restore(r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION), &from, &back, e);
    if (rc != RC_OK)
        return rc;
    if (req_has(r, F_BACK))
        return page_restored(r, out, page_local_path(r, F_BACK, "/trash"), back.pub, back.message_id);
    if (!back.message_id)
        return page_done(out, session_url(r->arena, back.pub), "restored");
    long long id = (long long)back.message_id;
    resp_redirect(out, "/s/%s?at=%lld&done=message_restored#m-%lld", back.pub, id, id);
    return RC_OK;
}

static enum rc page_restore_all(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    int64_t n;
    enum rc rc = trash_restore_all(r->web->store, r->web->config, r->who.user_id, &from, &n, e);
    return rc == RC_OK ? page_done(out, "/trash", "all_restored") : rc;
}

static enum rc page_erase_ask(struct req *r, struct resp *out, struct err *e)
{
    struct trash_entry t;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_trash_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), &t, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? err_say(e, RC_GONE, "trash.gone") : rc;
    const char *words = t.message_id ? t.words : session_title(r->lang, t.title);
    if (!words || !str_trim(str_of(words)).len)
        words = lang_text(r->lang, "trash.no_words");
    struct page_question q = {.title = lang_fill(r->arena, r->lang, "trash.erase_title",
                                  LANG_ARGS({"name", humanize_isolated(r->arena, words)})),
        .text = lang_text(r->lang, "trash.erase_text"),
        .yes = lang_text(r->lang, "trash.erase"),
        .action = arena_printf(r->arena, "/trash/%s/erase", t.pub),
        .cancel_url = "/trash"};
    return page_question(r, out, &q, NULL, e);
}

static enum rc page_erase(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = trash_erase(r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION), &from, e);
    return rc == RC_OK ? page_done(out, page_list_path(r, "/trash"), "erased") : rc;
}

static enum rc page_empty_ask(struct req *r, struct resp *out, struct err *e)
{
    int64_t n = 0;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_trash_count(db, r->who.user_id, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct page_question q = {.title = lang_text(r->lang, "trash.empty_title"),
        .text = lang_count(r->arena, r->lang, "trash.empty_text", n, NULL),
        .yes = lang_text(r->lang, "trash.empty"),
        .action = "/trash/empty",
        .cancel_url = "/trash"};
    return page_question(r, out, &q, NULL, e);
}

static enum rc page_empty(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = trash_erase(r->web->store, r->web->config, r->who.user_id, NULL, &from, e);
    return rc == RC_OK ? page_done(out, "/trash", "emptied") : rc;
}

/* ---- the API ---- */

static enum rc api_trash(struct req *r, struct resp *out, struct err *e)
{
    struct trash_rows l;
    enum rc rc = read_trash(r, &l, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "trash");
    for (size_t i = 0; i < l.n; i++)
        trash_resource(r->arena, view_item(list), r->web->config, &l.rows[i]);
    view_text(v, "next", l.next);
    return resp_json(out, 200, v, e);
}

static enum rc api_restore(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct trash_restored back;
    struct session s;
    enum rc rc =
        trash_restore(r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION), &from, &back, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(r->web->store);
    rc = store_session_get(db, r->arena, r->who.user_id, back.pub, &s, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &s);
    view_id(r->arena, v, "message", back.message_id);
    return resp_json(out, 200, v, e);
}

static enum rc api_restore_all(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    int64_t n;
    enum rc rc = trash_restore_all(r->web->store, r->web->config, r->who.user_id, &from, &n, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_int(v, "restored", n);
    return resp_json(out, 200, v, e);
}

static enum rc api_erase(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = trash_erase(r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION), &from, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

static enum rc api_empty(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = trash_erase(r->web->store, r->web->config, r->who.user_id, NULL, &from, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

static const struct field_rule page_list_fields[] = {
    {.field = F_Q, .type = FIELD_LINE, .max = TRASH_QUERY_MAX},
    {.field = F_AFTER, .type = FIELD_LINE, .max = TRASH_KEY_CHARS_MAX},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule api_list_fields[] = {
    {.field = F_Q, .type = FIELD_LINE, .max = TRASH_QUERY_MAX},
    {.field = F_AFTER, .type = FIELD_LINE, .max = TRASH_KEY_CHARS_MAX},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = TRASH_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule entry_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/trash",                       page_trash,       PAGE_READ(ACCESS_MEMBER),   page_list_fields},
    {HTTP_POST,   "/trash/restore",               page_restore_all, PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_GET,    "/trash/empty",                 page_empty_ask,   PAGE_READ(ACCESS_MEMBER),   no_fields},
    {HTTP_POST,   "/trash/empty",                 page_empty,       PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_POST,   "/trash/{session}/restore",     page_restore,     PAGE_CHANGE(ACCESS_MEMBER), entry_fields},
    {HTTP_GET,    "/trash/{session}/erase",       page_erase_ask,   PAGE_READ(ACCESS_MEMBER),   session_fields},
    {HTTP_POST,   "/trash/{session}/erase",       page_erase,       PAGE_CHANGE(ACCESS_MEMBER), entry_fields},

    {HTTP_GET,    "/api/trash",                   api_trash,        API_READ(ACCESS_MEMBER, SCOPE_READ),     api_list_fields},
    {HTTP_DELETE, "/api/trash",                   api_empty,        API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  no_fields},
    {HTTP_POST,   "/api/trash/restore",           api_restore_all,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  no_fields},
    {HTTP_POST,   "/api/trash/{session}/restore", api_restore,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_fields},
    {HTTP_DELETE, "/api/trash/{session}",         api_erase,        API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_fields},
};
/* clang-format on */

const struct route_table trash_routes = {routes, ARRAY_LEN(routes)};
