#include "web/session/session_routes.h"

#include "app/library/library.h"
#include "app/session/session_actions.h"
#include "app/session/tags.h"
#include "app/trash/trash.h"
#include "store/session/workspace.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/library/library_view.h"
#include "web/models/models_resource.h"
#include "web/page/pages.h"
#include "web/page/sidebar.h"
#include "web/page/views.h"
#include "web/session/session_list.h"
#include "web/session/session_resource.h"
#include "web/session/sessions_page.h"

static enum rc page_rename(struct req *r, struct resp *out, struct err *e)
{
    struct session_change change = {
        .title = req_text(r, F_TITLE), .workspace = req_text(r, F_WORKSPACE), .tags = req_text(r, F_TAGS)};
    if (change.workspace && !*change.title)
        change.title = NULL; /* the form always sends both; an empty title means unchanged */
    struct err why = ERR_INIT;
    enum rc rc = session_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, &why);
    return rc == RC_OK ? page_done(out, page_local_path(r, F_BACK, "/sessions"),
                             change.workspace ? "session_saved" : "renamed")
                       : page_again(r, out, page_sessions_edit, &why, e);
}

static enum rc page_move(struct req *r, struct resp *out, enum session_place place, struct err *e)
{
    static const char *const done[] = {[SESSION_PIN] = "pinned",
        [SESSION_UNPIN] = "unpinned",
        [SESSION_ARCHIVE] = "archived",
        [SESSION_UNARCHIVE] = "unarchived"};
    struct session_change change = {.place = place};
    enum rc rc = session_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    return rc == RC_OK ? page_done(out, page_local_path(r, F_BACK, "/sessions"), done[place]) : rc;
}

static enum rc page_pin(struct req *r, struct resp *out, struct err *e)
{
    return page_move(r, out, SESSION_PIN, e);
}

static enum rc page_unpin(struct req *r, struct resp *out, struct err *e)
{
    return page_move(r, out, SESSION_UNPIN, e);
}

static enum rc page_archive(struct req *r, struct resp *out, struct err *e)
{
    return page_move(r, out, SESSION_ARCHIVE, e);
}

static enum rc page_unarchive(struct req *r, struct resp *out, struct err *e)
{
    return page_move(r, out, SESSION_UNARCHIVE, e);
}

/* ---- how the model answers ---- */

static enum rc wanted_answers(const struct req *r, struct session_change *change, struct err *e)
{
    change->effort = req_text(r, F_EFFORT);
    change->sets_persona = req_has(r, F_PERSONA);
    change->persona_id = req_int(r, F_PERSONA);
    change->sets_answer_tokens = req_has(r, F_ANSWER_TOKENS);
    change->answer_tokens = req_int(r, F_ANSWER_TOKENS);
    change->sets_temperature = req_has(r, F_TEMPERATURE);
    return change->sets_temperature ? temperature_parse(req_str(r, F_TEMPERATURE), &change->temperature, e)
                                    : RC_OK;
}

static enum rc show_answers(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct session s;
    struct view *v;
    enum rc rc = session_of_path(r, &s, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "script_later.answers"), AT_NONE, s.id, &v, e);
    if (rc == RC_OK)
        rc = personas_view(r, v, s.persona_id, e);
    if (rc != RC_OK)
        return rc;
    const struct provider_choice *c =
        s.provider ? providers_by_name(r->web->providers, s.provider, s.model) : NULL;
    if (!c)
        c = usual_choice(r);
    struct view *session = view_obj(v, "session");
    view_text(session, "id", s.pub);
    view_text(session, "title", session_title(r->lang, s.title));
    view_text(session, "url", session_url(r->arena, s.pub));
    model_choices_view(r, v, c, s.effort);
    view_bool(v, "takes_effort", c->effort);
    view_bool(v, "takes_temperature", c->temperature);
    view_text(v, "temperature", temperature_text(r->arena, s.temperature));
    view_text(v, "answer_tokens",
        s.answer_tokens ? arena_printf(r->arena, "%lld", (long long)s.answer_tokens) : NULL);
    return why ? page_problem(r, out, "answers", v, why, e) : resp_page(r, out, 200, "answers", v, e);
}

