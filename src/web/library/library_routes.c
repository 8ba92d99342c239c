/* Personas and prompts have the same handlers: the path selects one of them. */
#include "web/library/library_routes.h"

#include "store/session/session.h"
#include "web/http/web.h"
#include "web/library/library_view.h"
#include "web/models/models_resource.h"
#include "web/page/pages.h"

/* A text above LIBRARY_TEXT_CHARS_MAX is shown again in its form, with the error. Above this, its request is
 * refused. */
#define TEXT_CHARS_POSTED (4 * LIBRARY_TEXT_CHARS_MAX)

static enum library_kind kind_of(const struct req *r)
{
    return strstr(r->route->path, "/personas") ? LIBRARY_PERSONA : LIBRARY_PROMPT;
}

static const char *path_of(enum library_kind kind)
{
    return kind == LIBRARY_PERSONA ? "/personas" : "/prompts";
}

/* The sets of tools of a persona. A form has a checkbox for each; the API sends words. NULL: all. */
static const char *wanted_tools(const struct req *r)
{
    if (r->surface != SURFACE_PAGE)
        return req_text(r, F_TOOLS);
    bool memory = req_int(r, F_TOOLS_MEMORY), tasks = req_int(r, F_TOOLS_TASKS),
         sessions = req_int(r, F_TOOLS_SESSIONS), connected = req_int(r, F_TOOLS_CONNECTED);
    if (memory && tasks && sessions && connected)
        return NULL;
    return arena_printf(r->arena, "%s%s%s%s", memory ? "memory " : "", tasks ? "tasks " : "",
        sessions ? "sessions " : "", connected ? "connected" : "");
}

/* Applies the fields that were sent to `x`. */
static enum rc apply(const struct req *r, enum library_kind kind, struct library_entry *x, struct err *e)
{
    bool form = r->surface == SURFACE_PAGE;
    if (req_has(r, F_NAME))
        x->name = req_text(r, F_NAME);
    if (req_has(r, F_TEXT))
        x->text = req_str(r, F_TEXT);
    if (form || req_has(r, F_SHARED))
        x->shared = req_int(r, F_SHARED) != 0;
    if (kind != LIBRARY_PERSONA)
        return RC_OK;
    if (req_has(r, F_CHOICE))
        x->choice = req_text(r, F_CHOICE);
    if (form || req_has(r, F_TOOLS))
        x->tools = wanted_tools(r);
    return req_has(r, F_TEMPERATURE) ? temperature_parse(req_str(r, F_TEMPERATURE), &x->temperature, e)
                                     : RC_OK;
}

/* Reads the entry of the path, or begins a new one, and saves it with the fields of the request. */
static enum rc save(struct req *r, struct library_entry *x, struct err *e)
{
    enum library_kind kind = kind_of(r);
    enum rc rc = RC_OK;
    *x = (struct library_entry){.temperature = TEMPERATURE_NONE, .text = STR("")};
    if (req_has(r, F_ENTRY)) {
        struct db *db = store_read(r->web->store);
        rc = store_library_get(db, r->arena, r->who.user_id, kind, req_int(r, F_ENTRY), x, e);
        store_read_done(r->web->store, db);
        struct library_reader who = library_reader(r);
        if (rc == RC_OK && x->owner != who.user_id && !(x->shared && who.admin))
            return err_set(e, RC_NOT_FOUND, "an entry that user %lld only reads", (long long)who.user_id);
    }
    if (rc == RC_OK)
        rc = apply(r, kind, x, e);
    if (rc != RC_OK)
        return rc;
    int64_t owner = x->owner;
    rc = library_save(r->web->store, r->web->providers, library_reader(r), kind, x, r->arena, e);
    if (owner)
        x->owner = owner;
    return rc;
}

/* ---- the pages ---- */

