#include "cli/serve/ask_models.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/models/model_lists.h"
#include "base/fs.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/serve/supervise.h"

#define NO_STORE 3 /* exit code of the child: it has printed why the store cannot be opened */

/* Runs in the child. The child holds our locks and sockets, so it must not outlive us. */
static void ask(const struct config *c, const struct providers *p, pid_t parent)
{
    char path[FS_PATH_MAX];
    struct store *store = NULL;
    struct err e = ERR_INIT;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    enum rc rc = fs_join(path, c->server.data_dir, CONFIG_DATABASE, &e);
    if (rc == RC_OK)
        rc = store_open(path, 1, &store, &e);
    if (rc == RC_OK)
        model_lists_start(p, store);
    else
        cli_fail(&e);
    store_free(store);
    _exit(rc == RC_OK ? 0 : NO_STORE);
}

enum rc ask_models(const struct config *c, const struct providers *p, struct err *e)
{
    pid_t parent = getpid(), pid = fork();
    int status = 0;
    if (pid == 0)
        ask(c, p, parent);
    if (pid < 0)
        log_warn("cannot ask the providers for their models: fork: %s", strerror(errno));
    if (pid > 0 && !supervise_wait_child(pid, &status))
        return err_set(e, RC_CANCELLED, "stopped during the start");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_STORE)
        return err_tell(e, RC_UNAVAILABLE, "Alfred does not start without its database.");
    return RC_OK;
}
