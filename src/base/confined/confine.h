/* What a child process gives up before it becomes another program (confined.h). */
#ifndef ALFRED_BASE_CONFINE_H
#define ALFRED_BASE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

struct confine {
    int rules; /* a ruleset of Landlock; -1: the kernel has none */
    int cpu_s;
    size_t memory;
    size_t file_max; /* bytes of a file that it writes */
    bool strict;     /* without a filter of system calls it does not run */
    bool threads;    /* it may start some */
};

/* A ruleset that allows to read and run the files and folders of `n` lists, which end with NULL, and to make
 * and change files in `folder` (NULL: nowhere) and in the folders that it has. -1: the kernel has no
 * Landlock, or it is switched off. */
int confine_rules(const char *const *const *lists, size_t n, const char *folder);

/* Call it between fork() and exec(): async-signal-safe. False: a limit cannot be set. */
bool confine_self(const struct confine *c);

#endif