static void view_tools(struct view *v, const char *tools)
{
    view_bool(v, "tools_memory", !tools || strstr(tools, "memory"));
    view_bool(v, "tools_tasks", !tools || strstr(tools, "tasks"));
    view_bool(v, "tools_sessions", !tools || strstr(tools, "sessions"));
    view_bool(v, "tools_connected", !tools || strstr(tools, "connected"));
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    enum library_kind kind = kind_of(r);
    bool personas = kind == LIBRARY_PERSONA;
    struct library_reader of = library_reader(r);
    struct library_entry *list;
    struct view *v;
    size_t n;
    enum rc rc = library_read(r, kind, &list, &n, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, personas ? "script_later.personas" : "script_later.prompts"),
            AT_LIBRARY, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "adds", n == 0);
    view_bool(v, "any", n > 0);
    view_bool(v, "personas", personas);
    view_text(v, "path", path_of(kind));
    view_text(v, "example", arena_printf(r->arena, "{{%s}}", lang_text(r->lang, "library.example")));
    choices_resource(v, r->web->providers, NULL, r);
    struct view *entries = view_list(v, "entries");
    for (size_t i = 0; i < n; i++) {
        struct view *row = view_item(entries);
        library_resource(r->arena, row, kind, &list[i], of);
        view_tools(row, list[i].tools);
        const struct provider_choice *c =
            list[i].choice ? providers_find(r->web->providers, list[i].choice) : NULL;
        view_text(row, "choice_label", c ? provider_choice_label(c, r->lang) : list[i].choice);
    }
    return why ? page_problem(r, out, "library", v, why, e) : resp_page(r, out, 200, "library", v, e);
}

static enum rc page_library(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_library_save(struct req *r, struct resp *out, struct err *e)
{
    struct library_entry x;
    struct err why = ERR_INIT;
    enum rc rc = save(r, &x, &why);
    return rc == RC_OK ? page_done(out, path_of(kind_of(r)), "library_saved")
                       : page_again(r, out, show, &why, e);
}

static enum rc page_library_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = library_delete(r->web->store, library_reader(r), kind_of(r), req_int(r, F_ENTRY), e);
    return rc == RC_OK ? page_done(out, path_of(kind_of(r)), "library_deleted") : rc;
}

/* ---- the API ---- */

