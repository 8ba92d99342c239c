/*
 * One line per event on standard error, for people and for tools (logfmt):
 *
 *     2026-11-20T13:46:01.123Z info stream[4711] turn trn_01... ended: 312 tokens
 *
 * A line never holds a secret or the text of a message; control characters are shown as \xNN, so nobody can
 * forge a line. Lines are written with one write() each and are safe from any thread.
 */
#ifndef ALFRED_BASE_LOG_H
#define ALFRED_BASE_LOG_H

#include "base/err.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

#define LOG_LINE_MAX 1024

/* Call once, before threads start. `program` must outlive the process. */
void log_init(const char *program, enum log_level least);
bool log_wants(enum log_level level);

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
