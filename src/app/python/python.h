/*
 * Python code of models ([python]), for the tool run_python. A tool says what it wants with python_want()
 * (net/awaited.h).
 *
 * A run is a confined process (base/confined/confined.h): no network, no other processes, limits of time,
 * memory, output and disk. It reads the folders of its interpreter and [python] reads, and has a folder of
 * its own below data_dir/python, with the files that it was given. The folder is removed after the run; those
 * that a crash has left are removed at the next start. A thread waits for the process; without a run there is
 * none. On a kernel that cannot confine a process no code runs.
 */
#ifndef ALFRED_APP_PYTHON_PYTHON_H
#define ALFRED_APP_PYTHON_PYTHON_H

#include <pthread.h>

#include "app/config/config.h"
#include "base/confined/confined.h"
#include "base/mem.h"
#include "net/awaited.h"

/* Runs at the same time. One more is refused with a sentence for the model. */
#define PYTHON_RUNS_MAX      4
#define PYTHON_RUNS_PER_USER 2

#define PYTHON_OUTPUT_MAX ((size_t)128 * 1024)       /* more ends the run */
#define PYTHON_FILE_MAX   ((size_t)32 * 1024 * 1024) /* of one file that it writes */
#define PYTHON_FOLDER_MAX ((size_t)64 * 1024 * 1024) /* of all, with those that it was given */
#define PYTHON_GIVEN_MAX  ((size_t)16 * 1024 * 1024) /* of the files that it is given */
#define PYTHON_THREADS    64                         /* besides the first */
#define PYTHON_NAME_MAX   200                        /* bytes of the name of such a file */
#define PYTHON_MADE_MAX   32                         /* files that it made and that are listed */
#define PYTHON_PICTURES   8                          /* of these, pictures whose bytes are read */

struct python_file {
    const char *name;
    size_t bytes;
    struct str content; /* .s NULL: of a file that it made: no picture, or one that is too large */
};

/* One run of a call. The turn engine owns it. */
struct python_run {
    struct awaited awaited;

    /* the request, set by python_want(), in the arena */
    struct arena *arena;
    struct str code;
    struct python_file *given;
    size_t given_n;

    /* the end, for the tool: with RC_OK the code ran, which may have failed */
    struct confined_end ended;
    struct strbuf output;                     /* valid UTF-8 without NUL; standard error is a part of it */
    struct python_file made[PYTHON_MADE_MAX]; /* new and changed files, by name */
    size_t made_n, more_made;                 /* those that are not in the list */

    pthread_t thread;
    int stop_fd; /* while it runs */
};

/* True when the owner has named an interpreter. */
bool python_configured(const struct config *c);
/* Starts the interpreter once. RC_BAD_INPUT, with a sentence: it does not answer as Python does.
 * RC_UNSUPPORTED, with a sentence: this kernel cannot confine it. */
enum rc python_check(const struct config *c, struct err *e);

/* Any thread. The texts are copied. */
void python_want(struct python_run *r, struct str code);
/* Adds a file of at most PYTHON_GIVEN_MAX with the others. One with a name that is taken, or that cannot be
 * one, is renamed or left out: returns its name, NULL: it was left out. */
const char *python_give(struct python_run *r, struct str name, struct str content);
/* It must not run. A zeroed one is fine. */
void python_release(struct python_run *r);

/* The settings outlive the client. */
struct awaited_client *python_client_new(struct loop *l, const struct config *c);

#endif
