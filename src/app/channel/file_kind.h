/*
 * The kinds of files of messages. A file is fetched from the channel (intake.h) and taken: stored, or read.
 * The result is part of the question. A recording is written down by the model of [speech]; its words
 * are the text of its message.
 *
 * A further kind is a value of enum channel_file_kind, a row of the table in file_kind.c, and its place in
 * the order for the turn (route_message()).
 */
#ifndef ALFRED_APP_CHANNEL_FILE_KIND_H
#define ALFRED_APP_CHANNEL_FILE_KIND_H

#include "app/config/config.h"
#include "channel/channel.h"
#include "store/store.h"

/* A file that was fetched. */
struct file_taking {
    struct store *store;
    const struct config *config;
    struct arena *a;
    int64_t user;
    const struct channel_file *file;
    struct str data;
    int stop_fd; /* readable when the program stops: RC_UNAVAILABLE */
};

struct file_kind {
    size_t per_question; /* further ones are not fetched */

    /* texts of the catalogue */
    const char *many;    /* there were more than `per_question`; {max} */
    const char *gone;    /* it cannot be fetched; {channel} */
    const char *too_big; /* for bytes_max(); {max} */

    bool (*is_on)(const struct config *c); /* NULL: always */
    const char *left_out; /* of messages with such a file while it is not on: as channel_update.left_out */

    int64_t (*bytes_max)(const struct config *c);
    /* Makes `out`, in the arena. Blocks. RC_TOO_BIG, RC_UNSUPPORTED, RC_CONFLICT, each with a sentence in
     * Markdown: the question is not asked. RC_NOT_FOUND: Alfred reads nothing in it, so it is left out like
     * other attachments. After other failures it is tried again. NULL: a recording, which is written down on
     * the loop (intake_voice.c), so that a slow provider holds no thread of the pool. */
    enum rc (*take)(const struct file_taking *t, struct str *out, struct err *e);
};

const struct file_kind *file_kind(enum channel_file_kind kind);

#endif
