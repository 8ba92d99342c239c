#include "cli/serve/ask_models.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/models/model_lists.h"
#include "base/fs.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/serve/supervise.h"
#include "db/db.h"

#define UPGRADE_WAIT_MS 1000 /* after this time the programs start, and people get a page */
#define NO_STORE        3    /* exit code of the child: it has printed why the store cannot be opened */

static bool is_outdated(const char *database)
{
    struct db *db = NULL;
    bool outdated = false;
    if (fs_exists(database) && db_open(database, DB_READ_ONLY, &db, NULL) == RC_OK)
        db_is_outdated(db, &outdated, NULL); /* store_open() says what is wrong */
    db_close(db);
    return outdated;
}

/* Runs in the child. The child holds our locks and sockets, so it must not outlive us. `opened`: one byte
 * says that an upgrade begins, and its writing end is closed when the store is open. If the parent has closed
 * the other end before, the programs run, and the helper asks. */
static void ask(const struct providers *p, const char *database, pid_t parent, const int opened[2])
{
    struct store *store = NULL;
    struct err e = ERR_INIT;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    close(opened[0]);
    if (is_outdated(database) && write(opened[1], "", 1) != 1)
        _exit(1);
    enum rc rc = store_open(database, 1, &store, &e);
    bool awaited = poll(&(struct pollfd){.fd = opened[1]}, 1, 0) == 0;
    close(opened[1]);
    if (rc == RC_OK && awaited)
        model_lists_start(p, store);
    if (rc != RC_OK)
        cli_fail(&e);
    store_free(store);
    _exit(rc == RC_OK ? 0 : NO_STORE);
}

/* True when an upgrade takes long. However slow the machine is, a start without one is none. */
static bool upgrades_for_long(int opened)
{
    struct pollfd p = {.fd = opened, .events = POLLIN};
    char byte;
    return read(opened, &byte, 1) == 1 && poll(&p, 1, UPGRADE_WAIT_MS) == 0;
}

enum rc ask_models(const struct config *c, const struct providers *p, pid_t *upgrade, struct err *e)
{
    char path[FS_PATH_MAX];
    int opened[2], status = 0;
    enum rc rc = fs_join(path, c->server.data_dir, CONFIG_DATABASE, e);
    if (rc != RC_OK)
        return rc;
    if (pipe2(opened, O_CLOEXEC) < 0)
        return err_set(e, RC_IO, "pipe: %s", strerror(errno));
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        ask(p, path, parent, opened);
    close(opened[1]);
    if (pid < 0)
        log_warn("cannot ask the providers for their models: fork: %s", strerror(errno));
    else
        setpgid(pid, pid); /* as every program of supervise() */
    bool upgrades = pid > 0 && upgrades_for_long(opened[0]);
    close(opened[0]);
    if (upgrades) {
        setenv(CONFIG_UPGRADE_ENV, "1", 1);
        *upgrade = pid;
        return RC_OK;
    }
    if (pid > 0 && !supervise_wait_child(pid, &status))
        return err_set(e, RC_CANCELLED, "stopped during the start");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_STORE)
        return err_tell(e, RC_UNAVAILABLE, "Alfred does not start without its database.");
    return RC_OK;
}
