/*
 * Conversations into Alfred: Alfred's own export (docs/export.md), ChatGPT's conversations.json or the zip
 * that it comes in, Open WebUI's export of chats; each also packed with gzip.
 *
 * The file is read value by value, never as a whole. A conversation is written in transactions of at most
 * 100 ms (a message is never divided), each with the progress, and is hidden until all its messages are
 * there. A kill in between goes on where it was, and the same file twice adds nothing twice. What cannot be
 * read is passed over and counted.
 *
 * All of a file is data: ids in it are only used to tell its parts apart, calls of tools are kept to be read
 * and never run, nothing runs a turn. Times, titles and branches stay as they were.
 */
#ifndef ALFRED_APP_TRANSFER_IMPORT_H
#define ALFRED_APP_TRANSFER_IMPORT_H

#include "app/config/config.h"
#include "store/transfer.h"

struct import_args {
    struct store *store;
    const struct config *config;
    const char *path;
    int64_t write_ms; /* of a transaction, before its commit; 0: IMPORT_WRITE_MS */
    /* Asked after each transaction, and between pieces of the file: true ends the call for now. NULL: never.
     */
    bool (*pause)(void *arg);
    /* After each conversation; may be NULL. */
    void (*progress)(void *arg, const struct transfer *t);
    void *arg;
};

/*
 * Imports for t->owner from where `t` says that it got to, and keeps `t` current; with t->id its row as well.
 * `*whole`: the end was reached; else call again with the same `t`. t->format must outlive nothing: it is a
 * constant afterwards.
 *
 * RC_BAD_INPUT and RC_TOO_BIG, with a sentence: this file cannot be imported (any further). RC_NOT_FOUND: the
 * row is gone. Else those of the store and RC_IO, which are worth another try.
 */
enum rc import_run(const struct import_args *x, struct transfer *t, bool *whole, struct err *e);

/* "212 conversations, 3 skipped: 2 were here before, 1 could not be read." */
const char *import_result_words(struct arena *a, const struct transfer *t);

#endif
