/* The interpreter is asked once which folders it reads, because these differ: Debian's, one of pyenv, a venv.
 * It runs confined then, too, but may read everything. */
#include "app/python/python_private.h"

#include <stdlib.h>
#include <string.h>

#define ASK_MS     20000
#define ASK_MEMORY ((size_t)1 << 30)
#define ANSWER_MAX ((size_t)64 * 1024)

static const char ask[] =
#include "python_folders.inc"
    ;

/* Files and folders that modules read besides their own. Those that do not exist are left out. */
static const char *const usual[] = {"/dev/urandom", "/etc/localtime", "/usr/share/zoneinfo", "/etc/fonts",
    "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
    "/etc/matplotlibrc", "/usr/share/matplotlib", "/etc/mime.types"};

static bool contains(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    return strncmp(folder, path, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static enum rc refuse_folder(const struct config *c, const char *folder, struct err *e)
{
    return err_tell(e, RC_BAD_INPUT,
        "[python]: %.100s must read %.100s, which contains Alfred's data. Keep the two apart.",
        c->python.program, folder);
}

/* The data must stay out of reach of the code. */
static enum rc add(struct python_interpreter *p, const struct config *c, const char **list, size_t *n,
    const char *folder, struct err *e)
{
    AUTO_FREE char *data = realpath(c->server.data_dir, NULL);
    AUTO_FREE char *real = realpath(folder, NULL);
    if (!real)
        return RC_OK;
    if (strcmp(real, "/") == 0 || (data && contains(real, data)))
        return refuse_folder(c, real, e);
    list[(*n)++] = arena_strdup(p->arena, real);
    return RC_OK;
}

static enum rc take(struct python_interpreter *p, const struct config *c, struct str answer, struct err *e)
{
    size_t most = str_count(answer, '\n') + c->python.reads.n + ARRAY_LEN(usual) + 2, n = 0;
    const char **list = ARENA_ARRAY(p->arena, const char *, most);
    enum rc rc = RC_OK;
    for (struct str rest = answer; rc == RC_OK && rest.len;)
        rc = add(p, c, list, &n, arena_str(p->arena, str_cut(&rest, '\n')).s, e);
    for (size_t i = 0; rc == RC_OK && i < c->python.reads.n; i++)
        rc = add(p, c, list, &n, c->python.reads.v[i], e);
    for (size_t i = 0; i < ARRAY_LEN(usual); i++)
        list[n++] = usual[i];
    list[n] = NULL;
    if (rc == RC_OK)
        p->reads = list;
    return rc;
}

static enum rc start(struct python_interpreter *p, const struct config *c, struct err *e)
{
    static const char *const everything[] = {"/", NULL};
    const char *const argv[] = {c->python.program, "-I", "-B", "-c", ask, NULL};
    const struct confined asked = {.argv = argv,
        .reads = everything,
        .joined = true,
        .strict = true,
        .ms = ASK_MS,
        .cpu_s = ASK_MS / 1000,
        .memory = ASK_MEMORY,
        .stop_fd = -1};
    struct confined_end end;
    struct err why = ERR_INIT;
    AUTO_STRBUF answer;
    strbuf_init(&answer, ANSWER_MAX);
    enum rc rc = confined_run(&asked, &answer, &end, &why);
    if (rc == RC_UNSUPPORTED)
        return err_tell(e, rc,
            "Python code is not run on this server: its kernel has no Landlock, which would confine it.");
    if (rc == RC_UNAVAILABLE)
        return err_set(e, rc, "%s", why.text);
    if (rc != RC_OK || end.outcome != CONFINED_ENDED || end.code != 0 || !answer.len || answer.s[0] != '/')
        return err_tell(e, RC_BAD_INPUT,
            "[python] program: %.100s does not answer as Python 3 does. It must be the interpreter "
            "itself, not a script that starts it.",
            c->python.program);
    return take(p, c, strbuf_str(&answer), e);
}

enum rc python_interpreter_ask(struct python_interpreter *p, const struct config *c, struct err *e)
{
    enum rc rc = RC_OK;
    pthread_mutex_lock(&p->lock);
    if (!p->reads) {
        arena_free(p->arena);
        p->arena = arena_new();
        rc = start(p, c, e);
    }
    pthread_mutex_unlock(&p->lock);
    return rc;
}

enum rc python_check(const struct config *c, struct err *e)
{
    struct python_interpreter p = {.lock = PTHREAD_MUTEX_INITIALIZER};
    enum rc rc = python_interpreter_ask(&p, c, e);
    arena_free(p.arena);
    return rc;
}
