/*
 * One line per event on standard error, for people and for tools (logfmt):
 *
 *     2026-11-20T13:46:01.123Z info stream[4711] turn trn_01... ended: 312 tokens
 *
 * If standard error is systemd's journal, each line begins with its priority, like "<6>".
 *
 * A line never contains a secret or the text of a message. Control characters are shown as \xNN, so that
 * input cannot forge a line. Each line is one write(). Any thread may log.
 *
 * The reader of the log may stop: a terminal after Ctrl-S, a pager, a journal that hangs. The programs go on.
 * A line waits at most LOG_WAIT_MS for room; then lines are dropped, without a wait, until there is room
 * again. Their number is logged. Other programs that write to the same place would block: the supervisor
 * passes on what nginx logs.
 */
#ifndef ALFRED_BASE_LOG_H
#define ALFRED_BASE_LOG_H

#include <stdint.h>

#include "base/err.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

#define LOG_LINE_MAX 1024
#define LOG_WAIT_MS  1000

/* Call once, before threads start. `program` must outlive the process. */
void log_init(const char *program, enum log_level least);
bool log_wants(enum log_level level);

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Lines of another program, with their line feeds, as they are. They are dropped like ours. */
void log_pass_on(struct str lines);

/*
 * An error that may repeat, for a loop that retries. The first one, and one with another text than the one
 * before, is logged at once. The same text again is logged after LOG_REPEAT_MS, then after twice as long each
 * time, up to LOG_REPEAT_MOST_MS, with its number and the time of the first. After LOG_REPEAT_OVER_MS without
 * an error the next one counts as the first. log_repeat_end() logs the end of the failures, if there were
 * any. Zeroed: no error yet. Threads may share a struct.
 */
#define LOG_REPEAT_MS      60000
#define LOG_REPEAT_MOST_MS (60 * 60000)
#define LOG_REPEAT_OVER_MS (15 * 60000) /* longer than the waits of the loops */

struct log_repeat {
    int64_t last_at;    /* monotonic ms of the last error */
    int64_t logged_at;  /* the same of the last line */
    int64_t quiet_ms;   /* from the last line to the next one */
    int64_t since_wall; /* wall clock, ms: the first error of this cause */
    int64_t same;       /* errors of this cause */
    int64_t count;      /* errors since the start or log_repeat_end() */
    int64_t begun_wall; /* wall clock, ms: the first of these */
    uint64_t cause;     /* hash of the last text or cause */
};

void log_repeat(struct log_repeat *r, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for errors of one cause whose texts name what failed by it: "GET /tasks: the disk is full". */
void log_repeat_cause(struct log_repeat *r, enum log_level level, const char *cause, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void log_repeat_end(struct log_repeat *r, const char *what); /* "claiming a job" */

#endif
