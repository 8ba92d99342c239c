#include "cli/serve/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"

#define BACKOFF_FIRST_MS 100
#define BACKOFF_MAX_MS   10000
#define SETTLED_MS       30000 /* after this time a program counts as stable */
#define PROVED_MS        2000  /* after this time a program has started successfully */
#define START_TRIES      4
#define KILLS_MAX        50      /* early ends in a row after which SIGKILL counts as a crash */
#define RENEWAL_MS       3600000 /* between two looks at a program's certificate */
#define EXIT_NO_EXEC     127
#define PASSED_ON_MAX    65536 /* a pipe's buffer, so that no line is cut */

struct child {
    const struct program *p;
    pid_t pid; /* 0: not running */
    int64_t started_at, start_at;
    int64_t backoff; /* delay of the next restart; 0: immediate */
    bool told;       /* has its stop signal */
    bool killed;     /* killed because it did not stop */
    bool proved;     /* has once run for PROVED_MS */
    int refusals;    /* failed first starts in a row */
    int early_ends;  /* in a row, before PROVED_MS */
};

struct supervisor {
    struct child children[SUPERVISE_PROGRAMS];
    size_t n;
    int *listening;
    size_t listening_n;
    int64_t stop_at;    /* time when stopping began; 0: not stopping */
    int64_t renewal_at; /* time of the next renewal_step() */
    bool kill_now;
    bool upgrading; /* the database was being upgraded when stopping began */
    int exit_code;
    int log[2]; /* a pipe: the standard error of programs that log through us. Neither end blocks. */
};

static bool is_ignored(int signal_no)
{
    struct sigaction now;
    return sigaction(signal_no, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Without signals that our parent ignores: nohup ignores SIGHUP, and a shell without job control ignores
 * SIGINT for its background jobs. A blocked signal would wait for us all the same. */
static sigset_t waited_for(void)
{
    static const int may_be_ignored[] = {SIGINT, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < ARRAY_LEN(may_be_ignored); i++)
        if (!is_ignored(may_be_ignored[i]))
            sigaddset(&set, may_be_ignored[i]);
    return set;
}

void supervise_take_signals(void)
{
    sigset_t set = waited_for();
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* In the child, before exec. */
static void give_signals_back(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child, between fork and exec: async-signal-safe calls only. */
static void become(const struct program *p, pid_t parent, int log)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, p->death_signal);
    if (p->nice)
        setpriority(PRIO_PROCESS, 0, p->nice);
    if (getppid() != parent) /* the parent died before prctl() */
        _exit(0);
    if (p->dir && chdir(p->dir) < 0)
        _exit(EXIT_NO_EXEC);
    int in = p->input >= 0 ? p->input : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0)
        _exit(EXIT_NO_EXEC);
    if (p->logs_through_us && dup2(log, STDERR_FILENO) < 0)
        _exit(EXIT_NO_EXEC);
    for (size_t i = 0; i < p->keep_n; i++)
        fcntl(p->keep[i], F_SETFD, 0);
    give_signals_back();
    execve(p->argv[0], (char *const *)p->argv, p->envp ? (char *const *)p->envp : environ);
    _exit(EXIT_NO_EXEC);
}

static int64_t next_backoff(int64_t now)
{
    int64_t next = now ? now * 2 : BACKOFF_FIRST_MS;
    return next > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : next;
}

static void start(const struct supervisor *s, struct child *c, int64_t now)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(c->p, parent, s->log[1]);
    if (pid < 0) {
        log_error("cannot start %s: %s", c->p->name, strerror(errno));
        c->backoff = next_backoff(c->backoff);
        c->start_at = now + c->backoff;
        return;
    }
    setpgid(pid, pid); /* also in the parent: the group exists before it is signalled */
    c->pid = pid;
    c->started_at = now;
}

static void begin_stop(struct supervisor *s, int64_t now);

static void fail(struct supervisor *s, int64_t now)
{
    s->exit_code = 1;
    begin_stop(s, now);
}

static bool upgrades(const struct supervisor *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->children[i].p->pid && s->children[i].pid)
            return true;
    return false;
}

