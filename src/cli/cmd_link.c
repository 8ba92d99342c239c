/* alfred link: prints the address and, while there is no user, a link for the first admin. */
#include "cli/cli.h"

#include <stdio.h>

#include "app/account/auth.h"
#include "base/clock.h"

struct first_code {
    char code[TOKEN_SIZE];
    bool needed;
};

static enum rc first_code_tx(struct db *db, void *arg, struct err *e)
{
    struct first_code *f = arg;
    unsigned char hash[TOKEN_HASH_SIZE];
    int64_t users;
    enum rc rc = store_user_count(db, &users, e);
    f->needed = users == 0;
    if (rc != RC_OK || !f->needed)
        return rc;
    token_new(f->code);
    token_hash(f->code, hash);
    if ((rc = store_code_drop_unused(db, 0, e)) != RC_OK)
        return rc;
    return store_code_add(db, hash, 0, clock_wall_ms() + AUTH_LINK_HOURS * MS_PER_H, e);
}

static enum rc print_link(struct cli *k, const struct command_line *l, struct err *e)
{
    (void)l;
    struct first_code f = {.needed = false};
    enum rc rc = store_write(k->store, first_code_tx, &f, e);
    if (rc != RC_OK)
        return rc;
    const char *line = ""; /* in the fragment the code reaches neither a log nor a Referer header */
    if (f.needed)
        line = arena_printf(k->arena, "Sign in for the first time (once, within %d hours): %s/welcome#%s\n",
            AUTH_LINK_HOURS, k->config->server.public_url, f.code);
    printf("Alfred is at %s\n%s", k->config->server.public_url, line);
    return RC_OK;
}

int cmd_link(const struct command_line *l)
{
    return cli_run(l, print_link);
}
