/*
 * Calls of connected tools: those of MCP servers (app/mcp).
 *
 * The results of a server are untrusted. A tool that may change something waits for the user's permission in
 * a turn that has read untrusted text from elsewhere: that text could have asked for the call. Text of the
 * same server may: a list of lamps is read before one of them is switched on. With [mcp.NAME] ask = "changes"
 * each such call waits.
 */
#include "app/tools/tools_private.h"

#include "app/config/config.h"
#include "app/jobs/helper_notify.h"
#include "app/mcp/remote_call.h"
#include "app/suggestion/permission.h"
#include "base/humanize.h"
#include "base/log.h"
#include "codec/base64.h"
#include "store/mcp.h"

#define FROM_MAX    300 /* bytes */
#define RESULT_REST 512 /* bytes of a result besides its text */

static bool asks_first(const struct tool_context *c, const struct connected_tool *t)
{
    bool reads_elsewhere = c->untrusted && (!c->untrusted_of || c->untrusted_of->server != t->server);
    return !t->reads && (reads_elsewhere || c->config->mcp[t->server].ask == CONFIG_MCP_ASK_CHANGES);
}

static enum rc ask(const struct tool_context *c, const struct connected_tool *t, const json_t *args,
    struct arena *a, struct err *e)
{
    struct suggestion s = tool_suggestion(c, SUGGESTION_CALL_TOOL);
    s.text = permission_text(a, tool_lang(c), t->from, args);
    s.message_id = c->reply_id;
    s.lapses_at = c->now + PERMISSION_MS;
    enum rc rc = tool_suggest(c, a, &s, e);
    if (rc == RC_OK)
        permission_want(c->permission, s.id);
    return rc;
}

/* The store learns that the list is out of date. The helper reads it again. */
static enum rc mark_tx(struct db *db, void *arg, struct err *e)
{
    return store_mcp_mark_stale(db, arg, e);
}

static void mark_stale(const struct tool_context *c, const struct connected_tool *t)
{
    const char *name = c->config->mcp[t->server].name;
    struct err e = ERR_INIT;
    if (store_write_lazy(c->store, mark_tx, (void *)name, &e) == RC_OK)
        helper_notify(c->config->server.data_dir);
    else
        log_warn("[mcp.%s]: that the list of tools has changed could not be saved: %s", name, e.text);
}

static enum rc failed(
    const struct tool_context *c, const struct connected_tool *t, struct arena *a, struct err *e)
{
    const struct mcp_answer *answer = &c->remote->answer;
    const struct awaited *w = &c->remote->awaited;
    const char *said = err_stored(w->err);
    const char *why = said ? said_words(a, tool_lang(c), said) : "The call failed.";
    if (w->rc != RC_CANCELLED && w->rc != RC_RATE_LIMITED && w->rc != RC_BAD_INPUT)
        log_warn("[mcp.%s]: a call failed: %s", c->config->mcp[t->server].name, w->err->text);
    if (!t->reads && answer->perhaps_done)
        return err_tell(e, w->rc,
            "%s The request had been sent, so the change may have been made. Do not call the tool again by "
            "yourself: tell the user, who can check it.",
            why);
    return err_tell(e, w->rc, "%s", why);
}

static void add_text(const struct tool_context *c, struct str text, struct view *result)
{
    size_t room = tool_part(c, TOOL_RESULT_MAX) - RESULT_REST, n = json_string_fit(text, room);
    view_str(result, "text", (struct str){text.s, n});
    if (n < text.len)
        view_text(result, "left_out", "The rest did not fit. Ask for less.");
}

/* Pictures that cannot be kept are left out, as is said. */
static void keep_pictures(const struct tool_context *c, const struct connected_tool *t, struct view *result)
{
    struct str all[PICTURES_PER_MESSAGE];
    size_t n = mcp_images(c->remote->answer.result, all, ARRAY_LEN(all)), kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t bytes = 0;
        AUTO_FREE char *data = base64_decode(all[i], &bytes);
        const struct picture *p;
        kept += data && tool_picture_keep(c, (struct str){data, bytes}, str_of(t->from), &p, NULL) == RC_OK;
    }
    if (n)
        view_text(result, "note",
            kept == n
                ? "The user sees the pictures above your next words. You cannot see them."
                : "Some pictures cannot be shown: only PNG, JPEG, GIF and WebP of limited size can. The "
                  "user sees the others above your next words. You cannot see them.");
}

static enum rc take_answer(const struct tool_context *c, const struct connected_tool *t, struct arena *a,
    struct view *result, struct err *e)
{
    const struct mcp_answer *answer = &c->remote->answer;
    struct str text;
    bool says_failed;
    if (answer->tools_changed)
        mark_stale(c, t);
    if (c->remote->awaited.rc != RC_OK)
        return failed(c, t, a, e);
    enum rc rc = mcp_content(a, answer->result, TOOL_RESULT_MAX, &text, &says_failed, e);
    if (rc != RC_OK)
        return rc;
    if (says_failed)
        return err_tell(e, RC_UPSTREAM, "%.*s", STR_FMT(text.len ? text : STR("The tool failed.")));
    view_text(result, TOOL_FROM, t->from);
    add_text(c, text, result);
    keep_pictures(c, t, result);
    return RC_OK;
}

enum rc tool_run_connected(const struct tool_context *c, const struct connected_tool *t, const json_t *args,
    struct arena *a, struct view *result, struct err *e)
{
    if (!json_is_object(args))
        return err_tell(e, RC_BAD_INPUT, "The arguments must be an object.");
    if (!c->remote)
        return err_tell(e, RC_UNAVAILABLE, "Connected tools cannot be called here.");
    if (c->remote->awaited.ended)
        return take_answer(c, t, a, result, e);
    if (asks_first(c, t)) {
        if (!c->permission->awaited.ended)
            return ask(c, t, args, a, e);
        if (c->permission->awaited.rc != RC_OK)
            return awaited_failed(&c->permission->awaited, e);
    }
    remote_call_want(c->remote, t, args);
    return RC_OK;
}

const char *tool_from(struct arena *a, struct str result)
{
    AUTO(json_t) json = NULL;
    struct str from = STR("");
    if (json_parse(result, TOOL_RESULT_MAX, &json, NULL) == RC_OK)
        json_get_str(json, TOOL_FROM, &from);
    return humanize_line(a, from, FROM_MAX).s;
}
