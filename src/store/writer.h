/*
 * The connection that writes, and the queue of the closures that wait for it (store.h). For store.c only.
 */
#ifndef ALFRED_STORE_WRITER_H
#define ALFRED_STORE_WRITER_H

#include "store/store.h"

struct writer;

enum durability {
    DURABLE,
    LAZY, /* the commit need not wait for the disk */
};

/* Opens and migrates the database, and starts the writer thread. Failures: those of db.h; RC_UNAVAILABLE: no
 * thread. */
enum rc writer_new(const char *path, struct writer **out, struct err *e);
/* store_write_within() with that durability. */
enum rc writer_run(
    struct writer *w, enum durability durability, int64_t wait_ms, store_fn *fn, void *arg, struct err *e);
void writer_checkpoint_at(struct writer *w, int pages); /* db_checkpoint_at(); before the first write */
/* As store_stop(). */
void writer_stop(struct writer *w);
/* Stops it and closes the connection; NULL is fine. The last connection of all programs that is closed makes
 * a checkpoint, so readers are closed before. */
void writer_free(struct writer *w);

#endif
