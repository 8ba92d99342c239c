/* Help, and the link between an account and a person of a channel. */
#include "app/command/command_private.h"

#include <string.h>

#include "app/account/channel_identity.h"
#include "base/strbuf.h"

static void add_row(struct command_call *c, const struct command *row)
{
    const struct lang *l = c->x->lang;
    strbuf_addf(&c->md, "\n- `/%s%s%s`: %s", row->name, row->args ? " " : "",
        row->args ? lang_text(l, row->args) : "", lang_text(l, row->help));
}

static enum rc help_one(struct command_call *c, struct err *e)
{
    struct str name = c->args;
    if (name.s[0] == '/')
        name = (struct str){name.s + 1, name.len - 1};
    const struct command *row = command_find(name);
    if (!row || !row->help)
        return err_say(e, RC_NOT_FOUND, "command.no_such",
            arg_text("command", arena_strndup(c->x->a, name.s, name.len)));
    add_row(c, row);
    return RC_OK;
}

enum rc command_help(struct command_call *c, struct err *e)
{
    const char *group = NULL;
    size_t n;
    const struct command *rows = command_table(&n);
    if (c->args.len)
        return help_one(c, e);
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].help)
            continue;
        if (!group || strcmp(group, rows[i].group) != 0) {
            group = rows[i].group;
            strbuf_addf(&c->md, "%s**%s**\n", c->md.len ? "\n\n" : "", lang_text(c->x->lang, group));
        }
        add_row(c, &rows[i]);
    }
    return RC_OK;
}

/* What a person sees who opens the conversation with the bot. */
enum rc command_start(struct command_call *c, struct err *e)
{
    (void)e;
    command_say(c, "command.welcome", NULL);
    command_button(c, "/help", "/help");
    command_button(c, "/sessions", "/sessions");
    return RC_OK;
}

static void list_linked(struct command_call *c, const struct channel_identity *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strbuf_addf(&c->md, "\n- %s: %s", list[i].channel, command_escape(c->x->a, list[i].name));
}

/* A channel answers "/link CODE" of strangers itself (channel_link()). Here is a user who is known. */
enum rc command_link(struct command_call *c, struct err *e)
{
    char code[LINK_CODE_SIZE];
    struct channel_identity *list;
    size_t n;
    struct db *db = store_read(c->x->store);
    enum rc rc = store_channel_identity_list(db, c->x->a, c->x->owner, &list, &n, e);
    store_read_done(c->x->store, db);
    if (rc == RC_OK && strcmp(c->x->channel, "telegram") != 0)
        rc = link_code_new(c->x->store, c->x->owner, c->x->now, code, e);
    if (rc != RC_OK)
        return rc;
    if (strcmp(c->x->channel, "telegram") == 0)
        command_say(c, "command.linked_here", NULL);
    else
        command_say(c, "command.link_code", LANG_ARGS({"code", code}));
    if (n) {
        command_say(c, "command.linked_accounts", NULL);
        strbuf_adds(&c->md, "\n");
        list_linked(c, list, n);
    }
    return RC_OK;
}
