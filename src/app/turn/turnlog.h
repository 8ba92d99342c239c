/*
 * The turn log: an append-only file data/turns/<trn_...>.log per running turn, written without fsync. Several
 * turns may share the file under their names. It contains the turn's output so far. After a kill -9 its text
 * becomes the interrupted message.
 *
 * A record is one line "<kind> <length> <mark>\n", then `length` bytes and "\n". The mark is the end of the
 * turn's id; readers skip records with another one. A record that was cut by a crash is
 * ignored. Zeros may follow the last record.
 *
 *     m  decimal id of the assistant message that the following text belongs to
 *     t  a piece of its text (UTF-8, whole code points)
 *     k  a piece of the model's reasoning
 *     w  why there is no text yet (enum turn_wait): "20000 busy", milliseconds until the provider is tried
 *        again, or "40 reading", percent of the prompt
 *     c  the name of a tool that begins to run; after a line end its tool_subject(), if it has one
 *     a  decimal id of the suggestion that asks the user for a permission; "0": the question has ended
 */
#ifndef ALFRED_APP_TURN_TURNLOG_H
#define ALFRED_APP_TURN_TURNLOG_H

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum turnlog_kind {
    TURNLOG_MESSAGE = 'm',
    TURNLOG_TEXT = 't',
    TURNLOG_THINK = 'k',
    TURNLOG_WAIT = 'w',
    TURNLOG_TOOL = 'c',
    TURNLOG_ASK = 'a'
};

#define TURNLOG_KINDS "mtkwca" /* readers stop at any other letter */

/* The logs that one engine writes. Any thread creates and frees a log; one thread appends to all of them. */
struct turnlogs;
struct turnlog;

struct turnlogs *turnlogs_new(const char *data_dir);
void turnlogs_free(struct turnlogs *all); /* its logs are freed; NULL is fine */
DEFINE_AUTO(turnlogs);

/* Creates the log of a turn that has none. RC_UNAVAILABLE: its file cannot be made, with a sentence; RC_IO:
 * its folder cannot. */
enum rc turnlog_create(struct turnlogs *all, const char *turn, struct turnlog **out, struct err *e);
void turnlog_free(struct turnlog *l); /* closes it; the file stays. NULL is fine */
DEFINE_AUTO(turnlog);

/* A full disk fails (RC_IO) and leaves the file as it was. */
enum rc turnlog_append(struct turnlog *l, enum turnlog_kind kind, struct str content, struct err *e);

struct turnlog_record {
    enum turnlog_kind kind;
    struct str content;
};

/* Calls fn for every complete record of the turn. The whole file is read, also the records of turns that
 * share it. The cap of a record is TURNLOG_MAX; that of a file is TURNLOG_MAX times the number of turns that
 * can share it. RC_NOT_FOUND, RC_IO, RC_TOO_BIG. */
#define TURNLOG_MAX ((size_t)64 * 1024 * 1024)
typedef void turnlog_fn(void *arg, const struct turnlog_record *r);
enum rc turnlog_scan(const char *data_dir, const char *turn, turnlog_fn *fn, void *arg, struct err *e);

/* Appends the text of a message. It stays empty if the turn has gone on to another message. The failures of
 * turnlog_scan(). */
enum rc turnlog_text(
    const char *data_dir, const char *turn, int64_t message_id, struct strbuf *out, struct err *e);

/* Like turnlog_scan(), from `offset` on. `offset` becomes the end of the last complete record. */
enum rc turnlog_read(
    const char *data_dir, const char *turn, int64_t *offset, turnlog_fn *fn, void *arg, struct err *e);

/* Removes logs of turns that never began, which a crash leaves: every log but those of the `n` turns in
 * `keep`. Call it only while no other turn runs. RC_IO. */
enum rc turnlog_sweep(const char *data_dir, const char *const *keep, size_t n, int *removed, struct err *e);

enum rc turnlog_remove(const char *data_dir, const char *turn, struct err *e); /* absent is fine */

#endif
