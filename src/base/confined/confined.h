/*
 * Runs a program that parses untrusted bytes, or that is untrusted itself. It can read its own libraries and
 * what `reads` names, and nothing else; it can write to its pipes, and to files in `folder` if it has one.
 *
 * The bytes are its standard input, a file in memory, so it can seek in them. Its environment is a PATH and a
 * locale, or what the caller gives. It has no new privileges, a process group of its own, limits of time,
 * memory and output, and no way to make processes, sockets or core files, or to send signals (confine.h). On
 * a kernel without Landlock it can read all files that we can; a strict one does not run there.
 *
 * The size of the folder, all bytes that it has written, and its threads are measured every
 * CONFINED_MEASURE_MS. A fast program can therefore exceed these limits for a moment.
 */
#ifndef ALFRED_BASE_CONFINED_H
#define ALFRED_BASE_CONFINED_H

#include "base/fs.h"
#include "base/strbuf.h"

#define CONFINED_WORDS_MAX   200
#define CONFINED_MEASURE_MS  50
#define CONFINED_FILE_COST   4096 /* bytes that a file in the folder counts besides its content */
#define CONFINED_WRITE_TIMES 8    /* it may write so many times folder_max, also to files that it removes */

struct confined {
    const char *const *argv;        /* ends with NULL; the first is a path */
    const char *const *reads;       /* files and folders; ends with NULL; what does not exist is left out */
    const char *const *environment; /* ends with NULL; NULL: the usual one */
    const char *folder; /* where it begins and may write, flat or with folders of one level; NULL: nowhere */
    const char *begins; /* the folder in it where it begins; NULL: in itself */
    size_t file_max, folder_max; /* bytes of a file in it, and of all */
    bool joined;                 /* its standard error is part of its output */
    bool strict;                 /* it runs only if its files and system calls are restricted */
    int threads;                 /* that it may have besides its first; 0: it cannot start any */
    struct str input;
    int64_t ms;    /* of the wall clock */
    int cpu_s;     /* of the processor */
    size_t memory; /* bytes of address space */
    int stop_fd;   /* ends it when this becomes readable; -1: none */
};

enum confined_outcome {
    CONFINED_ENDED,    /* by itself; `code` */
    CONFINED_CRASHED,  /* by a signal, also by its limit of processor time; `code` */
    CONFINED_LATE,     /* killed after `ms` */
    CONFINED_TOO_LONG, /* killed: its output does not fit the buffer */
    CONFINED_FULL,     /* killed: it has written too much */
    CONFINED_CROWDED,  /* killed: it has too many threads */
    CONFINED_STOPPED   /* killed because of stop_fd */
};

struct confined_end {
    enum confined_outcome outcome;
    int code;
    bool can_read_all;              /* the kernel has no Landlock */
    char words[CONFINED_WORDS_MAX]; /* the beginning of its standard error; any bytes, ends with NUL */
};

/* The path of an installed program, as execvp() finds it. False: there is none. */
bool confined_find(const char *name, char path[FS_PATH_MAX]);

/* Runs it to its end and adds its standard output to `out`. Blocks. RC_INTERNAL: it cannot be started.
 * RC_UNAVAILABLE: it cannot be started now. RC_UNSUPPORTED: `strict`, and the kernel has no Landlock. */
enum rc confined_run(const struct confined *c, struct strbuf *out, struct confined_end *end, struct err *e);

#endif
