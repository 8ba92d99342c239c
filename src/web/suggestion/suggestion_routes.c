/* The forms of suggestions are below answers, above the message box, on the memory page and on the to-do
 * page. */
#include "web/suggestion/suggestion_routes.h"

#include "app/config/config.h"
#include "app/jobs/helper_notify.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/suggestion/suggestion_view.h"

/* ---- pages ---- */

/* The notice on a list's page after an action: a word of notices[] in pages.c. */
static const char *notice_of(const struct suggestion *s)
{
    static const struct {
        const char *kind, *word;
    } words[] = {{SUGGESTION_REMEMBER, "memory_added"}, {SUGGESTION_ADD_TASK, "task_added"},
        {SUGGESTION_COMPLETE_TASK, "task_done"}};
    if (s->state == SUGGESTION_DISMISSED)
        return "suggestion_dismissed";
    if (strcmp(s->kind, SUGGESTION_REMEMBER) == 0 && !s->subject)
        return "memory_known";
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i].kind, s->kind) == 0)
            return words[i].word;
    return "suggestion_done";
}

/* Redirects to the list, or to the chat: to the answer that shows the suggestion, or for a question, which
 * is above the message box, to the end of the conversation. */
static void go_back(struct req *r, struct resp *out, const struct suggestion *s)
{
    long long shown = (long long)s->message_id;
    if (req_has(r, F_BACK))
        page_done(out, page_local_path(r, F_BACK, "/memory"), notice_of(s));
    else if (!s->session || !shown)
        page_done(out, "/memory", notice_of(s));
    else if (suggestion_asks(s))
        resp_redirect(out, "/s/%s?suggestion=%lld#questions", s->session, (long long)s->id);
    else
        resp_redirect(out, "/s/%s?at=%lld#m-%lld", s->session, shown, shown);
}

static enum rc decide_on_page(struct req *r, struct resp *out, enum suggestion_verdict verdict, struct err *e)
{
    struct suggestion_decision d = {
        .owner = r->who.user_id, .id = req_int(r, F_SUGGESTION), .verdict = verdict, .now = r->now};
    struct suggestion s;
    enum rc rc = suggestion_decide(r->web->store, r->arena, &d, &s, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(r->web->config->server.data_dir); /* the fact's vector is made */
    go_back(r, out, &s);
    return RC_OK;
}

static enum rc page_suggestion_keep(struct req *r, struct resp *out, struct err *e)
{
    return decide_on_page(r, out, SUGGESTION_KEEP, e);
}

static enum rc page_suggestion_dismiss(struct req *r, struct resp *out, struct err *e)
{
    return decide_on_page(r, out, SUGGESTION_DISMISS, e);
}

static enum rc page_suggestion_undo(struct req *r, struct resp *out, struct err *e)
{
    return decide_on_page(r, out, SUGGESTION_UNDO, e);
}

static enum rc page_suggestions_keep(struct req *r, struct resp *out, struct err *e)
{
    size_t kept;
    enum rc rc = suggestion_keep_facts(r->web->store, r->who.user_id, req_int(r, F_TO), r->now, &kept, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(r->web->config->server.data_dir);
    return page_done(out, "/memory", "suggestions_kept");
}

/* ---- the API ---- */

static enum rc api_suggestions(struct req *r, struct resp *out, struct err *e)
{
    const char *kinds[] = {req_text(r, F_KIND), NULL};
    struct suggestions all;
    enum rc rc = suggestions_open(r, req_str(r, F_KIND).len ? kinds : NULL, &all, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "suggestions");
    for (size_t i = 0; i < all.n; i++)
        suggestion_resource(r->arena, r->lang, view_item(list), &all, i);
    return resp_json(out, 200, v, e);
}

static enum rc look(struct req *r, struct suggestion *s, struct suggestions *out, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = suggestions_look(db, r->arena, r->who.user_id, s, 1, r->now, out, e);
    store_read_done(r->web->store, db);
    return rc;
}

static enum rc decide(struct req *r, struct resp *out, enum suggestion_verdict verdict, struct err *e)
{
    struct suggestion_decision d = {
        .owner = r->who.user_id, .id = req_int(r, F_SUGGESTION), .verdict = verdict, .now = r->now};
    struct suggestion s;
    struct suggestions shown;
    enum rc rc = suggestion_decide(r->web->store, r->arena, &d, &s, e);
    if (rc == RC_OK)
        rc = look(r, &s, &shown, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(r->web->config->server.data_dir); /* the fact's vector is made */
    struct view *v = view_new(r->arena);
    suggestion_resource(r->arena, r->lang, view_obj(v, "suggestion"), &shown, 0);
    return resp_json(out, 200, v, e);
}

static enum rc api_suggestion_keep(struct req *r, struct resp *out, struct err *e)
{
    return decide(r, out, SUGGESTION_KEEP, e);
}

static enum rc api_suggestion_dismiss(struct req *r, struct resp *out, struct err *e)
{
    return decide(r, out, SUGGESTION_DISMISS, e);
}

static enum rc api_suggestion_undo(struct req *r, struct resp *out, struct err *e)
{
    return decide(r, out, SUGGESTION_UNDO, e);
}

static enum rc api_suggestions_keep(struct req *r, struct resp *out, struct err *e)
{
    size_t kept;
    struct view *v = view_new(r->arena);
    enum rc rc = suggestion_keep_facts(r->web->store, r->who.user_id, req_int(r, F_TO), r->now, &kept, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(r->web->config->server.data_dir);
    view_int(v, "kept", (int64_t)kept);
    return resp_json(out, 200, v, e);
}

/* ---- routes ---- */

static const struct field_rule page_fields[] = {
    {.field = F_SUGGESTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule api_fields[] = {
    {.field = F_SUGGESTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule list_fields[] = {
    {.field = F_KIND, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule keep_all_fields[] = {
    {.field = F_TO, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST, "/suggestions/keep",                     page_suggestions_keep,   PAGE_CHANGE(ACCESS_MEMBER), keep_all_fields},
    {HTTP_POST, "/suggestions/{suggestion}/keep",        page_suggestion_keep,    PAGE_CHANGE(ACCESS_MEMBER), page_fields},
    {HTTP_POST, "/suggestions/{suggestion}/dismiss",     page_suggestion_dismiss, PAGE_CHANGE(ACCESS_MEMBER), page_fields},
    {HTTP_POST, "/suggestions/{suggestion}/undo",        page_suggestion_undo,    PAGE_CHANGE(ACCESS_MEMBER), page_fields},

    {HTTP_GET,  "/api/suggestions",                      api_suggestions,         API_READ(ACCESS_MEMBER, SCOPE_READ),    list_fields},
    {HTTP_POST, "/api/suggestions/keep",                 api_suggestions_keep,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  keep_all_fields},
    {HTTP_POST, "/api/suggestions/{suggestion}/keep",    api_suggestion_keep,     API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  api_fields},
    {HTTP_POST, "/api/suggestions/{suggestion}/dismiss", api_suggestion_dismiss,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  api_fields},
    {HTTP_POST, "/api/suggestions/{suggestion}/undo",    api_suggestion_undo,     API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  api_fields},
};
/* clang-format on */

const struct route_table suggestion_routes = {routes, ARRAY_LEN(routes)};
