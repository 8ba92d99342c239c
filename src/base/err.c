#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static enum rc fill(struct err *e, enum rc rc, bool for_user, const char *fmt, va_list ap)
{
    if (e) {
        e->rc = rc;
        e->for_user = for_user;
        e->said[0] = '\0';
        vsnprintf(e->text, sizeof e->text, fmt, ap);
    }
    return rc;
}

struct err *err_kept(struct err **at)
{
    if (!*at)
        *at = xcalloc(1, sizeof **at);
    return *at;
}

void err_drop(struct err **at)
{
    free(*at);
    *at = NULL;
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

static void set_english(struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, LANG_TEXT_MAX);
    said_put(&text, lang_english(), e->said);
    size_t len = utf8_cut_bytes(strbuf_str(&text), sizeof e->text - 1);
    snprintf(e->text, sizeof e->text, "%.*s", (int)len, text.s);
}

enum rc err_say_args(struct err *e, enum rc rc, const char *key, struct said_args args)
{
    char said[SAID_MAX] = "";
    said_add(said, key, args);
    return err_said(e, rc, said);
}

enum rc err_said(struct err *e, enum rc rc, const char *said)
{
    if (e) {
        e->rc = rc;
        e->for_user = true;
        snprintf(e->said, sizeof e->said, "%s", said);
        set_english(e);
    }
    return rc;
}

void err_say_more(struct err *e, const char *key, struct said_args args)
{
    if (e) {
        said_add(e->said, key, args);
        set_english(e);
    }
}

const char *err_stored(const struct err *e)
{
    return !e->for_user ? NULL : *e->said ? e->said : e->text;
}

bool err_is(const struct err *e, const char *key)
{
    size_t n = strlen(key);
    return strncmp(e->said, key, n) == 0 && strchr("\t\n", e->said[n]);
}

bool rc_is_temporary(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_TIMEOUT || rc == RC_IO;
}

const char *rc_name(enum rc rc)
{
    static const char *const names[RC_COUNT] = {
        [RC_OK] = "ok",
        [RC_BAD_INPUT] = "bad_input",
        [RC_UNAUTHENTICATED] = "unauthenticated",
        [RC_FORBIDDEN] = "forbidden",
        [RC_NOT_FOUND] = "not_found",
        [RC_GONE] = "gone",
        [RC_CONFLICT] = "conflict",
        [RC_TOO_BIG] = "too_big",
        [RC_MISDIRECTED] = "misdirected",
        [RC_METHOD] = "method",
        [RC_UNSUPPORTED] = "unsupported",
        [RC_CHANGED] = "changed",
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
