/*
 * The program is this executable file, even when an upgrade has replaced or removed it. Its end closes the
 * pipe of its standard output. It does not outlive the helper: PR_SET_PDEATHSIG, and the supervisor kills the
 * helper's process group.
 */
#include "helper/models_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/config/config_table.h"
#include "app/mcp/mcp_list.h"
#include "app/models/model_lists.h"
#include "base/fs.h"
#include "base/log.h"

#define OWN_FILE "/proc/self/exe"

/* ---- the program ---- */

static enum rc open_store(const struct config *c, struct store **out, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = fs_join(path, c->server.data_dir, CONFIG_DATABASE, e);
    return rc == RC_OK ? store_open(path, 1, out, e) : rc;
}

struct asking_mcp {
    const struct mcp_servers *servers;
    struct store *store;
    const char *name; /* NULL: it is no MCP server */
    bool answered;
    pthread_t thread;
    bool started;
};

static void *ask_mcp(void *arg)
{
    struct asking_mcp *q = arg;
    size_t at = mcp_server_find(q->servers->config, q->name); /* it may have left the settings */
    q->answered = at == SIZE_MAX || mcp_list_ask(q->servers, at, q->store, NULL) == RC_OK;
    return NULL;
}

static void ask(
    const struct providers *p, const struct mcp_servers *servers, struct store *store, char **names)
{
    const struct str prefix = STR(CONFIG_MCP_PREFIX);
    AUTO(arena) a = arena_new();
    size_t n = 0;
    while (names[n])
        n++;
    const struct provider_source **sources = ARENA_ARRAY(a, const struct provider_source *, n);
    struct asking_mcp *mcp = ARENA_ARRAY(a, struct asking_mcp, n);
    bool *answered = ARENA_ARRAY(a, bool, n);
    char *answers = ARENA_ARRAY(a, char, n);
    for (size_t i = 0; i < n; i++) {
        bool is_mcp = str_starts(str_of(names[i]), prefix);
        mcp[i] = (struct asking_mcp){
            .servers = servers, .store = store, .name = is_mcp ? names[i] + prefix.len : NULL};
        mcp[i].started = is_mcp && pthread_create(&mcp[i].thread, NULL, ask_mcp, &mcp[i]) == 0;
        /* NULL: it has left the settings since the helper's start */
        sources[i] = is_mcp ? NULL : providers_source(p, names[i]);
    }
    model_lists_ask(p, sources, n, store, 0, answered);
    for (size_t i = 0; i < n; i++) {
        if (mcp[i].started)
            pthread_join(mcp[i].thread, NULL);
        if (mcp[i].name)
            answered[i] = mcp[i].answered;
    }
    for (size_t i = 0; i < n; i++)
        answers[i] = answered[i] ? MODELS_ASKED : MODELS_ABSENT;
    if (write(STDOUT_FILENO, answers, n) != (ssize_t)n)
        log_debug("the helper has ended");
}

int models_main(char **argv)
{
    struct err e = ERR_INIT;
    AUTO(config) c = NULL;
    AUTO(providers) p = NULL;
    AUTO(mcp_servers) servers = NULL;
    struct store *store = NULL;
    prctl(PR_SET_NAME, MODELS_PROGRAM); /* otherwise "exe" */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    log_init(MODELS_PROGRAM, LOG_INFO);
    enum rc rc = config_load(NULL, &c, &e);
    if (rc == RC_OK) {
        log_init(MODELS_PROGRAM, c->server.log_level);
        rc = sodium_init() < 0 ? err_set(&e, RC_INTERNAL, "libsodium cannot be initialised")
                               : providers_new(c, &p, &e);
    }
    if (rc == RC_OK)
        rc = mcp_servers_new(c, &servers, &e);
    if (rc == RC_OK)
        rc = open_store(c, &store, &e);
    if (rc == RC_OK)
        ask(p, servers, store, argv + 1);
    else
        log_error("%s: %s", rc_name(rc), e.text);
    store_free(store);
    return rc == RC_OK ? 0 : 1;
}

/* ---- its caller ---- */

static enum rc start(char *const *argv, int output, pid_t *pid, struct err *e)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    int failed = posix_spawn(pid, OWN_FILE, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed
               ? err_set(e, RC_INTERNAL, "cannot start the program %s: %s", MODELS_PROGRAM, strerror(failed))
               : RC_OK;
}

/* Reads the next byte; false: the program has ended, has to end, or says something else. */
static bool next_answer(int from, int stop_fd, bool *answered)
{
    struct pollfd fds[] = {{.fd = from, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    int ready;
    while ((ready = poll(fds, ARRAY_LEN(fds), (int)MODELS_SILENCE_MAX_MS)) < 0 && errno == EINTR)
        ;
    char c;
    if (ready <= 0 || fds[1].revents || read(from, &c, 1) != 1)
        return false;
    *answered = c == MODELS_ASKED;
    return c == MODELS_ASKED || c == MODELS_ABSENT;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

enum rc models_program_run(const char *const *names, size_t n, int stop_fd, bool *answered, struct err *e)
{
    AUTO(arena) a = arena_new();
    char **argv = ARENA_ARRAY(a, char *, n + 2);
    int ends[2];
    pid_t pid;
    argv[0] = arena_strdup(a, MODELS_PROGRAM);
    for (size_t i = 0; i < n; i++) {
        argv[i + 1] = arena_strdup(a, names[i]);
        answered[i] = false;
    }
    argv[n + 1] = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set(e, RC_INTERNAL, "pipe: %s", strerror(errno));
    enum rc rc = start(argv, ends[1], &pid, e);
    close(ends[1]);
    size_t i = 0;
    while (rc == RC_OK && i < n && next_answer(ends[0], stop_fd, &answered[i]))
        i++;
    close(ends[0]);
    if (rc != RC_OK)
        return rc;
    if (i < n)
        kill(pid, SIGKILL); /* it has ended already, is silent, or the helper is stopping */
    int status = wait_for(pid);
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    if (i == n || poll(&stop, 1, 0) > 0)
        return RC_OK;
    return WIFEXITED(status) ? err_set(e, RC_INTERNAL, "the program %s ended with exit code %d",
                                   MODELS_PROGRAM, WEXITSTATUS(status))
                             : err_set(e, RC_INTERNAL, "the program %s was ended by signal %d",
                                   MODELS_PROGRAM, WTERMSIG(status));
}
