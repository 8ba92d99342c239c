/* Commands about the workspace of a session and its export as a file. */
#include "app/command/command_private.h"

#include <string.h>

#include "app/export/conversation.h"
#include "app/session/session_actions.h"
#include "store/session/workspace.h"
#include "store/session/workspace_file.h"

#define EXPORT_MAX ((size_t)8 * 1024 * 1024) /* bytes; a longer conversation is exported on its page */

/* ---- workspaces ---- */

/* The workspace, and how many files it has. */
static enum rc say_workspace(struct command_call *c, struct str name, struct err *e)
{
    struct workspace_file *files;
    size_t n;
    struct db *db = store_read(c->x->store);
    enum rc rc = store_workspace_files(db, c->x->a, c->x->owner, command_str(c, name), &files, &n, e);
    store_read_done(c->x->store, db);
    command_say(c, "command.workspace_now", LANG_ARGS({"workspace", command_text(c, name)}));
    if (rc == RC_OK && n)
        command_say_count(c, "command.workspace_files", (int64_t)n);
    return rc;
}

static enum rc list_workspaces(struct command_call *c, const struct session *s, struct err *e)
{
    const char **names;
    size_t n;
    struct db *db = store_read(c->x->store);
    enum rc rc = store_workspace_list(db, c->x->a, c->x->owner, &names, &n, e);
    store_read_done(c->x->store, db);
    if (rc != RC_OK)
        return rc;
    if (s->workspace)
        rc = say_workspace(c, str_of(s->workspace), e);
    else
        command_say(c, c->x->session ? "command.workspace_none" : "command.workspace_begin", NULL);
    for (size_t i = 0; i < n; i++)
        if (!s->workspace || strcmp(names[i], s->workspace) != 0)
            command_button(
                c, command_label(c, str_of(names[i])), arena_printf(c->x->a, "/workspace %s", names[i]));
    if (s->workspace)
        command_button(c, lang_text(c->x->lang, "command.workspace_leave"), "/workspace -");
    return rc;
}

/* "-" leaves the workspace. */
enum rc command_workspace(struct command_call *c, struct err *e)
{
    struct session s = {0};
    enum rc rc = c->args.len ? command_session_or_new(c, &s, e) : RC_OK;
    if (rc == RC_OK && c->args.len == 0 && c->x->session)
        rc = command_session(c, &s, e);
    if (rc == RC_OK && c->args.len == 0)
        return list_workspaces(c, &s, e);
    bool leaves = str_is(c->args, "-");
    struct session_change change = {.workspace = leaves ? "" : command_str(c, c->args)};
    if (rc == RC_OK)
        rc = session_change(c->x->store, c->x->owner, s.pub, &change, e);
    if (rc != RC_OK)
        return rc;
    if (!leaves)
        return say_workspace(c, c->args, e);
    command_say(c, "command.workspace_none", NULL);
    return RC_OK;
}

/* ---- the file of a session ---- */

static enum rc put(void *arg, struct str part, struct err *e)
{
    struct strbuf *out = arg;
    strbuf_addstr(out, part);
    return out->failed ? err_say(e, RC_TOO_BIG, "command.export_too_big") : RC_OK;
}

static enum rc write_file(
    struct command_call *c, const struct conversation *conv, enum conversation_format format, struct err *e)
{
    AUTO_STRBUF file;
    const struct command_context *x = c->x;
    const struct conversation_options options = {.format = format, .locale = {x->lang, x->zone, x->now}};
    strbuf_init(&file, EXPORT_MAX);
    enum rc rc = conversation_write(x->store, x->owner, conv, &options, put, &file, e);
    if (rc != RC_OK)
        return rc;
    c->out->file = arena_str(x->a, strbuf_str(&file));
    c->out->file_name =
        conversation_file_name(x->a, conv->session.title, lang_text(x->lang, "chat.new"), format);
    return RC_OK;
}

/* The formats are those of the page but HTML. */
enum rc command_export(struct command_call *c, struct err *e)
{
    struct session s;
    struct conversation conv;
    enum conversation_format format = CONVERSATION_MARKDOWN;
    if (c->args.len && (!conversation_format_parse(c->args, &format) || format == CONVERSATION_HTML))
        return err_say(e, RC_BAD_INPUT, "command.export_format");
    enum rc rc = command_session(c, &s, e);
    if (rc == RC_OK)
        rc = conversation_plan(c->x->store, c->x->a, c->x->owner, s.pub, CONVERSATION_SHOWN_BRANCH, &conv, e);
    if (rc == RC_OK)
        rc = write_file(c, &conv, format, e);
    if (rc == RC_OK)
        command_say(c, "command.exported", LANG_ARGS({"title", command_title(c, &s)}));
    return rc;
}
