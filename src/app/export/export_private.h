/*
 * Shared by the files of exports.
 *
 *     export_records.c   rows of the store become records, one line each
 *     export.c           all records of a user, as JSON Lines or in a zip
 *     zip_write.c        the zip
 *     conversation.c     the messages of one conversation in the order of reading
 *     conversation_*.c   one conversation as Markdown, JSON, JSON Lines
 *     export_file.c      the file that they write, compressed or not
 */
#ifndef ALFRED_APP_EXPORT_EXPORT_PRIVATE_H
#define ALFRED_APP_EXPORT_EXPORT_PRIVATE_H

#include "app/export/export.h"
#include "app/export/export_file.h"
#include "base/strbuf.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define EXPORT_LINE_MAX ((size_t)64 * 1024 * 1024) /* bytes of one record; a message is much smaller */

struct export
{
    struct store *store;
    struct db *db;   /* borrowed while a batch is read */
    struct arena *a; /* of the batch */
    int64_t owner, now, total, done;
    int64_t transfer_id;     /* a selection; 0: all */
    const int64_t *archived; /* of the session: messages that its compaction replaces, ascending */
    size_t archived_n;
    bool reasoning; /* the models' reasoning, too */
    bool bare;      /* records without the line break after them */
    export_put_fn *put;
    void *put_arg;
    struct strbuf line; /* the record that is made */
};

enum rc export_header(struct export *x, struct err *e); /* also sets x->total */
/* That of one conversation, which does not name its owner. */
enum rc export_header_one(struct export *x, struct err *e);
enum rc export_settings(struct export *x, struct err *e);
enum rc export_workspaces(struct export *x, struct err *e);
enum rc export_personas(struct export *x, struct err *e);
enum rc export_prompts(struct export *x, struct err *e);
enum rc export_tags(struct export *x, struct err *e);
enum rc export_session(struct export *x, const struct session *s, struct err *e);
enum rc export_message(struct export *x, const struct session *s, const struct message *m, struct err *e);
/* A record for each picture of the message. Follows that of the message. */
enum rc export_pictures(struct export *x, const struct session *s, const struct message *m, struct err *e);
enum rc export_summaries(struct export *x, const struct session *s, struct err *e);
enum rc export_compactions(struct export *x, const struct session *s, struct err *e);
/* Facts and tasks. `s` NULL: those without a source message. One that was deleted meanwhile is left out. */
enum rc export_memories(struct export *x, const struct session *s, struct err *e);
enum rc export_reminders(struct export *x, const struct session *s, struct err *e);
enum rc export_tasks(struct export *x, const struct session *s, struct err *e);

#endif
