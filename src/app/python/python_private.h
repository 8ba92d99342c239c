/* Shared by the files of app/python. */
#ifndef ALFRED_APP_PYTHON_PYTHON_PRIVATE_H
#define ALFRED_APP_PYTHON_PYTHON_PRIVATE_H

#include <pthread.h>

#include "app/python/python.h"

/* The interpreter, after it was asked once. */
struct python_interpreter {
    pthread_mutex_t lock; /* guards the others until `reads` is set, which never changes then */
    struct arena *arena;
    const char *const *reads; /* folders, with those of the settings; ends with NULL; NULL: not asked yet */
};

/* Asks it unless that was done. Fails like python_check(). */
enum rc python_interpreter_ask(struct python_interpreter *p, const struct config *c, struct err *e);

/* The folders of a run. */
struct python_folder {
    char path[FS_PATH_MAX]; /* of the run */
    char files[FS_PATH_MAX], home[FS_PATH_MAX];
};
enum rc python_folder_make(struct python_folder *f, const struct config *c, struct err *e);
/* Writes the given files. */
enum rc python_folder_fill(const struct python_folder *f, const struct python_run *r, struct err *e);
/* Reads what the code has made. Files that cannot be read are left out. */
void python_folder_read(const struct python_folder *f, size_t picture_max, struct python_run *r);
void python_folder_remove(const struct python_folder *f);
/* Removes what earlier processes have left. */
void python_folders_empty(const struct config *c);

#endif
