/*
 * Errors: one code for the program, one cause for the log, one sentence for the user.
 *
 * Functions that can fail return `enum rc` and take `struct err *` last. The first to see a failure sets it.
 * All callers pass the code on and neither overwrite nor log it. The outermost caller (the request, the job,
 * main) logs it once. `e` may be NULL where only the code matters.
 *
 *     if (!row)
 *         return err_set(e, RC_NOT_FOUND, "session %s", id);
 *     if (n > TITLE_CHARS_MAX)
 *         return err_tell(e, RC_BAD_INPUT, "A title may have at most %d characters.", TITLE_CHARS_MAX);
 *
 * err_set() sets a cause that only the log shows. err_tell() sets an English sentence that may leave the log:
 * for the command line, the result of a tool, and the user. Neither may contain a secret or the text of a
 * message.
 */
#ifndef ALFRED_BASE_ERR_H
#define ALFRED_BASE_ERR_H

#include <stdbool.h>

enum rc {
    RC_OK = 0,
    RC_BAD_INPUT,       /* the caller sent something malformed or out of bounds */
    RC_UNAUTHENTICATED, /* no user is signed in */
    RC_FORBIDDEN,       /* signed in, but without the right */
    RC_NOT_FOUND,       /* absent or another user's: indistinguishable */
    RC_CONFLICT,        /* conflicts with the current state */
    RC_TOO_BIG,         /* a cap was reached */
    RC_MISDIRECTED,     /* a host that is not ours */
    RC_METHOD,          /* the address has other methods */
    RC_UNSUPPORTED,     /* wrong media type */
    RC_RATE_LIMITED,    /* too often; retry_after_s says when */
    RC_UNAVAILABLE,     /* overloaded or shutting down; a retry can help */
    RC_TIMEOUT,         /* another service did not answer in time */
    RC_UPSTREAM,        /* another service answered wrongly */
    RC_CANCELLED,       /* stopped on purpose */
    RC_IO,              /* disk, socket, process */
    RC_INTERNAL,        /* a bug or a broken invariant */
    RC_COUNT
};

#define ERR_TEXT_MAX 2048 /* has room for a provider's own text (llm/failure.c) */

struct err {
    enum rc rc;
    int retry_after_s;       /* 0: unknown */
    bool for_user;           /* text may be shown to the user */
    char text[ERR_TEXT_MAX]; /* truncated when longer */
};

#define ERR_INIT ((struct err){0})

/* Both return `rc`, so that reporting a failure is one statement. */
enum rc err_set(struct err *e, enum rc rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
enum rc err_tell(struct err *e, enum rc rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A stable lower-case word for logs and JSON, like "not_found". */
const char *rc_name(enum rc rc);

#endif
