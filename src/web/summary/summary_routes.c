#include "web/summary/summary_routes.h"

#include "app/session/session_actions.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/search/search_view.h"
#include "web/summary/summary_view.h"

#define SUMMARIES_LAST_MAX    1000 /* largest F_LAST, in messages */
#define SUMMARIES_VERSION_MAX INT64_C(0xFFFFFFFF)

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct summaries f;
    struct view *v;
    enum rc rc = summaries_read(r, &f, e);
    if (rc == RC_OK)
        rc = page_about(r, "chat.summary_of", &f.session, &v, e);
    if (rc == RC_OK)
        rc = related_view(r, v, f.session.id, 0, e);
    if (rc != RC_OK)
        return rc;
    summaries_view(r, v, &f);
    view_bool(v, "any_related", view_first(view_get(v, STR("related"))) != NULL);
    return why ? page_problem(r, out, "summary", v, why, e) : resp_page(r, out, 200, "summary", v, e);
}

static enum rc page_summary(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_summary_ask(struct req *r, struct resp *out, struct err *e)
{
    struct summary_range range = {.last = req_int(r, F_LAST)};
    const char *session = req_text(r, F_SESSION);
    struct err why = ERR_INIT;
    enum rc rc =
        session_summarise(r->web->store, r->web->config, r->who.user_id, session, &range, r->now, &why);
    return rc == RC_OK ? page_done(out, arena_printf(r->arena, "/s/%s/summary", session), "summary_asked")
                       : page_again(r, out, show, &why, e);
}

static enum rc answer(struct req *r, struct resp *out, int status, struct err *e)
{
    struct summaries f;
    enum rc rc = summaries_read(r, &f, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    summaries_resource(r, v, &f);
    return resp_json(out, status, v, e);
}

static enum rc api_summaries(struct req *r, struct resp *out, struct err *e)
{
    return answer(r, out, 200, e);
}

static enum rc api_summary_ask(struct req *r, struct resp *out, struct err *e)
{
    struct summary_range range = {
        .last = req_int(r, F_LAST), .from = req_int(r, F_FROM), .to = req_int(r, F_TO)};
    enum rc rc = session_summarise(
        r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION), &range, r->now, e);
    return rc == RC_OK ? answer(r, out, 202, e) : rc;
}

static const struct field_rule page_summary_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BEFORE, .type = FIELD_INT, .min = 1, .max = SUMMARIES_VERSION_MAX},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule api_summaries_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BEFORE, .type = FIELD_INT, .min = 1, .max = SUMMARIES_VERSION_MAX},
    {.field = F_NONE},
};

static const struct field_rule page_summary_ask_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_LAST, .type = FIELD_INT, .min = 0, .max = SUMMARIES_LAST_MAX},
    {.field = F_NONE},
};

static const struct field_rule api_summary_ask_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_LAST, .type = FIELD_INT, .min = 1, .max = SUMMARIES_LAST_MAX},
    {.field = F_FROM, .type = FIELD_ID_ROW},
    {.field = F_TO, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/s/{session}/summary",              page_summary,     PAGE_READ(ACCESS_MEMBER),   page_summary_fields},
    {HTTP_POST, "/sessions/{session}/summaries",     page_summary_ask, PAGE_CHANGE(ACCESS_MEMBER), page_summary_ask_fields},

    {HTTP_GET,  "/api/sessions/{session}/summaries", api_summaries,    API_READ(ACCESS_MEMBER, SCOPE_READ),    api_summaries_fields},
    {HTTP_POST, "/api/sessions/{session}/summaries", api_summary_ask,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  api_summary_ask_fields},
};
/* clang-format on */

const struct route_table summary_routes = {routes, ARRAY_LEN(routes)};
