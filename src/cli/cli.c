#include "cli/cli.h"

#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fs.h"

#define CLI_READERS 1

int cli_fail(const struct err *e)
{
    fprintf(stderr, "alfred: %s\n", *e->text ? e->text : rc_name(e->rc));
    return 1;
}

enum rc cli_open(struct config **c, struct store **store, struct err *e)
{
    char path[FS_PATH_MAX];
    umask(S_IRWXG | S_IRWXO);
    if (sodium_init() < 0)
        return err_set(e, RC_INTERNAL, "libsodium does not start");
    enum rc rc = config_load(NULL, c, e);
    if (rc != RC_OK || !store)
        return rc;
    log_init("alfred", (*c)->server.log_level);
    if ((rc = fs_mkdirs((*c)->server.data_dir, e)) != RC_OK ||
        (rc = fs_join(path, (*c)->server.data_dir, CONFIG_DATABASE, e)) != RC_OK)
        return rc;
    return store_open(path, CLI_READERS, store, e);
}
