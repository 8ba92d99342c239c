#include "web/command/command_routes.h"

#include <string.h>

#include "app/account/api_token.h"
#include "app/turn/turn_order.h"
#include "web/http/respond.h"
#include "web/http/templates.h"
#include "web/http/web.h"
#include "web/page/markdown_view.h"

#define REPLY_HTML_MAX ((size_t)2 * 1024 * 1024)

/* ---- running ---- */

/* Removes the refused orders of commands, which no program reads. */
static enum rc sweep_refused(struct db *db, struct arena *a, struct err *e)
{
    struct turn_order *old;
    size_t n;
    enum rc rc = store_turn_orders_refused(db, a, ORDER_COMMAND, &old, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = store_turn_order_delete(db, old[i].id, e);
    return rc;
}

static enum rc order_tx(struct db *db, void *arg, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct turn_order *o = arg;
    enum rc rc = sweep_refused(db, a, e);
    return rc == RC_OK ? store_turn_order_add(db, o, e) : rc;
}

static enum rc begin_turn(struct req *r, const struct turn_order *order, struct err *e)
{
    struct turn_order copy = *order;
    enum rc rc = req_need_scopes(r, SCOPE_CHAT, e);
    if (rc == RC_OK)
        rc = store_write(r->web->store, order_tx, &copy, e);
    if (rc == RC_OK)
        turn_order_notify(r->web->config->server.data_dir);
    return rc;
}

static enum rc check_session(const struct req *r, const char *session, struct err *e)
{
    int64_t id;
    if (!session)
        return RC_OK;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_find(db, r->who.user_id, str_of(session), &id, e);
    store_read_done(r->web->store, db);
    return rc;
}

enum rc command_of_request(struct req *r, const char *session, const char *channel, struct str line,
    struct command_reply *out, struct err *e)
{
    const struct command_context x = {.store = r->web->store,
        .config = r->web->config,
        .providers = r->web->providers,
        .owner = r->who.user_id,
        .session = session && strcmp(session, "new") != 0 ? session : NULL,
        .channel = channel,
        .by_token = r->bearer,
        .lang = r->lang,
        .zone = r->zone,
        .zone_name = r->who.time_zone,
        .now = r->now,
        .a = r->arena};
    enum rc rc = req_need_scopes(r, SCOPE_READ | SCOPE_WRITE, e);
    if (rc == RC_OK)
        rc = check_session(r, x.session, e);
    if (rc != RC_OK)
        return rc;
    rc = command_run(&x, line, out, e);
    if (rc == RC_NOT_FOUND && e->for_user) /* not the address but a word of the line names nothing */
        rc = e->rc = RC_BAD_INPUT;
    return rc == RC_OK && out->order ? begin_turn(r, out->order, e) : rc;
}

/* ---- replies ---- */

static void view_buttons(struct view *v, const struct command_reply *reply)
{
    struct view *list = view_list(v, "buttons");
    for (size_t i = 0; i < reply->buttons_n; i++) {
        struct view *b = view_item(list);
        view_text(b, "label", reply->buttons[i].label);
        view_text(b, "line", reply->buttons[i].line);
    }
}

static void view_file(struct view *v, const struct command_reply *reply)
{
    if (!reply->file_name) {
        view_null(v, "file");
        return;
    }
    struct view *file = view_obj(v, "file");
    view_text(file, "name", reply->file_name);
    view_str(file, "text", reply->file);
}

const char *command_reply_url(struct arena *a, const char *session, const struct command_reply *reply)
{
    if (reply->session && (!session || strcmp(session, reply->session) != 0))
        return arena_printf(a, "/s/%s", reply->session);
    return reply->no_session ? "/" : NULL;
}

void command_reply_view(const struct req *r, struct view *v, const char *session, const char *typed,
    const struct command_reply *reply)
{
    bool open = session && strcmp(session, "new") != 0;
    view_markdown(r->arena, v, r->lang, reply->markdown);
    view_buttons(v, reply);
    view_bool(v, "any_buttons", reply->buttons_n || reply->unknown);
    view_bool(v, "unknown", reply->unknown);
    view_bool(v, "begins", reply->order != NULL);
    view_text(v, "typed", typed);
    view_text(v, "here", open ? arena_printf(r->arena, "/s/%s", session) : "/");
    view_text(v, "action", arena_printf(r->arena, "/s/%s", open ? session : "new"));
}

static const char *wanted_session(const struct req *r)
{
    return req_str(r, F_SESSION).len ? req_text(r, F_SESSION) : NULL;
}

static const char *wanted_channel(const struct req *r)
{
    return str_is(req_str(r, F_CHANNEL), "terminal") ? "terminal" : "web";
}

static enum rc api_command(struct req *r, struct resp *out, struct err *e)
{
    struct command_reply reply;
    enum rc rc = command_of_request(r, wanted_session(r), wanted_channel(r), req_str(r, F_LINE), &reply, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_str(v, "markdown", reply.markdown);
    view_buttons(v, &reply);
    view_text(v, "session", reply.session);
    view_bool(v, "no_session", reply.no_session);
    view_bool(v, "unknown", reply.unknown);
    view_bool(v, "answers", reply.order != NULL);
    view_file(v, &reply);
    out->secret = reply.secret;
    return resp_json(out, 200, v, e);
}

static enum rc script_command(struct req *r, struct resp *out, struct err *e)
{
    struct command_reply reply;
    enum rc rc = command_of_request(r, wanted_session(r), "web", req_str(r, F_LINE), &reply, e);
    if (rc != RC_OK)
        return rc;
    AUTO_STRBUF html;
    strbuf_init(&html, REPLY_HTML_MAX);
    struct view *page = view_new(r->arena), *v = view_new(r->arena);
    view_text(page, "csrf", r->csrf);
    command_reply_view(r, view_obj(page, "command"), wanted_session(r), req_text(r, F_LINE), &reply);
    rc = templates_render(r->web->templates, r->lang, "partials/command", page, &html, e);
    if (rc != RC_OK)
        return rc;
    view_html(v, "html", (struct markup){strbuf_str(&html)});
    view_text(v, "url", command_reply_url(r->arena, wanted_session(r), &reply));
    view_file(v, &reply);
    out->secret = reply.secret;
    return resp_json(out, 200, v, e);
}

/* ---- the list ---- */

static enum rc api_commands(struct req *r, struct resp *out, struct err *e)
{
    static const char *const turns[] = {
        [COMMAND_BESIDE] = "beside", [COMMAND_STOPS] = "stops", [COMMAND_REFUSED] = "refused"};
    size_t n;
    const struct command *rows = command_table(&n);
    struct view *v = view_new(r->arena), *list = view_list(v, "commands");
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].help)
            continue;
        struct view *row = view_item(list);
        view_text(row, "name", rows[i].name);
        view_text(row, "args", rows[i].args ? lang_text(r->lang, rows[i].args) : NULL);
        view_text(row, "help", lang_text(r->lang, rows[i].help));
        view_text(row, "group", lang_text(r->lang, rows[i].group));
        view_text(row, "while_answering", turns[rows[i].turn]);
    }
    return resp_json(out, 200, v, e);
}

/* ---- routes ---- */

#define LINE                                                                            \
    {                                                                                   \
        .field = F_LINE, .type = FIELD_LINES, .required = true, .max = COMMAND_LINE_MAX \
    }

static const struct field_rule api_fields[] = {
    LINE,
    {.field = F_SESSION, .type = FIELD_ID_SESSION},
    {.field = F_CHANNEL, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule script_fields[] = {
    LINE,
    {.field = F_SESSION, .type = FIELD_ID_SESSION},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/api/commands",  api_commands,   API_READ(ACCESS_MEMBER, SCOPE_ANY),     no_fields},
    {HTTP_POST, "/api/commands",  api_command,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE), api_fields},
    {HTTP_POST, "/page/commands", script_command, SCRIPT_CHANGE(ACCESS_MEMBER),           script_fields},
};
/* clang-format on */

const struct route_table command_routes = {routes, ARRAY_LEN(routes)};
