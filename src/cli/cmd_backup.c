/* alfred backup FILE: a copy of the live database, while people chat. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/fs.h"

static const char usage[] =
    "usage: alfred backup FILE     copies the live database to FILE, which must not exist\n";

static enum rc backup(const struct config *c, const char *to, struct err *e)
{
    char from[FS_PATH_MAX];
    AUTO(db) db = NULL;
    enum rc rc = fs_join(from, c->server.data_dir, CONFIG_DATABASE, e);
    if (rc == RC_OK && !fs_exists(from))
        return err_say(e, RC_NOT_FOUND, "There is no database at %s yet.", from);
    if (rc == RC_OK)
        rc = db_open(from, DB_READ_ONLY, &db, e);
    if (rc == RC_OK)
        rc = db_backup(db, to, e);
    if (rc == RC_CONFLICT)
        return err_say(e, rc, "%s exists already. Nothing was written.", to);
    return rc;
}

int cmd_backup(int argc, char **argv)
{
    struct err e = ERR_INIT;
    AUTO(config) c = NULL;
    if (argc != 2) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    enum rc rc = cli_open(&c, NULL, &e);
    if (rc == RC_OK)
        rc = backup(c, argv[1], &e);
    if (rc != RC_OK)
        return cli_fail(&e);
    printf("The database is in %s. Keep it as safe as the original.\n", argv[1]);
    return 0;
}
