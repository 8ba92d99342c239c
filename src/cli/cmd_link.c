/* alfred link: where Alfred is, and as long as it has no user, a link that lets the first admin in. */
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
    if ((rc = store_code_drop_unused(db, e)) != RC_OK)
        return rc;
    return store_code_add(db, hash, 0, clock_wall_ms() + AUTH_LINK_HOURS * MS_PER_H, e);
}

int cmd_link(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fprintf(stderr, "usage: alfred link\n");
        return EXIT_USAGE;
    }
    struct err e = ERR_INIT;
    struct config *c = NULL;
    struct store *s = NULL;
    struct first_code f = {.needed = false};
    enum rc rc = cli_open(&c, &s, &e);
    if (rc == RC_OK)
        rc = store_write(s, first_code_tx, &f, &e);
    if (rc == RC_OK) {
        /* in the fragment, the code reaches no log and no Referer */
        char line[512] = "";
        if (f.needed)
            snprintf(line, sizeof line, "Sign in for the first time (once, within %d hours): %s/welcome#%s\n",
                AUTH_LINK_HOURS, c->server.public_url, f.code);
        printf("Alfred is at %s\n%s", c->server.public_url, line);
        fflush(stdout);
    }
    store_free(s);
    config_free(c);
    return rc == RC_OK ? 0 : cli_fail(&e);
}
