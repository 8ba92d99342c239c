/* Commands about the account: usage, linked accounts of channels, help. */
#include "app/command/command_private.h"

#include <string.h>

#include "app/account/channel_identity.h"
#include "app/config/config_price.h"
#include "app/suggestion/suggestion.h"
#include "app/usage/budget.h"
#include "app/usage/usage.h"
#include "store/account/user.h"

#define USAGE_DAYS       30
#define USAGE_MODELS_MAX 5

/* ---- usage ---- */

static const char *cost_words(const struct command_call *c, int64_t cost)
{
    return arena_printf(c->x->a, " · %s", usage_cost_words(c->x->a, c->x->lang, c->x->config, cost));
}

static const char *sum_words(const struct command_call *c, const struct usage_sum *s)
{
    const struct lang *l = c->x->lang;
    return lang_fill(c->x->a, l, "command.tokens_in_out",
        LANG_ARGS({"in", humanize_number(c->x->a, l, s->tokens_in)},
            {"out", humanize_number(c->x->a, l, s->tokens_out)}));
}

enum rc command_usage(struct command_call *c, struct err *e)
{
    const struct command_context *x = c->x;
    struct usage u;
    struct budget b;
    struct db *db = store_read(x->store);
    enum rc rc = usage_read(db, x->a, x->config, x->owner, USAGE_DAYS, x->zone, x->now, &u, e);
    if (rc == RC_OK)
        rc = budget_read(db, x->config, x->owner, x->zone, x->now, &b, e);
    store_read_done(x->store, db);
    if (rc != RC_OK)
        return rc;
    command_say_count(c, "command.usage_days", USAGE_DAYS);
    command_item(c, "%s · %s%s", lang_count(x->a, x->lang, "command.answers", u.all.answers, NULL),
        sum_words(c, &u.all), u.priced ? cost_words(c, u.all.cost) : "");
    for (size_t i = 0; i < u.models_n && i < USAGE_MODELS_MAX; i++)
        command_item(c, "%s: %s%s", command_text(c, str_of(u.models[i].model)),
            sum_words(c, &u.models[i].sum), u.models[i].priced ? cost_words(c, u.models[i].sum.cost) : "");
    if (b.limited)
        command_item(c, "%s", budget_words(x->a, x->lang, x->config, &b));
    return RC_OK;
}

/* ---- suggestions ---- */

static enum rc look_at(struct db *db, const struct command_call *c, struct suggestion *s,
    struct suggestion_look *out, int64_t id, struct err *e)
{
    enum rc rc = store_suggestion_get(db, c->x->a, c->x->owner, id, c->x->now, s, e);
    return rc == RC_OK ? suggestion_look(db, c->x->a, c->x->owner, s, c->x->now, out, e) : rc;
}

/* Hidden: "/decide 17 keep", "/decide 17 dismiss". */
enum rc command_decide(struct command_call *c, struct err *e)
{
    struct str rest = c->args;
    struct suggestion s;
    struct suggestion_look look;
    struct suggestion_decision d = {.owner = c->x->owner, .now = c->x->now};
    enum rc rc = command_id(command_next(&rest), &d.id, e);
    bool keep = str_is(rest, "keep");
    if (rc == RC_OK && !keep && !str_is(rest, "dismiss"))
        return err_say(e, RC_BAD_INPUT, "command.bad_id");
    if (rc != RC_OK)
        return rc;
    d.verdict = keep ? SUGGESTION_KEEP : SUGGESTION_DISMISS;
    struct db *db = store_read(c->x->store); /* read before: a deleted row cannot be shown afterwards */
    rc = look_at(db, c, &s, &look, d.id, NULL);
    store_read_done(c->x->store, db);
    if (rc == RC_OK)
        rc = suggestion_decide(c->x->store, c->x->a, &d, &s, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, rc, "command.no_such_question");
    if (rc != RC_OK)
        return rc;
    helper_notify(c->x->config->server.data_dir);
    strbuf_adds(&c->md, suggestion_reply(c->x->a, c->x->lang, &s, &look, keep));
    return RC_OK;
}

/* ---- linked accounts ---- */

static bool is_linkable(const char *channel)
{
    return strcmp(channel, "web") != 0 && strcmp(channel, "terminal") != 0;
}

/* For a sender who is linked already. With a code, the sender wants another account and is told how to change
 * it. The code stays valid. */
static enum rc say_linked(struct command_call *c, struct err *e)
{
    struct user user;
    struct db *db = store_read(c->x->store);
    enum rc rc = store_user_by_id(db, c->x->a, c->x->owner, &user, e);
    store_read_done(c->x->store, db);
    if (rc == RC_OK)
        command_say(c, c->args.len ? "command.linked_already" : "command.linked_here",
            LANG_ARGS({"name", user.name}));
    return rc;
}

/* "/link CODE" of a stranger is handled by the router (channel_link()). Here the user is known. */
enum rc command_link(struct command_call *c, struct err *e)
{
    char code[LINK_CODE_SIZE];
    struct channel_identity *list;
    size_t n;
    bool here = is_linkable(c->x->channel);
    if (c->x->by_token) /* a linked account has all rights of the user, and no end */
        return err_say(e, RC_FORBIDDEN, "token.no_link");
    struct db *db = store_read(c->x->store);
    enum rc rc = store_channel_identity_list(db, c->x->a, c->x->owner, &list, &n, e);
    store_read_done(c->x->store, db);
    if (rc == RC_OK && !here)
        rc = link_code_new(c->x->store, c->x->owner, c->x->now, code, e);
    c->out->secret = !here;
    if (rc != RC_OK)
        return rc;
    if (here)
        rc = say_linked(c, e);
    else
        command_say(c, "command.link_code", LANG_ARGS({"code", code}));
    if (n)
        command_say(c, "command.linked_accounts", NULL);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        command_item(c, "%s: %s", list[i].channel, command_text(c, str_of(list[i].name)));
    return rc;
}

/* ---- help ---- */

static void add_row(struct command_call *c, const struct command *row)
{
    const struct lang *l = c->x->lang;
    command_item(c, "`/%s%s%s`: %s", row->name, row->args ? " " : "",
        row->args ? lang_text(l, row->args) : "", lang_text(l, row->help));
}

static enum rc help_one(struct command_call *c, struct err *e)
{
    struct str name = c->args;
    if (name.s[0] == '/')
        name = str_from(name, 1);
    const struct command *row = command_find(name);
    if (!row || !row->help)
        return err_say(e, RC_NOT_FOUND, "command.no_such", arg_text("command", command_str(c, name)));
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
            strbuf_addf(&c->md, "%s**%s**", c->md.len ? "\n\n" : "", lang_text(c->x->lang, group));
        }
        add_row(c, &rows[i]);
    }
    return RC_OK;
}

/* Hidden: what a person sees who opens the conversation with a bot. */
enum rc command_start(struct command_call *c, struct err *e)
{
    (void)e;
    command_say(c, "command.welcome", NULL);
    command_button(c, "/help", "/help");
    command_button(c, "/sessions", "/sessions");
    return RC_OK;
}
