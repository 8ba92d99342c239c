/* alfred token add, list, revoke. */
#include "cli/cli.h"

#include <stdio.h>

#include "app/account/api_token.h"
#include "base/clock.h"
#include "base/said.h"

#define SCOPES_DEFAULT "chat"

static enum rc add(struct cli *k, const struct command_line *l, struct err *e)
{
    const char *scopes = command_option(l, "scopes"), *days = command_option(l, "days");
    struct api_token_input in = {.name = l->args[1],
        .use_memory = command_option(l, "memory"),
        .use_tools = command_option(l, "tools")};
    struct api_token t;
    char secret[API_TOKEN_SIZE];
    enum rc rc = cli_find_user(k, l->args[0], e);
    if (rc == RC_OK && days && !str_to_int(str_of(days), 1, API_TOKEN_DAYS_MAX, &in.days))
        return err_say(e, RC_BAD_INPUT, "token.bad_days", arg_int("max", API_TOKEN_DAYS_MAX));
    if (rc == RC_OK)
        rc = api_scopes_parse(str_of(scopes ? scopes : SCOPES_DEFAULT), &in.scopes, e);
    if (rc == RC_OK)
        rc = api_token_add(k->store, k->user.id, NULL, &in, &k->from, k->arena, &t, secret, e);
    if (rc == RC_OK)
        printf("%s\n", secret);
    return rc;
}

static void print_token(struct cli *k, const struct api_token *t)
{
    char used[CLOCK_RFC3339_SIZE] = "never", ends[CLOCK_RFC3339_SIZE] = "never";
    if (t->used_at)
        clock_rfc3339(t->used_at, used);
    if (t->expires_at)
        clock_rfc3339(t->expires_at, ends);
    printf("%s  %s...  %-15s  last use: %-20s  ends: %-20s  %s\n", t->pub, t->begins,
        api_scopes_text(k->arena, t->scopes), used, ends, t->name);
}

static enum rc list(struct cli *k, const struct command_line *l, struct err *e)
{
    struct api_token *tokens;
    size_t n = 0;
    enum rc rc = cli_find_user(k, l->args[0], e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(k->store);
    rc = store_api_token_list(db, k->arena, k->user.id, &tokens, &n, e);
    store_read_done(k->store, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        print_token(k, &tokens[i]);
    return rc;
}

static enum rc revoke(struct cli *k, const struct command_line *l, struct err *e)
{
    enum rc rc = cli_find_user(k, l->args[0], e);
    if (rc == RC_OK)
        rc = api_token_revoke(k->store, k->user.id, l->args[1], &k->from, e);
    if (rc == RC_NOT_FOUND)
        return err_tell(e, rc, "%s has no token %s. `alfred token list %s` lists them.", k->user.name,
            l->args[1], k->user.name);
    if (rc == RC_OK)
        printf("The token is revoked.\n");
    return rc;
}

int cmd_token_add(const struct command_line *l)
{
    return cli_run(l, add);
}

int cmd_token_list(const struct command_line *l)
{
    return cli_run(l, list);
}

int cmd_token_revoke(const struct command_line *l)
{
    return cli_run(l, revoke);
}