static enum rc page_answers(struct req *r, struct resp *out, struct err *e)
{
    return show_answers(r, out, NULL, e);
}

/* An empty number in the form is absent, and then means that none is set. */
static enum rc page_answers_save(struct req *r, struct resp *out, struct err *e)
{
    struct session_change change = {0};
    struct err why = ERR_INIT;
    const char *session = req_text(r, F_SESSION);
    enum rc rc = wanted_answers(r, &change, &why);
    change.sets_answer_tokens = true;
    if (rc == RC_OK)
        rc = session_change(r->web->store, r->who.user_id, session, &change, &why);
    return rc == RC_OK ? page_done(out, session_url(r->arena, session), "answers_saved")
                       : page_again(r, out, show_answers, &why, e);
}

/* ---- keeping a temporary chat ---- */

static enum rc page_keep(struct req *r, struct resp *out, struct err *e)
{
    struct session_change change = {.keeps = r->web->config};
    enum rc rc = session_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    return rc == RC_OK ? page_done(out, session_url(r->arena, req_text(r, F_SESSION)), "kept") : rc;
}

/* ---- deleting ---- */

/* `erased_at` 0: it cannot be restored. A temporary chat is erased at once. */
static enum rc delete_session(struct req *r, int64_t *erased_at, struct err *e)
{
    struct auth_client from = req_client(r);
    const char *session = req_text(r, F_SESSION);
    struct trash_entry gone;
    enum rc rc = trash_session(r->web->store, r->web->config, r->who.user_id, session, &from, e);
    *erased_at = 0;
    if (rc != RC_OK || !r->web->config->trash.days)
        return rc;
    struct db *db = store_read(r->web->store);
    if (store_trash_get(db, r->arena, r->who.user_id, session, &gone, NULL) == RC_OK)
        *erased_at = trash_erased_at(r->web->config, &gone);
    store_read_done(r->web->store, db);
    return RC_OK;
}

static enum rc page_delete(struct req *r, struct resp *out, struct err *e)
{
    const char *back = page_local_path(r, F_BACK, "/sessions");
    int64_t erased_at;
    enum rc rc = delete_session(r, &erased_at, e);
    if (rc != RC_OK)
        return rc;
    return erased_at ? page_deleted(r, out, back, "deleted", req_text(r, F_SESSION))
                     : page_done(out, back, "erased");
}

/* ---- the API ---- */

static enum rc api_sessions(struct req *r, struct resp *out, struct err *e)
{
    struct session_list l;
    enum rc rc = session_list_read(r, SESSION_LIST_API, &l, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "sessions");
    for (size_t i = 0; i < l.n; i++)
        session_resource(r->arena, r->lang, view_item(list), &l.rows[i]);
    view_text(v, "next", l.next);
    view_text(v, "newer", l.newer);
    struct view *workspaces = view_list(v, "workspaces");
    for (size_t i = 0; i < l.workspaces_n; i++)
        view_item_text(workspaces, l.workspaces[i]);
    return resp_json(out, 200, v, e);
}

static enum rc api_session_change(struct req *r, struct resp *out, struct err *e)
{
    struct session_change change = {.title = req_text(r, F_TITLE),
        .workspace = req_text(r, F_WORKSPACE),
        .tags = req_text(r, F_TAGS),
        .tag = req_text(r, F_TAG),
        .without_tag = req_text(r, F_WITHOUT_TAG)};
    enum rc rc = wanted_answers(r, &change, e);
    if (rc != RC_OK)
        return rc;
    if (!change.effort && !change.sets_persona && !change.sets_temperature && !change.sets_answer_tokens &&
        !req_has(r, F_TITLE) && !req_has(r, F_CHOICE) && !req_has(r, F_WORKSPACE) &&
        !req_has(r, F_ARCHIVED) && !change.tags && !change.tag && !change.without_tag &&
        !req_has(r, F_TEMPORARY))
        return err_say(e, RC_BAD_INPUT, "form.send_session");
    if (req_has(r, F_ARCHIVED))
        change.place = req_int(r, F_ARCHIVED) ? SESSION_ARCHIVE : SESSION_UNARCHIVE;
    if (req_has(r, F_CHOICE) && !(change.choice = providers_find(r->web->providers, req_text(r, F_CHOICE))))
        return err_say(e, RC_BAD_INPUT, "chat.no_such_model");
    if (req_int(r, F_TEMPORARY))
        return err_say(e, RC_BAD_INPUT, "chat.temporary_from_start");
    if (req_has(r, F_TEMPORARY))
        change.keeps = r->web->config;
    rc = session_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    return rc == RC_OK ? session_answer(r, out, 200, e) : rc;
}