/* True when a program exits by itself soon after its start, again and again: a database of a newer
 * version, a broken certificate. Restarting does not help. A crash is not a refusal. */
static bool refuses(struct child *c, int status, int64_t now)
{
    c->proved = c->proved || now - c->started_at >= PROVED_MS || WIFSIGNALED(status);
    return !c->proved && ++c->refusals == START_TRIES;
}

static void ended(struct supervisor *s, struct child *c, int status, int64_t now)
{
    kill(-c->pid, SIGKILL); /* processes that it started, such as nginx's workers, would keep running */
    c->pid = 0;
    if (s->stop_at || (c->p->once && WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return;
    if (WIFSIGNALED(status))
        log_error(
            "%s was ended by signal %d (%s)", c->p->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        log_error("%s ended with exit code %d", c->p->name, WEXITSTATUS(status));
    if (c->p->pid)
        fail(s, now);
    if (c->p->once)
        return;
    if (refuses(c, status, now)) {
        log_error("%s does not start", c->p->name);
        fail(s, now);
        return;
    }
    if (now - c->started_at >= SETTLED_MS)
        c->backoff = 0;
    c->early_ends = now - c->started_at < PROVED_MS ? c->early_ends + 1 : 0;
    /* SIGKILL comes from the user or the kernel and does not mean that the program is faulty. But where
     * memory is short, the kernel kills a program at each of its starts. */
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (killed && c->early_ends <= KILLS_MAX && c->backoff > BACKOFF_FIRST_MS)
        c->backoff = BACKOFF_FIRST_MS;
    log_info("%s starts again in %lld ms", c->p->name, (long long)c->backoff);
    c->start_at = now + c->backoff;
    c->backoff = next_backoff(c->backoff);
}

static void reap(struct supervisor *s, int64_t now)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (size_t i = 0; i < s->n; i++)
            if (s->children[i].pid == pid)
                ended(s, &s->children[i], status, now);
}

static bool any_runs(const struct supervisor *s, int phase)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->children[i].pid && (phase < 0 || s->children[i].p->stop_phase == phase))
            return true;
    return false;
}

static void tell(struct supervisor *s, int phase)
{
    for (size_t i = 0; i < s->n; i++) {
        struct child *c = &s->children[i];
        if (c->pid && !c->told && c->p->stop_phase == phase) {
            kill(c->pid, c->p->stop_signal);
            c->told = true;
        }
    }
}

static void begin_stop(struct supervisor *s, int64_t now)
{
    if (s->stop_at)
        return;
    s->stop_at = now;
    s->upgrading = s->kill_now = upgrades(s); /* nothing is being answered, and the programs wait for it */
    for (size_t i = 0; i < s->listening_n; i++)
        fs_close(&s->listening[i]);
    tell(s, 0);
}

/* Takes the next step of stopping when it is due. Returns the time of the next step, -1: none is
 * scheduled. */
static int64_t stop_step(struct supervisor *s, int64_t now)
{
    int64_t half = s->stop_at + SUPERVISE_STOP_MS / 2, end = s->stop_at + SUPERVISE_STOP_MS;
    if (!any_runs(s, 0) || now >= half)
        tell(s, 1);
    if (now < end && !s->kill_now)
        return now < half ? half : end;
    for (size_t i = 0; i < s->n; i++)
        if (s->children[i].pid && !s->children[i].killed) {
            if (!s->upgrading)
                log_warn("%s did not stop in time and is killed", s->children[i].p->name);
            kill(-s->children[i].pid, SIGKILL);
            s->children[i].killed = true;
        }
    return -1;
}

/* Starts the programs that are due. Returns the time of the next start, -1: none waits. */
static int64_t start_step(struct supervisor *s, int64_t now)
{
    int64_t next = -1;
    for (size_t i = 0; i < s->n; i++) {
        struct child *c = &s->children[i];
        if (c->pid || (c->p->once && (c->started_at || upgrades(s))))
            continue;
        if (c->start_at <= now)
            start(s, c, now);
        if (!c->pid && (next < 0 || c->start_at < next))
            next = c->start_at;
    }
    return next;
}

