/* alfred backup FILE: a copy of the live database, also while Alfred runs. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"

static enum rc backup(const struct config *c, const char *to, struct err *e)
{
    char from[FS_PATH_MAX];
    AUTO(db) db = NULL;
    enum rc rc = fs_join(from, c->server.data_dir, CONFIG_DATABASE, e);
    if (rc == RC_OK && access(from, R_OK) != 0) {
        if (errno == ENOENT)
            return err_tell(e, RC_NOT_FOUND, "There is no database at %s yet.", from);
        if (errno == EACCES) /* only then: a disk that cannot be written can be copied */
            rc = cli_check_data(c, e);
    }
    if (rc == RC_OK)
        rc = db_check_log(from, e);
    if (rc == RC_OK)
        rc = db_open(from, DB_READ_ONLY, &db, e);
    return rc == RC_OK ? db_backup(db, to, e) : rc;
}

int cmd_backup(const struct command_line *l)
{
    struct err e = ERR_INIT;
    AUTO(config) c = NULL;
    enum rc rc = cli_open(&c, NULL, &e);
    if (rc == RC_OK)
        rc = backup(c, l->args[0], &e);
    if (rc != RC_OK)
        return cli_fail(&e);
    printf("The backup is in %s. Protect it like the original.\n", l->args[0]);
    return 0;
}