static enum rc api_move(struct req *r, struct resp *out, enum session_place place, struct err *e)
{
    struct session_change change = {.place = place};
    enum rc rc = session_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    return rc == RC_OK ? session_answer(r, out, 200, e) : rc;
}

static enum rc api_session_pin(struct req *r, struct resp *out, struct err *e)
{
    return api_move(r, out, SESSION_PIN, e);
}

static enum rc api_session_unpin(struct req *r, struct resp *out, struct err *e)
{
    return api_move(r, out, SESSION_UNPIN, e);
}

static enum rc api_session_delete(struct req *r, struct resp *out, struct err *e)
{
    int64_t erased_at;
    enum rc rc = delete_session(r, &erased_at, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_at(v, "erased_at", erased_at);
    return resp_json(out, 200, v, e);
}

static enum rc api_session_head(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = session_set_head(
        r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION), req_int(r, F_MESSAGE), e);
    return rc == RC_OK ? session_answer(r, out, 200, e) : rc;
}

static enum rc api_session_seen(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = session_seen(r->web->store, r->who.user_id, req_text(r, F_SESSION), r->now, e);
    return rc == RC_OK ? session_answer(r, out, 200, e) : rc;
}

/* ---- the sidebar, for its script ---- */

static enum rc script_sidebar(struct req *r, struct resp *out, struct err *e)
{
    struct sidebar_part part = {.limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : SIDEBAR_SESSIONS};
    struct session current;
    struct str html;
    enum rc rc = RC_OK;
    if (req_has(r, F_AFTER) && !session_key_parse(req_str(r, F_AFTER), &part.after))
        return err_say(e, RC_BAD_INPUT, "form.bad_after");
    if (req_has(r, F_SESSION)) {
        struct db *db = store_read(r->web->store);
        rc = store_session_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), &current, e);
        store_read_done(r->web->store, db);
        part.current = rc == RC_OK ? current.id : 0;
        /* another page moved the session to the trash; the list of the others is still needed */
        if (rc == RC_NOT_FOUND) {
            *e = err_none();
            rc = RC_OK;
        }
    }
    if (rc == RC_OK)
        rc = sidebar_html(r, &part, &html, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_html(v, "html", (struct markup){html});
    return resp_json(out, 200, v, e);
}

/* ---- routes ---- */

#define ANSWER_TOKENS_MAX 1000000
#define ANSWERS                                                                         \
    {.field = F_EFFORT, .type = FIELD_LINE},                                            \
        {.field = F_PERSONA, .type = FIELD_ID_OR_NONE, .min = 0, .max = INT64_MAX},     \
        {.field = F_TEMPERATURE, .type = FIELD_LINE},                                   \
    {                                                                                   \
        .field = F_ANSWER_TOKENS, .type = FIELD_INT, .min = 0, .max = ANSWER_TOKENS_MAX \
    }

#define LIST_FILTER                                                                                          \
    {.field = F_Q, .type = FIELD_LINE, .max = SESSION_LIST_Q_MAX}, {.field = F_SHOW, .type = FIELD_LINE},    \
        {.field = F_SORT, .type = FIELD_LINE}, {.field = F_IS, .type = FIELD_LINE},                          \
        {.field = F_TAGS, .type = FIELD_LINE, .max = TAGS_TEXT_MAX}, {.field = F_MODEL, .type = FIELD_LINE}, \
    {                                                                                                        \
        .field = F_CHANNEL, .type = FIELD_LINE                                                               \
    }