static enum rc api_library(struct req *r, struct resp *out, struct err *e)
{
    enum library_kind kind = kind_of(r);
    struct library_entry *list;
    size_t n;
    enum rc rc = library_read(r, kind, &list, &n, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *entries = view_list(v, path_of(kind) + 1);
    for (size_t i = 0; i < n; i++)
        library_resource(r->arena, view_item(entries), kind, &list[i], library_reader(r));
    return resp_json(out, 200, v, e);
}

static enum rc api_library_entry(struct req *r, struct resp *out, struct err *e)
{
    enum library_kind kind = kind_of(r);
    struct library_entry x;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_library_get(db, r->arena, r->who.user_id, kind, req_int(r, F_ENTRY), &x, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    library_resource(r->arena, view_obj(v, library_kind_name(kind)), kind, &x, library_reader(r));
    return resp_json(out, 200, v, e);
}

static enum rc api_library_save(struct req *r, struct resp *out, struct err *e)
{
    struct library_entry x;
    enum rc rc = save(r, &x, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    library_resource(r->arena, view_obj(v, library_kind_name(kind_of(r))), kind_of(r), &x, library_reader(r));
    return resp_json(out, req_has(r, F_ENTRY) ? 200 : 201, v, e);
}

static enum rc api_library_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = library_delete(r->web->store, library_reader(r), kind_of(r), req_int(r, F_ENTRY), e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

#define ENTRY                                                    \
    {                                                            \
        .field = F_ENTRY, .type = FIELD_ID_ROW, .required = true \
    }
#define NAME_AND_TEXT                                                         \
    {.field = F_NAME, .type = FIELD_LINE, .max = 2 * LIBRARY_NAME_CHARS_MAX}, \
        {.field = F_TEXT, .type = FIELD_LINES, .max = TEXT_CHARS_POSTED},     \
    {                                                                         \
        .field = F_SHARED, .type = FIELD_BOOL                                 \
    }
#define OF_PERSONA                                                                         \
    {.field = F_CHOICE, .type = FIELD_LINE}, {.field = F_TEMPERATURE, .type = FIELD_LINE}, \
    {                                                                                      \
        .field = F_TOOLS, .type = FIELD_LINE                                               \
    }
#define TOOL_BOXES                                                                               \
    {.field = F_TOOLS_MEMORY, .type = FIELD_BOOL}, {.field = F_TOOLS_TASKS, .type = FIELD_BOOL}, \
        {.field = F_TOOLS_CONNECTED, .type = FIELD_BOOL},                                        \
    {                                                                                            \
        .field = F_TOOLS_SESSIONS, .type = FIELD_BOOL                                            \
    }
#define END             \
    {                   \
        .field = F_NONE \
    }

/* clang-format off */
static const struct field_rule prompt_fields[] = {NAME_AND_TEXT, END};
static const struct field_rule prompt_change_fields[] = {ENTRY, NAME_AND_TEXT, END};
static const struct field_rule persona_form_fields[] = {NAME_AND_TEXT, OF_PERSONA, TOOL_BOXES, END};
static const struct field_rule persona_form_change_fields[] = {ENTRY, NAME_AND_TEXT, OF_PERSONA, TOOL_BOXES, END};
static const struct field_rule persona_fields[] = {NAME_AND_TEXT, OF_PERSONA, END};
static const struct field_rule persona_change_fields[] = {ENTRY, NAME_AND_TEXT, OF_PERSONA, END};
static const struct field_rule entry_fields[] = {ENTRY, END};

static const struct route routes[] = {
    {HTTP_GET,    "/personas",                page_library,        PAGE_READ(ACCESS_MEMBER),   notice_fields},
    {HTTP_POST,   "/personas",                page_library_save,   PAGE_CHANGE(ACCESS_MEMBER), persona_form_fields},
    {HTTP_POST,   "/personas/{entry}",        page_library_save,   PAGE_CHANGE(ACCESS_MEMBER), persona_form_change_fields},
    {HTTP_POST,   "/personas/{entry}/delete", page_library_delete, PAGE_CHANGE(ACCESS_MEMBER), entry_fields},
    {HTTP_GET,    "/prompts",                 page_library,        PAGE_READ(ACCESS_MEMBER),   notice_fields},
    {HTTP_POST,   "/prompts",                 page_library_save,   PAGE_CHANGE(ACCESS_MEMBER), prompt_fields},
    {HTTP_POST,   "/prompts/{entry}",         page_library_save,   PAGE_CHANGE(ACCESS_MEMBER), prompt_change_fields},
    {HTTP_POST,   "/prompts/{entry}/delete",  page_library_delete, PAGE_CHANGE(ACCESS_MEMBER), entry_fields},

    {HTTP_GET,    "/api/personas",            api_library,         API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_POST,   "/api/personas",            api_library_save,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  persona_fields},
    {HTTP_GET,    "/api/personas/{entry}",    api_library_entry,   API_READ(ACCESS_MEMBER, SCOPE_READ),  entry_fields},
    {HTTP_PATCH,  "/api/personas/{entry}",    api_library_save,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  persona_change_fields},
    {HTTP_DELETE, "/api/personas/{entry}",    api_library_delete,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  entry_fields},
    {HTTP_GET,    "/api/prompts",             api_library,         API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_POST,   "/api/prompts",             api_library_save,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  prompt_fields},
    {HTTP_GET,    "/api/prompts/{entry}",     api_library_entry,   API_READ(ACCESS_MEMBER, SCOPE_READ),  entry_fields},
    {HTTP_PATCH,  "/api/prompts/{entry}",     api_library_save,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  prompt_change_fields},
    {HTTP_DELETE, "/api/prompts/{entry}",     api_library_delete,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  entry_fields},
};
/* clang-format on */

const struct route_table library_routes = {routes, ARRAY_LEN(routes)};
