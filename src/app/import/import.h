/*
 * Imports conversations: Alfred's own export (docs/export.md), the exports of ChatGPT and Claude
 * (conversations.json or the zip file), and the exports of chats of LibreChat and Open WebUI. Each may be
 * compressed with gzip.
 *
 * The file is read value by value, never as a whole. A conversation is written in the steps of a mass job
 * (app/jobs/mass.h; a message is never divided), each with the progress. It is hidden until all its messages
 * are stored. After a kill the import continues where it was. The same file adds nothing a second time. A
 * later export of the same account adds the new messages of its conversations. Values that cannot be read
 * are skipped and counted.
 *
 * The content of a file is data. Its ids only distinguish its parts. Tool calls are kept for reading and
 * never run. Nothing starts a turn: schedules are paused until their user resumes them. Times, titles and
 * branches are kept.
 */
#ifndef ALFRED_APP_IMPORT_IMPORT_H
#define ALFRED_APP_IMPORT_IMPORT_H

#include "app/config/config.h"
#include "store/transfer.h"

struct import_args {
    struct store *store;
    const struct config *config;
    const char *path;
    int64_t write_ms; /* time of a transaction before its commit; 0: MASS_STEP_MS */
    /* Called after each transaction and between pieces of the file. True ends the call for now. NULL:
     * never. */
    bool (*pause)(void *arg);
    /* Called after each conversation; may be NULL. */
    void (*progress)(void *arg, const struct transfer *t);
    void *arg;
};

/*
 * Imports for t->owner from the position in `t`, and keeps `t` current; with t->id its row as well. `*whole`:
 * the end was reached; otherwise call again with the same `t`. t->format is set to a constant.
 *
 * RC_BAD_INPUT and RC_TOO_BIG, with a sentence: the rest of this file cannot be imported. RC_NOT_FOUND: the
 * row was deleted. Others: those of the store and RC_IO, after which another attempt can help.
 */
enum rc import_run(const struct import_args *x, struct transfer *t, bool *whole, struct err *e);

/* "212 conversations, 4 got further messages, 3 skipped: 2 already existed, 1 could not be read or had no
 * messages" */
const char *import_result_words(struct arena *a, const struct lang *l, const struct transfer *t);

#endif