static const struct field_rule page_list_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE},
    {.field = F_NEWER, .type = FIELD_LINE},
    LIST_FILTER,
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_EDIT, .type = FIELD_LINE},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = SESSION_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule rename_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_TITLE, .type = FIELD_LINE, .required = true, .max = SESSION_TITLE_CHARS_MAX},
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_TAGS, .type = FIELD_LINE, .max = TAGS_TEXT_MAX},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule answers_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    ANSWERS,
    {.field = F_NONE},
};

static const struct field_rule back_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule api_list_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE, .max = SESSION_KEY_CHARS_MAX},
    {.field = F_NEWER, .type = FIELD_LINE, .max = SESSION_KEY_CHARS_MAX},
    LIST_FILTER,
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = SESSION_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule change_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_TITLE, .type = FIELD_LINE, .max = SESSION_TITLE_CHARS_MAX},
    {.field = F_CHOICE, .type = FIELD_LINE},
    ANSWERS,
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_TAGS, .type = FIELD_LINE, .max = TAGS_TEXT_MAX},
    {.field = F_TAG, .type = FIELD_LINE},
    {.field = F_WITHOUT_TAG, .type = FIELD_LINE},
    {.field = F_ARCHIVED, .type = FIELD_BOOL},
    {.field = F_TEMPORARY, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule sidebar_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE, .max = SESSION_KEY_CHARS_MAX},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = SESSION_PAGE_MAX - 1},
    {.field = F_SESSION, .type = FIELD_ID_SESSION},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/sessions",                     page_sessions,      PAGE_READ(ACCESS_MEMBER),   page_list_fields},
    {HTTP_POST,   "/sessions/{session}/rename",    page_rename,        PAGE_CHANGE(ACCESS_MEMBER), rename_fields},
    {HTTP_POST,   "/sessions/{session}/pin",       page_pin,           PAGE_CHANGE(ACCESS_MEMBER), back_fields},
    {HTTP_POST,   "/sessions/{session}/unpin",     page_unpin,         PAGE_CHANGE(ACCESS_MEMBER), back_fields},
    {HTTP_POST,   "/sessions/{session}/archive",   page_archive,       PAGE_CHANGE(ACCESS_MEMBER), back_fields},
    {HTTP_POST,   "/sessions/{session}/unarchive", page_unarchive,     PAGE_CHANGE(ACCESS_MEMBER), back_fields},
    {HTTP_POST,   "/sessions/{session}/keep",      page_keep,          PAGE_CHANGE(ACCESS_MEMBER), session_fields},
    {HTTP_GET,    "/sessions/{session}/answers",   page_answers,       PAGE_READ(ACCESS_MEMBER),   session_fields},
    {HTTP_POST,   "/sessions/{session}/answers",   page_answers_save,  PAGE_CHANGE(ACCESS_MEMBER), answers_fields},
    {HTTP_POST,   "/sessions/{session}/delete",    page_delete,        PAGE_CHANGE(ACCESS_MEMBER), back_fields},

    {HTTP_GET,    "/api/sessions",                 api_sessions,       API_READ(ACCESS_MEMBER, SCOPE_READ),    api_list_fields},
    {HTTP_PATCH,  "/api/sessions/{session}",       api_session_change, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  change_fields},
    {HTTP_DELETE, "/api/sessions/{session}",       api_session_delete, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_fields},
    {HTTP_POST,   "/api/sessions/{session}/head",  api_session_head,   API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_message_fields},
    {HTTP_POST,   "/api/sessions/{session}/seen",  api_session_seen,   API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_fields},
    {HTTP_POST,   "/api/sessions/{session}/pin",   api_session_pin,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_fields},
    {HTTP_POST,   "/api/sessions/{session}/unpin", api_session_unpin,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_fields},

    {HTTP_GET,    "/page/sidebar",                 script_sidebar,     SCRIPT_READ(ACCESS_MEMBER), sidebar_fields},
};
/* clang-format on */

const struct route_table session_routes = {routes, ARRAY_LEN(routes)};
