/* A run: its thread makes the folder, waits for the process and reads what it has made. */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "app/python/python_private.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "codec/charset.h"

#define CPU_MORE_S 1 /* so that the limit of time is the one that ends a loop */

static const char begin[] =
#include "python_begin.inc"
    ;

struct python_client {
    struct awaited_client awaits;
    const struct config *config;
    struct python_interpreter interpreter;
};

bool python_configured(const struct config *c)
{
    return *c->python.program != '\0';
}

/* ---- the run as a value ---- */

void python_want(struct python_run *r, struct str code)
{
    r->awaited.wanted = true;
    r->arena = arena_new();
    r->code = arena_str(r->arena, code);
    r->stop_fd = -1;
}

void python_release(struct python_run *r)
{
    awaited_release(&r->awaited);
    strbuf_release(&r->output);
    arena_free(r->arena);
    r->arena = NULL;
}

/* A name without a folder, of a length that file systems take. */
static char *usable(struct arena *a, struct str name)
{
    char *s = arena_strdup(a, arena_str(a, utf8_head(name, PYTHON_NAME_MAX)).s);
    for (char *p = s; *p; p++)
        if (*p == '/' || (unsigned char)*p < 0x20 || *p == 0x7F)
            *p = '_';
    if (*s == '.')
        *s = '_';
    return s;
}

static bool is_taken(const struct python_run *r, const char *name)
{
    for (size_t i = 0; i < r->given_n; i++)
        if (strcmp(r->given[i].name, name) == 0)
            return true;
    return false;
}

const char *python_give(struct python_run *r, struct str name, struct str content)
{
    size_t bytes = 0;
    char *own = usable(r->arena, name);
    for (size_t i = 0; i < r->given_n; i++)
        bytes += r->given[i].content.len;
    if (!*own || is_taken(r, own) || content.len > PYTHON_GIVEN_MAX - bytes)
        return NULL;
    struct python_file *all = ARENA_ARRAY(r->arena, struct python_file, r->given_n + 1);
    if (r->given_n)
        memcpy(all, r->given, r->given_n * sizeof *all);
    all[r->given_n] =
        (struct python_file){.name = own, .bytes = content.len, .content = arena_str(r->arena, content)};
    r->given = all;
    r->given_n++;
    return own;
}

/* ---- the thread of a run ---- */

static enum rc run_in(
    struct python_client *c, struct python_run *r, const struct python_folder *f, struct err *e)
{
    const struct config *s = c->config;
    const char *const argv[] = {s->python.program, "-I", "-B", "-u", "-c", begin, NULL};
    const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "MPLBACKEND=Agg",
        /* libraries would start a thread per processor, with a pool of memory each */
        "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "NUMEXPR_NUM_THREADS=1",
        arena_printf(r->arena, "HOME=%s", f->home), arena_printf(r->arena, "TMPDIR=%s", f->home),
        arena_printf(r->arena, "MPLCONFIGDIR=%s", f->home), NULL};
    const struct confined confined = {.argv = argv,
        .reads = c->interpreter.reads,
        .environment = environment,
        .folder = f->path,
        .begins = f->files,
        .file_max = PYTHON_FILE_MAX,
        .folder_max = PYTHON_FOLDER_MAX,
        .joined = true,
        .strict = true,
        .threads = PYTHON_THREADS,
        .input = r->code,
        .ms = s->python.seconds * MS_PER_S,
        .cpu_s = (int)s->python.seconds + CPU_MORE_S,
        .memory = (size_t)s->python.memory_bytes,
        .stop_fd = r->stop_fd};
    AUTO_STRBUF printed;
    strbuf_init(&printed, PYTHON_OUTPUT_MAX);
    enum rc rc = confined_run(&confined, &printed, &r->ended, e);
    if (rc != RC_OK)
        return rc;
    charset_decode(strbuf_str(&printed), "UTF-8", NULL, &r->output);
    python_folder_read(f, (size_t)s->limits.picture_bytes, r);
    return RC_OK;
}

static enum rc run(struct python_client *c, struct python_run *r, struct err *e)
{
    struct python_folder f = {0};
    enum rc rc = python_interpreter_ask(&c->interpreter, c->config, e);
    if (rc == RC_OK)
        rc = python_folder_make(&f, c->config, e);
    if (rc == RC_OK)
        rc = python_folder_fill(&f, r, e);
    if (rc == RC_OK)
        rc = run_in(c, r, &f, e);
    python_folder_remove(&f);
    if (rc == RC_OK && r->ended.outcome == CONFINED_STOPPED)
        return err_tell(e, RC_CANCELLED, AWAITED_STOPPED);
    return rc;
}

static void on_ran(void *arg)
{
    struct python_run *r = arg;
    pthread_join(r->thread, NULL);
    fs_close(&r->stop_fd);
    awaited_end(&r->awaited, r->awaited.rc);
}

static void *thread(void *arg)
{
    struct python_run *r = arg;
    struct err e = ERR_INIT;
    r->awaited.rc = run((struct python_client *)r->awaited.client, r, &e);
    if (r->awaited.rc != RC_OK)
        *err_kept(&r->awaited.err) = e;
    loop_post(r->awaited.client->loop, on_ran, r);
    return NULL;
}

/* ---- the client ---- */

static void start(struct awaited *w)
{
    struct python_run *r = (struct python_run *)w;
    struct err e = ERR_INIT;
    strbuf_init(&r->output, 3 * PYTHON_OUTPUT_MAX); /* each invalid byte becomes three */
    r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (r->stop_fd >= 0 && thread_start(&r->thread, thread, r, "a Python run", &e) == RC_OK)
        return;
    fs_close(&r->stop_fd);
    awaited_fail(w, RC_UNAVAILABLE, "The server has too much to do at the moment. Try again later.");
}

static void cancel(struct awaited *w)
{
    struct python_run *r = (struct python_run *)w;
    if (r->stop_fd >= 0)
        eventfd_write(r->stop_fd, 1);
}

static void free_client(struct awaited_client *a)
{
    struct python_client *c = (struct python_client *)a;
    pthread_mutex_destroy(&c->interpreter.lock);
    arena_free(c->interpreter.arena);
    free(c);
}

struct awaited_client *python_client_new(struct loop *l, const struct config *c)
{
    struct python_client *p = xcalloc(1, sizeof *p);
    p->awaits = (struct awaited_client){.loop = l,
        .running = {.max = PYTHON_RUNS_MAX, .max_per_user = PYTHON_RUNS_PER_USER},
        .busy = "Too many programs are running at the moment. Try again later.",
        .start = start,
        .cancel = cancel,
        .free = free_client};
    p->config = c;
    pthread_mutex_init(&p->interpreter.lock, NULL);
    python_folders_empty(c);
    return &p->awaits;
}