/* Returns the time of the next look. */
static int64_t renewal_step(struct supervisor *s, int64_t now)
{
    if (now < s->renewal_at)
        return s->renewal_at;
    s->renewal_at = now + RENEWAL_MS;
    for (size_t i = 0; i < s->n; i++) {
        const struct child *c = &s->children[i];
        if (!c->pid || !c->p->certificate || !renewal_noticed(c->p->certificate))
            continue;
        log_info("%s loads a renewed certificate", c->p->name);
        kill(c->pid, SIGHUP);
    }
    return s->renewal_at;
}

/* Takes the steps that are due. Returns the time of the next one, -1: none is scheduled. */
static int64_t take_steps(struct supervisor *s, int64_t now)
{
    if (s->stop_at)
        return stop_step(s, now);
    int64_t start_at = start_step(s, now), renewal_at = renewal_step(s, now);
    return start_at >= 0 && start_at < renewal_at ? start_at : renewal_at;
}

static void take_signals(struct supervisor *s, int fd)
{
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        int64_t now = clock_mono_ms();
        if (info.ssi_signo == SIGCHLD) {
            reap(s, now);
        } else {
            s->kill_now = s->kill_now || (s->stop_at && now - s->stop_at >= SUPERVISE_AGAIN_MS);
            begin_stop(s, now);
        }
    }
}

static void pass_on(const struct supervisor *s)
{
    char lines[PASSED_ON_MAX];
    ssize_t n = read(s->log[0], lines, sizeof lines);
    if (n > 0)
        log_pass_on((struct str){lines, (size_t)n});
}

static int run(struct supervisor *s, int signals)
{
    for (;;) {
        int64_t now = clock_mono_ms();
        int64_t due = take_steps(s, now);
        if (s->stop_at && !any_runs(s, -1))
            return s->exit_code;
        int64_t wait = due < 0 ? -1 : due > now ? due - now : 0;
        struct pollfd p[] = {{.fd = signals, .events = POLLIN}, {.fd = s->log[0], .events = POLLIN}};
        if (poll(p, ARRAY_LEN(p), (int)wait) <= 0)
            continue;
        pass_on(s);
        take_signals(s, signals);
    }
}

int supervise(const struct program *programs, size_t n, int *listening, size_t listening_n)
{
    struct supervisor s = {.n = n, .listening = listening, .listening_n = listening_n};
    s.renewal_at = clock_mono_ms() + RENEWAL_MS;
    for (size_t i = 0; i < n; i++)
        s.children[i] = (struct child){
            .p = &programs[i], .pid = programs[i].pid, .started_at = programs[i].pid ? clock_mono_ms() : 0};
    prctl(PR_SET_CHILD_SUBREAPER,
        1); /* orphans of a killed program become our children, and reap() ends them */
    sigset_t set = waited_for();
    sigprocmask(SIG_BLOCK, &set, NULL);
    AUTO_FD fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0 || pipe2(s.log, O_CLOEXEC | O_NONBLOCK) < 0) {
        log_error("no descriptor for the signals or the logs of the programs: %s", strerror(errno));
        return 1;
    }
    int code = run(&s, fd);
    pass_on(&s);
    close(s.log[0]);
    close(s.log[1]);
    return code;
}

bool supervise_wait_child(pid_t pid, int *status)
{
    sigset_t set = waited_for();
    for (int signal_no = SIGCHLD; signal_no == SIGCHLD || signal_no < 0; signal_no = sigwaitinfo(&set, NULL))
        if (waitpid(pid, status, WNOHANG) != 0)
            return true;
    kill(pid, SIGKILL);
    waitpid(pid, status, 0);
    return false;
}

int supervise_wait_for(const char *const *argv)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        give_signals_back();
        if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
            dup2(null, STDERR_FILENO) < 0)
            _exit(EXIT_NO_EXEC);
        execvp(argv[0], (char *const *)argv);
        _exit(EXIT_NO_EXEC);
    }
    int status;
    if (pid < 0)
        return EXIT_NO_EXEC;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_NO_EXEC;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
