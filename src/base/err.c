#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

static enum rc fill(struct err *e, enum rc rc, bool for_user, const char *fmt, va_list ap)
{
    if (e) {
        e->rc = rc;
        e->for_user = for_user;
        vsnprintf(e->text, sizeof e->text, fmt, ap);
    }
    return rc;
}

enum rc err_set(struct err *e, enum rc rc, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill(e, rc, false, fmt, ap);
    va_end(ap);
    return rc;
}

enum rc err_tell(struct err *e, enum rc rc, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill(e, rc, true, fmt, ap);
    va_end(ap);
    return rc;
}

const char *rc_name(enum rc rc)
{
    static const char *const names[RC_COUNT] = {
        [RC_OK] = "ok",
        [RC_BAD_INPUT] = "bad_input",
        [RC_UNAUTHENTICATED] = "unauthenticated",
        [RC_FORBIDDEN] = "forbidden",
        [RC_NOT_FOUND] = "not_found",
        [RC_CONFLICT] = "conflict",
        [RC_TOO_BIG] = "too_big",
        [RC_MISDIRECTED] = "misdirected",
        [RC_METHOD] = "method",
        [RC_UNSUPPORTED] = "unsupported",
        [RC_RATE_LIMITED] = "rate_limited",
        [RC_UNAVAILABLE] = "unavailable",
        [RC_TIMEOUT] = "timeout",
        [RC_UPSTREAM] = "upstream",
        [RC_CANCELLED] = "cancelled",
        [RC_IO] = "io",
        [RC_INTERNAL] = "internal",
    };
    return (unsigned)rc < RC_COUNT ? names[rc] : "unknown";
}
