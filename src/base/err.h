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
 *         return err_say(e, RC_BAD_INPUT, "session.title_long", arg_int("max", TITLE_CHARS_MAX));
 *
 * err_set() sets a cause that only the log and the command line show. err_say() sets a sentence of the
 * catalogue (base/lang.h), which all readers get in their own language. err_tell() sets a sentence that stays
 * English: for the owner of the server and for models. None may contain a secret or the text of a message.
 */
#ifndef ALFRED_BASE_ERR_H
#define ALFRED_BASE_ERR_H

#include "base/said.h"

enum rc {
    RC_OK = 0,
    RC_BAD_INPUT,       /* the caller sent something malformed or out of bounds */
    RC_UNAUTHENTICATED, /* no user is signed in */
    RC_FORBIDDEN,       /* signed in, but without the right */
    RC_NOT_FOUND,       /* absent or another user's: indistinguishable */
    RC_GONE,            /* in the trash, or erased from it; the sentence says which */
    RC_CONFLICT,        /* conflicts with the current state */
    RC_CHANGED,         /* not in the state that the caller demanded */
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

#define ERR_TEXT_MAX 2048 /* has room for a provider's own text (llm/failure/failure.c) */

struct err {
    enum rc rc;
    int retry_after_s;       /* 0: unknown */
    bool for_user;           /* text may be shown to the user */
    char text[ERR_TEXT_MAX]; /* in English; truncated when longer */
    char said[SAID_MAX];     /* of err_say(): key and arguments; else empty */
};

/* Sets only the members that mark an error as empty. Setting all of its 4 KB costs more than most functions
 * that can fail. */
static inline struct err err_none(void)
{
    struct err e;
    e.rc = RC_OK;
    e.retry_after_s = 0;
    e.for_user = false;
    e.text[0] = e.said[0] = 0;
    return e;
}
#define ERR_INIT (err_none())

/* All return `rc`, so that reporting a failure is one statement. */
enum rc err_set(struct err *e, enum rc rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
enum rc err_tell(struct err *e, enum rc rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define err_say(e, rc, key, ...) err_say_args((e), (rc), (key), SAID_ARGS(__VA_ARGS__))
enum rc err_say_args(struct err *e, enum rc rc, const char *key, struct said_args args);
/* The same with a result of said_new(). */
enum rc err_said(struct err *e, enum rc rc, const char *said);
/* Adds a sentence to that of err_say(). */
void err_say_more(struct err *e, const char *key, struct said_args args);

/* The sentence to store for users, in the form that said_words() reads. NULL when the cause is for the log
 * only. */
const char *err_stored(const struct err *e);

/* True when its sentence is the one with this key. */
bool err_is(const struct err *e, const char *key);

/* An error that a long-lived struct keeps: a struct err is large, so it takes memory only once there is one.
 * err_kept() allocates it empty at the first use, err_drop() frees it. The owner calls err_drop() at its end.
 */
struct err *err_kept(struct err **at);
void err_drop(struct err **at);
static inline enum rc err_rc(const struct err *kept) /* RC_OK: none */
{
    return kept ? kept->rc : RC_OK;
}

/* True for RC_UNAVAILABLE, RC_TIMEOUT and RC_IO: nothing is wrong with the input, and the same call can
 * succeed later. */
bool rc_is_temporary(enum rc rc);

/* A stable lower-case word for logs and JSON, like "not_found". */
const char *rc_name(enum rc rc);

#endif
