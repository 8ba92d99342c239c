#include "cli/chat/files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN_ENV   "ALFRED_TOKEN"
#define TOKEN_MAX   256
#define SESSION_MAX 64

/* $`xdg`, else ~/`fallback`. */
static enum rc base_folder(
    struct arena *a, const char *xdg, const char *fallback, const char **out, struct err *e)
{
    const char *dir = getenv(xdg), *home = getenv("HOME");
    if (dir && *dir == '/')
        *out = arena_strdup(a, dir);
    else if (home && *home)
        *out = arena_printf(a, "%s/%s", home, fallback);
    else
        return err_tell(e, RC_NOT_FOUND, "There is no home folder: set HOME, or %s.", TOKEN_ENV);
    return RC_OK;
}

/* Visible ASCII only: the token becomes part of a header. */
static bool looks_like_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.s[i] <= ' ' || s.s[i] > '~')
            return false;
    return s.len > 0 && s.len <= TOKEN_MAX;
}

static enum rc take(struct arena *a, const char *from, struct str s, const char **out, struct err *e)
{
    s = str_trim(s);
    if (!looks_like_token(s))
        return err_tell(e, RC_BAD_INPUT, "%s has no API token.", from);
    *out = arena_strndup(a, s.s, s.len);
    return RC_OK;
}

enum rc files_token(struct arena *a, const char **out, struct err *e)
{
    const char *dir = "", *path, *env = getenv(TOKEN_ENV);
    struct stat st;
    if (env && *env)
        return take(a, TOKEN_ENV, str_of(env), out, e);
    enum rc rc = base_folder(a, "XDG_CONFIG_HOME", ".config", &dir, e);
    if (rc != RC_OK)
        return rc;
    path = arena_printf(a, "%s/alfred/token", dir);
    if (stat(path, &st) != 0)
        return err_tell(e, RC_NOT_FOUND,
            "There is no API token. Make one with the rights read, write and chat on the Account page of "
            "Alfred, then run `alfred chat --login`. On the server itself, `alfred token add NAME terminal "
            "--scopes \"read write chat\"` makes one, too.");
    if (st.st_uid != geteuid() || st.st_mode & (S_IRWXG | S_IRWXO))
        return err_tell(e, RC_FORBIDDEN, "Other users can read %s: run `chmod 600 %s`.", path, path);
    AUTO_STRBUF text;
    strbuf_init(&text, TOKEN_MAX + 2);
    if ((rc = fs_read(path, &text, e)) != RC_OK)
        return rc == RC_TOO_BIG ? err_tell(e, RC_BAD_INPUT, "%s has no API token.", path) : rc;
    return take(a, path, strbuf_str(&text), out, e);
}

enum rc files_token_store(struct arena *a, struct str token, const char **path, struct err *e)
{
    const char *dir = "", *clean = "";
    enum rc rc = take(a, "The line", token, &clean, e);
    if (rc == RC_OK)
        rc = base_folder(a, "XDG_CONFIG_HOME", ".config", &dir, e);
    if (rc == RC_OK)
        rc = fs_mkdirs(arena_printf(a, "%s/alfred", dir), e);
    if (rc != RC_OK)
        return rc;
    *path = arena_printf(a, "%s/alfred/token", dir);
    return fs_write_atomic(*path, str_of(arena_printf(a, "%s\n", clean)), e);
}

enum rc files_state(struct arena *a, const char *where, const char *name, const char **out, struct err *e)
{
    const char *dir = "";
    enum rc rc = base_folder(a, "XDG_STATE_HOME", ".local/state", &dir, e);
    if (rc != RC_OK)
        return rc;
    char *server = arena_strdup(a, where);
    for (char *p = server; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '.')
            *p = '_';
    dir = arena_printf(a, "%s/alfred/%s", dir, server);
    *out = arena_printf(a, "%s/%s", dir, name);
    return fs_mkdirs(dir, e);
}

bool files_session(const char *path, char out[ID_SIZE])
{
    AUTO_STRBUF text;
    strbuf_init(&text, SESSION_MAX);
    if (fs_read(path, &text, NULL) != RC_OK)
        return false;
    struct str id = str_trim(strbuf_str(&text));
    if (id.len >= ID_SIZE)
        return false;
    snprintf(out, ID_SIZE, "%.*s", STR_FMT(id));
    return id_valid(ID_SESSION, out);
}

enum rc files_session_store(const char *path, const char *session, struct err *e)
{
    char line[ID_SIZE + 1] = "";
    if (session)
        snprintf(line, sizeof line, "%s\n", session);
    return fs_write_atomic(path, str_of(line), e);
}
