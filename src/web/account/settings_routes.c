/* The settings of a user. The page has one form for each setting, so that each is saved by itself; with
 * scripts a choice is saved at once (static/js/frame/settings.js). */
#include "web/account/settings_routes.h"

#include "app/account/settings.h"
#include "app/mcp/mcp_servers.h"
#include "app/tools/tools.h"
#include "web/http/web.h"
#include "web/models/models_resource.h"
#include "web/page/pages.h"

/* A text above SETTING_TEXT_CHARS_MAX is shown again in its form, with the error. Above this, its request is
 * refused. */
#define TEXT_CHARS_POSTED (4 * SETTING_TEXT_CHARS_MAX)

/* The field of each setting. */
static const struct field_rule setting_fields[] = {
    [SETTING_THEME] = {.field = F_THEME, .type = FIELD_LINE},
    [SETTING_LANGUAGE] = {.field = F_LANGUAGE, .type = FIELD_LINE},
    [SETTING_TIME_ZONE] = {.field = F_TIME_ZONE, .type = FIELD_LINE},
    [SETTING_SEND_KEY] = {.field = F_SEND_KEY, .type = FIELD_LINE},
    [SETTING_TEXT_SIZE] = {.field = F_TEXT_SIZE, .type = FIELD_LINE},
    [SETTING_NOTIFICATIONS] = {.field = F_NOTIFICATIONS, .type = FIELD_BOOL},
    [SETTING_DISPLAY_NAME] = {.field = F_DISPLAY_NAME, .type = FIELD_LINE},
    [SETTING_MODEL] = {.field = F_MODEL, .type = FIELD_LINE},
    [SETTING_ABOUT_ME] = {.field = F_ABOUT_ME, .type = FIELD_LINES, .max = TEXT_CHARS_POSTED},
    [SETTING_ANSWER_STYLE] = {.field = F_ANSWER_STYLE, .type = FIELD_LINES, .max = TEXT_CHARS_POSTED},
    [SETTING_WEB_SEARCH] = {.field = F_WEB_SEARCH, .type = FIELD_BOOL},
    [SETTING_CONNECTED_TOOLS] = {.field = F_CONNECTED_TOOLS, .type = FIELD_BOOL},
    [SETTING_COUNT] = {.field = F_NONE},
};

static enum rc read_settings(struct req *r, const char *out[SETTING_COUNT], struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_setting_all(db, r->arena, r->who.user_id, out, e);
    store_read_done(r->web->store, db);
    for (int s = 0; rc == RC_OK && s < SETTING_COUNT; s++)
        out[s] = setting_value((enum setting)s, out[s]);
    return rc;
}

static enum rc save(struct req *r, struct err *e)
{
    struct setting_change changes[SETTING_COUNT];
    size_t n = 0;
    for (int s = 0; s < SETTING_COUNT; s++)
        if (req_has(r, setting_fields[s].field))
            changes[n++] = (struct setting_change){(enum setting)s, req_str(r, setting_fields[s].field)};
    if (n == 0)
        return err_say(e, RC_BAD_INPUT, "settings.none_sent");
    return settings_save(r->web->store, r->who.user_id, changes, n, e);
}

/* ---- the page ---- */

static void view_zones(struct req *r, struct view *v, const char *zone)
{
    const char **names;
    size_t n;
    time_zone_names(r->arena, &names, &n);
    struct view *list = view_list(v, "zones");
    bool met = strcmp(zone, "auto") == 0;
    view_bool(v, "zone_auto", met);
    for (size_t i = 0; i < n; i++) {
        struct view *row = view_item(list);
        bool selected = strcmp(names[i], zone) == 0;
        view_text(row, "name", names[i]);
        view_bool(row, "selected", selected);
        met = met || selected;
    }
    if (met)
        return;
    struct view *row = view_item(list); /* a name that the list lacks, such as Etc/GMT+5 */
    view_text(row, "name", zone);
    view_bool(row, "selected", true);
}

