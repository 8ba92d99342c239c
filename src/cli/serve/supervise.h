/*
 * Keeps programs running: starts them, restarts those that end, forwards the stop signal, and leaves no
 * process behind.
 *
 * Restarts: the first at once, the next ones after 100 ms, doubling up to 10 s. After 30 s of running, the
 * next restart is a first one again. Stop (SIGTERM, and SIGINT and SIGHUP unless our parent ignores them):
 * programs of phase 0 get their stop signal at once. Those of phase 1 get it when phase 0 has ended or half
 * of the time is over. After SUPERVISE_STOP_MS, or at a second signal, the remaining programs are killed. A
 * signal within SUPERVISE_AGAIN_MS is the same one: a closed terminal sends SIGHUP and so does its shell, and
 * some managers signal the group and the process.
 *
 * Every program leads its own process group, so Ctrl-C on a terminal reaches the supervisor only, and the
 * whole group can be killed. The kernel sends a program its `death_signal` if the supervisor is killed.
 */
#ifndef ALFRED_CLI_SERVE_SUPERVISE_H
#define ALFRED_CLI_SERVE_SUPERVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/serve/renewal.h"

#define SUPERVISE_STOP_MS  5000
#define SUPERVISE_AGAIN_MS 500
#define SUPERVISE_PROGRAMS 8

struct program {
    const char *name;        /* for the log */
    const char *const *argv; /* [0] is the path to execute */
    const char *const *envp; /* NULL: ours */
    const char *dir;         /* its working directory; NULL: ours */
    int input;               /* becomes descriptor 0; -1: /dev/null */
    const int *keep;         /* descriptors that stay open with their numbers */
    size_t keep_n;
    int stop_signal, death_signal;
    int stop_phase;       /* 0 or 1 */
    int nice;             /* see setpriority(2); a refusal is harmless */
    bool logs_through_us; /* it would block while nobody reads our standard error */
    bool once;            /* runs at the start, after the upgrade, and is not started again */
    pid_t pid; /* the upgrade of the database, which runs already: its failure ends the service; 0: none */
    struct renewal *certificate; /* gets SIGHUP within an hour after these files were replaced; NULL: none */
};

/* Blocks the signals that supervise() waits for. Call it early, so that none is lost before the wait. Ignores
 * SIGPIPE, so that a log whose reader has ended does not end the service. Programs start with neither. */
void supervise_take_signals(void);

/*
 * Runs all programs until a stop signal. Returns the exit code: 0 for a stop, 1 when a program does not
 * start. The descriptors in `listening` are closed when stopping begins, so that no client waits in the
 * backlog of a stopping service.
 */
int supervise(const struct program *programs, size_t n, int *listening, size_t listening_n);

/* Waits for the end of a child of fork(). False: a stop signal came, and the child was killed. */
bool supervise_wait_child(pid_t pid, int *status);

/* Runs one program to its end and returns its exit code; 128 + signal when killed, 127 when it does not
 * start. Its output is discarded. */
int supervise_wait_for(const char *const *argv);

#endif
