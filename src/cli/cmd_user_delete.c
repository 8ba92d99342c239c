/* alfred user delete: lists the user's data, asks for confirmation, erases. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "app/erasure/erase_user.h"
#include "base/strbuf.h"
#include "cli/terminal.h"

#define SENTENCE_MAX 256

static void put_count(struct strbuf *out, int64_t n, const char *one, const char *many)
{
    strbuf_addf(out, "%s%lld %s", out->len ? ", " : "", (long long)n, n == 1 ? one : many);
}

static void put_holdings(struct strbuf *out, const struct user_holdings *h)
{
    put_count(out, h->sessions, "session", "sessions");
    put_count(out, h->messages, "message", "messages");
    put_count(out, h->memories, "fact", "facts");
    put_count(out, h->tasks, "task", "tasks");
    put_count(out, h->transfers, "export or import", "exports and imports");
}

/* Only the user's name confirms. */
static bool confirmed(const struct user *u, const struct user_holdings *h)
{
    char answer[USER_NAME_MAX + 2] = "";
    AUTO_STRBUF question;
    strbuf_init(&question, SENTENCE_MAX);
    put_holdings(&question, h);
    fprintf(stderr, "This erases %s permanently: %s.\n", u->name, question.s);
    return terminal_ask("Type the name to go on:", answer, sizeof answer) && strcmp(answer, u->name) == 0;
}

static enum rc delete_user(struct cli *k, const struct command_line *l, struct err *e)
{
    struct user_holdings h;
    AUTO_STRBUF erased;
    strbuf_init(&erased, SENTENCE_MAX);
    enum rc rc = cli_find_user(k, l->args[0], e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(k->store);
    rc = store_user_holdings(db, k->user.id, &h, e);
    store_read_done(k->store, db);
    if (rc != RC_OK)
        return rc;
    if (!command_option(l, "yes") && !confirmed(&k->user, &h))
        return err_tell(e, RC_CANCELLED, "Nothing was erased.");
    struct erasure x = {.store = k->store, .config = k->config, .user_id = k->user.id, .from = &k->from};
    if ((rc = erase_user(&x, &h, e)) != RC_OK)
        return rc;
    put_holdings(&erased, &h);
    printf("%s is erased: %s. The audit trail and earlier backups are kept.\n", k->user.name, erased.s);
    return RC_OK;
}

int cmd_user_delete(const struct command_line *l)
{
    return cli_run(l, delete_user);
}