static void view_languages(struct view *v, const char *code)
{
    struct view *list = view_list(v, "languages");
    const struct lang *l;
    view_bool(v, "language_auto", strcmp(code, "auto") == 0);
    for (size_t i = 0; (l = lang_at(i)); i++) {
        struct view *row = view_item(list);
        view_text(row, "code", lang_code(l));
        view_text(row, "name", lang_name(l));
        view_bool(row, "selected", strcmp(code, lang_code(l)) == 0);
    }
}

/* "theme": {"system": false, "light": true, "dark": false} */
static void view_choice(struct view *set, enum setting s, const char *value)
{
    struct view *choice = view_obj(set, setting_name(s));
    for (const char *const *c = setting_choices(s); *c; c++)
        view_bool(choice, *c, strcmp(*c, value) == 0);
}

static bool any_searches_web(const struct provider_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->choices[i]->web_search && !l->choices[i]->form.no_search)
            return true;
    return false;
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    const char *values[SETTING_COUNT];
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "settings.title"), AT_SETTINGS, 0, &v, e);
    if (rc == RC_OK)
        rc = read_settings(r, values, e);
    if (rc != RC_OK)
        return rc;
    struct view *set = view_obj(v, "set");
    for (int s = 0; s < SETTING_COUNT; s++) {
        enum setting_type type = setting_type((enum setting)s);
        const char *name = setting_name((enum setting)s);
        if (type == SETTING_TEXT || type == SETTING_LINE)
            view_text(set, name, values[s]);
        else if (type == SETTING_CHOICE || type == SETTING_FLAG)
            view_choice(set, (enum setting)s, values[s]);
    }
    choices_resource(v, r->web->providers, usual_choice(r), r);
    view_bool(v, "server_model", values[SETTING_MODEL][0] == '\0');
    view_text(v, "server_label", provider_choice_label(providers_default(r->web->providers), r->lang));
    view_bool(v, "any_searching", any_searches_web(providers_list(r->web->providers)));
    unsigned no_web = tool_web_denied(r->web->config);
    view_bool(v, "reads_pages", !(no_web & TOOL_SET_PAGES));
    view_bool(v, "own_search", !(no_web & TOOL_SET_SEARCH));
    view_bool(v, "has_connected", mcp_servers_any(r->web->config, r->who.name));
    view_languages(v, values[SETTING_LANGUAGE]);
    view_zones(r, v, values[SETTING_TIME_ZONE]);
    bool own_zone = r->who.settings.value[SETTING_TIME_ZONE][0] != '\0';
    view_text(v, "browser_zone", !own_zone && r->who.time_zone[0] ? r->who.time_zone : NULL);
    return why ? page_problem(r, out, "settings", v, why, e) : resp_page(r, out, 200, "settings", v, e);
}

static enum rc page_settings(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_settings_save(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = save(r, &why);
    return rc == RC_OK ? page_done(out, "/settings", "settings_saved") : page_again(r, out, show, &why, e);
}

/* ---- the API ---- */

static enum rc api_settings(struct req *r, struct resp *out, struct err *e)
{
    const char *values[SETTING_COUNT];
    enum rc rc = read_settings(r, values, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    for (int s = 0; s < SETTING_COUNT; s++) {
        const char *name = setting_name((enum setting)s);
        if (setting_type((enum setting)s) == SETTING_FLAG)
            view_bool(v, name, strcmp(values[s], "yes") == 0);
        else
            view_text(v, name, values[s]);
    }
    return resp_json(out, 200, v, e);
}

static enum rc api_settings_change(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = save(r, e);
    return rc == RC_OK ? api_settings(r, out, e) : rc;
}

/* ---- routes ---- */

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,   "/settings",     page_settings,       PAGE_READ(ACCESS_MEMBER),   notice_fields},
    {HTTP_POST,  "/settings",     page_settings_save,  PAGE_CHANGE(ACCESS_MEMBER), setting_fields},
    {HTTP_GET,   "/api/settings", api_settings,        API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_PATCH, "/api/settings", api_settings_change, API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  setting_fields},
};
/* clang-format on */

const struct route_table settings_routes = {routes, ARRAY_LEN(routes)};
