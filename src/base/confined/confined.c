#include "base/confined/confined.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/confined/confine.h"
#include "base/mem.h"

#define NOT_STARTED 127 /* exit code */
#define SIGNALS_MAX 64

/* Every program needs these. */
static const char *const libraries[] = {"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64",
    "/usr/local/lib", "/etc/ld.so.cache", NULL};

bool confined_find(const char *name, char path[FS_PATH_MAX])
{
    const char *folders = getenv("PATH"); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    struct str rest = str_of(folders ? folders : "");
    while (rest.s) {
        struct str folder = str_cut(&rest, ':');
        int n = snprintf(path, FS_PATH_MAX, "%.*s/%s", STR_FMT(folder), name);
        if (folder.len && n < FS_PATH_MAX && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* ---- the child ---- */

struct child {
    const struct confined *c;
    struct confine limits;
    int folder; /* -1: it begins where we are */
    int in, out, words;
    pid_t parent;
};

/* Between fork() and exec(): async-signal-safe functions only. */
_Noreturn static void become(const struct child *x)
{
    static const char *const usual[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
    const char *const *environment = x->c->environment ? x->c->environment : usual;
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != x->parent) /* it has ended before */
        _exit(NOT_STARTED);
    for (int n = 1; n < SIGNALS_MAX; n++)
        sigaction(n, &standard, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(x->in, STDIN_FILENO) < 0 || dup2(x->out, STDOUT_FILENO) < 0 || dup2(x->words, STDERR_FILENO) < 0)
        _exit(NOT_STARTED);
    if (x->folder >= 0 && fchdir(x->folder) != 0)
        _exit(NOT_STARTED);
    /* all of ours have FD_CLOEXEC; a library may have one without */
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    if (confine_self(&x->limits))
        execve(x->c->argv[0], (char *const *)x->c->argv, (char *const *)environment);
    _exit(NOT_STARTED);
}

/* ---- the parent ---- */

struct running {
    const struct confined *c;
    int input, out[2], words[2], process, folder; /* descriptors; -1: none */
    pid_t pid;
    struct confined_end *end;
};

static enum rc prepare(struct running *r, struct err *e)
{
    const struct confined *c = r->c;
    r->input = memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (r->input < 0 || pipe2(r->out, O_CLOEXEC) != 0 || pipe2(r->words, O_CLOEXEC) != 0)
        return err_set(e, RC_UNAVAILABLE, "a pipe for %s: %s", c->argv[0], strerror(errno));
    enum rc rc = fs_write_all(r->input, c->input.s, c->input.len, e);
    if (rc == RC_OK && lseek(r->input, 0, SEEK_SET) != 0)
        rc = err_set(e, RC_UNAVAILABLE, "lseek: %s", strerror(errno));
    if (rc == RC_OK && fcntl(r->input, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) != 0)
        rc = err_set(e, RC_UNAVAILABLE, "sealing the input: %s", strerror(errno));
    if (rc != RC_OK || !c->folder)
        return rc;
    const char *begins = c->begins ? c->begins : c->folder;
    r->folder = open(begins, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return r->folder < 0 ? err_set(e, RC_UNAVAILABLE, "%s: %s", begins, strerror(errno)) : RC_OK;
}

static enum rc start(struct running *r, struct err *e)
{
    const char *const reads[] = {r->c->argv[0], NULL};
    struct child x = {.c = r->c,
        .limits = {.rules = -1,
            .cpu_s = r->c->cpu_s,
            .memory = r->c->memory,
            .file_max = r->c->folder ? r->c->file_max : 0,
            .strict = r->c->strict,
            .threads = r->c->threads > 0},
        .folder = r->folder,
        .in = r->input,
        .out = r->out[1],
        .words = r->c->joined ? r->out[1] : r->words[1],
        .parent = getpid()};
    const char *const *lists[] = {libraries, r->c->reads, reads};
    x.limits.rules = confine_rules(lists, ARRAY_LEN(lists), r->c->folder);
    r->end->can_read_all = x.limits.rules < 0;
    if (r->c->strict && r->end->can_read_all)
        return err_set(e, RC_UNSUPPORTED, "this kernel has no Landlock, so %s is not run", r->c->argv[0]);
    r->pid = fork();
    if (r->pid == 0)
        become(&x);
    int failed = errno;
    fs_close(&x.limits.rules);
    if (r->pid < 0)
        return err_set(e, RC_UNAVAILABLE, "cannot start %s: %s", r->c->argv[0], strerror(failed));
    setpgid(r->pid, r->pid); /* whoever of the two is first */
    fs_close(&r->out[1]);
    fs_close(&r->words[1]);
    r->process = (int)syscall(SYS_pidfd_open, r->pid, 0);
    return r->process < 0 ? err_set(e, RC_UNAVAILABLE, "pidfd_open: %s", strerror(errno)) : RC_OK;
}

/* Reads what there is; closes the pipe at its end. False: it does not fit. */
static bool read_some(int *from, struct strbuf *out)
{
    char piece[16384];
    ssize_t n = read(*from, piece, sizeof piece);
    if (n > 0)
        strbuf_add(out, piece, (size_t)n);
    else if (n == 0 || errno != EINTR)
        fs_close(from);
    return !out->failed;
}

/* Drops the rest that does not fit. */
static void read_words(struct running *r)
{
    char piece[4096];
    char *words = r->end->words;
    size_t len = strlen(words);
    ssize_t n = read(r->words[0], piece, sizeof piece);
    if (n > 0)
        snprintf(words + len, CONFINED_WORDS_MAX - len, "%.*s", (int)n, piece);
    else if (n == 0 || errno != EINTR)
        fs_close(&r->words[0]);
}

/* ---- what it writes ---- */

/* Bytes on the disk of the files of a folder, and of the folders in it down to `depth`. Closes `dir`. */
static uint64_t size_of(int dir, int depth)
{
    uint64_t bytes = 0;
    DIR *d = fdopendir(dir);
    if (!d) {
        fs_close(&dir);
        return 0;
    }
    for (struct dirent *at; (at = readdir(d));) {
        struct stat st;
        if (at->d_name[0] == '.' && (!at->d_name[1] || (at->d_name[1] == '.' && !at->d_name[2])))
            continue;
        if (fstatat(dirfd(d), at->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bytes += CONFINED_FILE_COST + (uint64_t)st.st_blocks * 512; /* the unit of st_blocks */
        int below = S_ISDIR(st.st_mode) && depth > 0
                        ? openat(dirfd(d), at->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                        : -1;
        if (below >= 0)
            bytes += size_of(below, depth - 1);
    }
    closedir(d);
    return bytes;
}

/* Bytes that a process has written, also to files that have no name any more. 0: unknown. */
static uint64_t written_by(pid_t pid)
{
    static const char *const counts[] = {"wchar: ", "write_bytes: "};
    char path[32], text[512];
    uint64_t most = 0;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        const char *at = strstr(text, counts[i]);
        uint64_t bytes = at ? strtoull(at + strlen(counts[i]), NULL, 10) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static bool wrote_too_much(const struct running *r)
{
    const struct confined *c = r->c;
    if (!c->folder)
        return false;
    int dir = open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return (dir >= 0 && size_of(dir, 1) > c->folder_max) ||
           written_by(r->pid) > CONFINED_WRITE_TIMES * (uint64_t)c->folder_max;
}

/* /proc/PID/task has a link for each thread besides those of a folder. */
static bool has_too_many_threads(const struct running *r)
{
    char path[32];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/task", (int)r->pid);
    return r->c->threads && stat(path, &st) == 0 && st.st_nlink > 2 + 1 + (nlink_t)r->c->threads;
}

/* Until it has ended and all of its output is read, or it has to be killed. */
static enum confined_outcome follow(struct running *r, struct strbuf *out)
{
    int64_t until = clock_mono_ms() + r->c->ms, measure = clock_mono_ms();
    bool ended = false;
    while (!ended || r->out[0] >= 0 || r->words[0] >= 0) {
        struct pollfd fds[] = {{.fd = r->out[0], .events = POLLIN}, {.fd = r->words[0], .events = POLLIN},
            {.fd = ended ? -1 : r->process, .events = POLLIN}, {.fd = r->c->stop_fd, .events = POLLIN}};
        int64_t now = clock_mono_ms(), left = until - now;
        if (left <= 0)
            return CONFINED_LATE;
        bool measures = r->c->folder || r->c->threads;
        if (measures && now >= measure) {
            if (wrote_too_much(r))
                return CONFINED_FULL;
            if (has_too_many_threads(r))
                return CONFINED_CROWDED;
            measure = clock_mono_ms() + CONFINED_MEASURE_MS;
        }
        left = measures && left > CONFINED_MEASURE_MS ? CONFINED_MEASURE_MS : left;
        if (poll(fds, ARRAY_LEN(fds), (int)left) <= 0)
            continue;
        if (fds[3].revents)
            return CONFINED_STOPPED;
        if (fds[0].revents && !read_some(&r->out[0], out))
            return CONFINED_TOO_LONG;
        if (fds[1].revents)
            read_words(r);
        ended = ended || fds[2].revents;
    }
    return CONFINED_ENDED;
}

static void reap(struct running *r)
{
    int status = 0;
    if (r->end->outcome != CONFINED_ENDED)
        kill(-r->pid, SIGKILL);
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (r->end->outcome == CONFINED_ENDED && WIFSIGNALED(status))
        r->end->outcome = CONFINED_CRASHED;
    r->end->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

enum rc confined_run(const struct confined *c, struct strbuf *out, struct confined_end *end, struct err *e)
{
    struct running r = {.c = c,
        .input = -1,
        .out = {-1, -1},
        .words = {-1, -1},
        .process = -1,
        .folder = -1,
        .pid = -1,
        .end = end};
    *end = (struct confined_end){.outcome = CONFINED_STOPPED};
    enum rc rc = prepare(&r, e);
    if (rc == RC_OK)
        rc = start(&r, e);
    if (rc == RC_OK)
        end->outcome = follow(&r, out);
    if (r.pid > 0)
        reap(&r);
    int *const all[] = {&r.input, &r.out[0], &r.out[1], &r.words[0], &r.words[1], &r.process, &r.folder};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        fs_close(all[i]);
    if (rc == RC_OK && end->outcome == CONFINED_ENDED && end->code == NOT_STARTED)
        rc = err_set(e, RC_INTERNAL, "%s cannot be started", c->argv[0]);
    return rc;
}
