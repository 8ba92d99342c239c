/*
 * alfred serve: the supervisor. It checks settings, keys, ports, programs and the lock on the data folder
 * before any program starts. Then all programs and nginx start at the same time. None waits for another,
 * because every socket listens already. During a long upgrade of the database they run, too, and refuse
 * requests (web/fcgi/fcgi_store.h), so that nginx has a page for people.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/config_files.h"
#include "app/config/hosts.h"
#include "app/mcp/mcp_servers.h"
#include "app/models/embedder.h"
#include "base/fs.h"
#include "cli/serve/ask_models.h"
#include "cli/serve/certificate.h"
#include "cli/serve/nginx_conf.h"
#include "cli/serve/orphans.h"
#include "cli/serve/run_dir.h"
#include "cli/serve/service_manager.h"
#include "cli/serve/supervise.h"

#define OPEN_FILES_MAX 65536
/* A token passes `stream`, which has this priority, and nginx. */
#define NGINX_NICE (-5)
/* In a session of its own the whole service is one group for the kernel's scheduler (sched(7), autogroup).
 * The priorities of processes count within the group only, and that of the group against other sessions. */
#define AUTOGROUP      "/proc/self/autogroup"
#define AUTOGROUP_NICE "-5"
#define ENV_TEXT_MAX   512

/* The default system prompt. */
static const char system_prompt[] =
    "You are Alfred, a personal assistant. The people you talk to host you themselves and come\n"
    "back to the same conversations, so build on what was said before.\n"
    "\n"
    "Answer in the language you are asked in, directly and to the point. Say so when you do not\n"
    "know something or are not sure, and ask when a question can be read in two ways. Use the\n"
    "tools you have rather than guessing: what day it is, for example. Write Markdown: code in\n"
    "fenced blocks with the language's name, formulas in $ signs, tables where they help.\n";

static const struct {
    const char *name, *socket;
    int stop_phase;
} fcgi_programs[] = {
    {"pages", "pages.sock", 1},
    {"api", "api.sock", 1},
    {"stream", "stream.sock", 0}, /* stopped first: nginx waits for its answers to end */
    {"hooks", "hooks.sock", 1},
    {"helper", NULL, 0},
};
#define FCGI_PROGRAMS ARRAY_LEN(fcgi_programs)

struct service {
    struct config *config;
    struct arena *arena;
    bool own_nginx;
    const char *socket_group;
    const char *bin_dir, *nginx_dir, *nginx;
    int lock;
    struct run_dir run;
    struct certificate certificate;
    struct renewal renewal;
    struct listen_tcp tcp[LISTEN_TCP_MAX];
    size_t tcp_n;
    int listening[LISTEN_TCP_MAX + FCGI_PROGRAMS];
    size_t listening_n;
    pid_t upgrade; /* of the database; 0: none runs */
    struct program programs[SUPERVISE_PROGRAMS];
    size_t programs_n;
};

/* Checks and preparations, in the order of prepare() */

/* Takes the lock data_dir/lock for our lifetime. The kernel releases it in any case. */
static enum rc take_lock(struct service *s, struct err *e)
{
    char path[FS_PATH_MAX];
    struct err why = ERR_INIT;
    enum rc rc = fs_mkdirs(s->config->server.data_dir, &why);
    if (rc != RC_OK)
        return err_set(e, rc, "[server] data_dir: %s", why.text);
    if ((rc = cli_check_data(s->config, e)) != RC_OK ||
        (rc = fs_join(path, s->config->server.data_dir, CONFIG_LOCK, e)) != RC_OK)
        return rc;
    struct stat st;
    if (stat(s->config->server.data_dir, &st) == 0 && st.st_mode & (S_IRWXG | S_IRWXO))
        log_warn("other users can read %s; protect it with chmod 700", s->config->server.data_dir);
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->lock < 0)
        return err_set(e, RC_IO, "%s: %s", path, strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB) < 0)
        return err_tell(
            e, RC_CONFLICT, "Alfred is running already with the data in %.150s.", s->config->server.data_dir);
    return RC_OK;
}

/* nginx is in sbin, which may be missing in a user's PATH. The path is absolute, because nginx starts in
 * another folder. */
static const char *find_nginx(struct arena *a)
{
    const char *path = getenv("PATH");
    struct str rest = str_of(arena_printf(a, "%s:/usr/sbin:/usr/local/sbin", path ? path : ""));
    while (rest.s) {
        struct str dir = str_cut(&rest, ':');
        const char *at = arena_printf(a, "%.*s/nginx", STR_FMT(dir));
        if (dir.len && *dir.s == '/' && access(at, X_OK) == 0)
            return at;
    }
    return NULL;
}

static enum rc find_programs(struct service *s, struct err *e)
{
    char exe[FS_PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return err_set(e, RC_IO, "/proc/self/exe: %s", strerror(errno));
    exe[n] = '\0';
    *strrchr(exe, '/') = '\0';
    s->bin_dir = arena_strdup(s->arena, exe);
    for (size_t i = 0; i < FCGI_PROGRAMS; i++) {
        const char *at = arena_printf(s->arena, "%s/%s", s->bin_dir, fcgi_programs[i].name);
        if (access(at, X_OK) < 0)
            return err_tell(e, RC_NOT_FOUND, "The program %.180s is missing; `make` builds it.", at);
    }
    s->nginx_dir = config_beside_program(s->arena, "nginx");
    if (s->own_nginx && !(s->nginx = find_nginx(s->arena)))
        return err_tell(e, RC_NOT_FOUND, "The program nginx is missing; install the package nginx-light.");
    return RC_OK;
}

static enum rc make_run_dir(struct service *s, struct err *e)
{
    const char *errors = arena_printf(s->arena, "%s/errors", s->nginx_dir),
               *given = getenv("RUNTIME_DIRECTORY");
    const char *const readable[] = {s->config->server.static_dir, errors, NULL};
    if (s->own_nginx)
        return run_dir_make(s->config, readable, &s->run, e);
    snprintf(s->run.path, sizeof s->run.path, "%s", given ? given : "/run/alfred"); /* created by systemd */
    s->run.group = (gid_t)-1;
    if (s->socket_group) {
        const struct group *g = getgrnam(s->socket_group);
        if (!g)
            return err_tell(e, RC_BAD_INPUT, "There is no group %.60s.", s->socket_group);
        s->run.group = g->gr_gid;
    }
    return given ? RC_OK : fs_mkdirs(s->run.path, e);
}

static enum rc open_sockets(struct service *s, struct err *e)
{
    enum rc rc = s->own_nginx ? orphans_end(s->run.path, s->nginx, e) : RC_OK;
    if (rc == RC_OK && s->own_nginx)
        rc = listen_tcp_all(s->config, s->tcp, &s->tcp_n, e);
    for (size_t i = 0; i < s->tcp_n; i++)
        s->listening[s->listening_n++] = s->tcp[i].fd;
    for (size_t i = 0; rc == RC_OK && i < FCGI_PROGRAMS; i++) {
        if (!fcgi_programs[i].socket)
            continue;
        const char *path = arena_printf(s->arena, "%s/%s", s->run.path, fcgi_programs[i].socket);
        rc = listen_unix(path, s->run.group, &s->listening[s->listening_n], e);
        s->listening_n += rc == RC_OK;
    }
    return rc;
}

/* HSTS needs a trusted certificate: with a self-signed one, browsers that remember "https only" would lock
 * users out. */
static bool wants_hsts(const struct service *s)
{
    const struct config *c = s->config;
    struct str host = host_of_url(str_of(c->server.public_url));
    if (!*c->server.certificate || !str_starts(str_of(c->server.public_url), STR("https://")))
        return false;
    if (certificate_is_trusted(c->server.certificate, arena_strndup(s->arena, host.s, host.len)))
        return true;
    log_info(
        "the certificate is not trusted for %.*s on this machine, so browsers are not told to use https only",
        STR_FMT(host));
    return false;
}

/* A server with an expired certificate starts: browsers say why they refuse it, and let people in. */
static enum rc check_certificate(const struct config *c, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = certificate_check(c->server.certificate, c->server.certificate_key, e);
    if (rc == RC_OK && certificate_check_time(c->server.certificate, &why) != RC_OK)
        log_warn("%s", why.text);
    return rc;
}

static enum rc write_nginx_conf(struct service *s, struct err *e)
{
    const struct config *c = s->config;
    struct nginx_setup setup = {
        .run_dir = s->run.path,
        .user = s->run.user,
        .errors_dir = arena_printf(s->arena, "%s/errors", s->nginx_dir),
        .certificate = c->server.certificate,
        .certificate_key = c->server.certificate_key,
        .listeners = s->tcp,
        .listeners_n = s->tcp_n,
    };
    setup.hsts = wants_hsts(s);
    enum rc rc = *setup.certificate
                     ? check_certificate(c, e)
                     : certificate_ensure(c->server.data_dir, &c->server.names, &s->certificate, e);
    if (rc != RC_OK)
        return rc;
    if (!*setup.certificate) {
        setup.certificate = s->certificate.chain;
        setup.certificate_key = s->certificate.key;
    }
    renewal_init(&s->renewal, setup.certificate, setup.certificate_key);
    AUTO_STRBUF template, text;
    strbuf_init(&template, NGINX_CONF_MAX);
    strbuf_init(&text, NGINX_CONF_MAX);
    if ((rc = fs_read(arena_printf(s->arena, "%s/alfred.conf.in", s->nginx_dir), &template, e)) != RC_OK ||
        (rc = nginx_conf(c, &setup, strbuf_str(&template), &text, e)) != RC_OK)
        return rc;
    return fs_write_atomic(arena_printf(s->arena, "%s/nginx.conf", s->run.path), strbuf_str(&text), e);
}

static enum rc write_system_prompt(const struct config *c, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = fs_exists(c->context.system_prompt)
                     ? RC_OK
                     : fs_write_atomic(c->context.system_prompt, str_of(system_prompt), &why);
    return rc == RC_OK ? RC_OK : err_set(e, rc, "[context] system_prompt: %s", why.text);
}

/* Sets the absolute path of the configuration file for the programs. */
static enum rc set_environment(struct service *s, struct err *e)
{
    const struct config *c = s->config;
    struct providers *made = NULL;
    if (c->path)
        setenv(CONFIG_FILE_ENV, c->path, 1);
    struct embedder embedder;
    /* Each program loads the providers and MCP servers again. Here the user is told about a missing key and a
     * wrong [embedding]. */
    enum rc rc = providers_new(c, &made, e);
    AUTO(providers) p = made;
    struct mcp_servers *servers = NULL;
    if (rc == RC_OK)
        rc = mcp_servers_new(c, &servers, e);
    mcp_servers_free(servers);
    if (rc == RC_OK)
        rc = embedder_configured(c, p, &embedder, e);
    return rc == RC_OK ? ask_models(c, p, &s->upgrade, e) : rc;
}

/* Each reader of an answer needs a descriptor in nginx and one in the stream program. */
static void raise_open_files(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) != 0)
        return;
    l.rlim_cur = l.rlim_max < OPEN_FILES_MAX ? l.rlim_max : OPEN_FILES_MAX;
    setrlimit(RLIMIT_NOFILE, &l);
}

/* ---- the table of programs ---- */

static const char *const *words(struct arena *a, const char *const *list, size_t n)
{
    const char **copy = ARENA_ARRAY(a, const char *, n + 1);
    memcpy(copy, list, n * sizeof *copy);
    return copy;
}

/* nginx gets no secret of our environment. It gets the sockets in the form of its own upgrade: "3;4;". */
static void add_nginx(struct service *s)
{
    char sockets[ENV_TEXT_MAX] = "NGINX=";
    for (size_t i = 0; i < s->tcp_n; i++) {
        size_t n = strlen(sockets);
        snprintf(sockets + n, sizeof sockets - n, "%d;", s->tcp[i].fd);
    }
    const char *argv[] = {s->nginx, "-p", s->run.path, "-c",
        arena_printf(s->arena, "%s/nginx.conf", s->run.path), "-e",
        "/dev/null"}; /* until the configuration is read; warnings still go to standard error */
    const char *envp[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", arena_strdup(s->arena, sockets)};
    s->programs[s->programs_n++] = (struct program){
        .name = "nginx",
        .argv = words(s->arena, argv, ARRAY_LEN(argv)),
        .envp = words(s->arena, envp, ARRAY_LEN(envp)),
        .dir = s->run.path, /* orphans_end() recognises the workers by it */
        .input = -1,
        .keep = s->listening,
        .keep_n = s->tcp_n,
        .stop_signal = SIGQUIT, /* requests may end */
        .death_signal = SIGTERM,
        .nice = NGINX_NICE,
        .logs_through_us = true,
        .certificate = &s->renewal,
    };
}

static void add_programs(struct service *s)
{
    if (s->own_nginx)
        add_nginx(s);
    size_t socket = s->tcp_n;
    for (size_t i = 0; i < FCGI_PROGRAMS; i++) {
        const char *argv[] = {arena_printf(s->arena, "%s/%s", s->bin_dir, fcgi_programs[i].name)};
        s->programs[s->programs_n++] = (struct program){
            .name = fcgi_programs[i].name,
            .argv = words(s->arena, argv, 1),
            .input = fcgi_programs[i].socket ? s->listening[socket++] : -1,
            .stop_signal = SIGTERM,
            .death_signal = SIGKILL, /* safe for these programs, and they must not outlive us */
            .stop_phase = fcgi_programs[i].stop_phase,
        };
    }
    if (s->upgrade)
        s->programs[s->programs_n++] = (struct program){.name = "the upgrade of the database",
            .pid = s->upgrade,
            .once = true,
            .stop_signal = SIGKILL}; /* each migration is a transaction */
    const char *argv[] = {arena_printf(s->arena, "%s/alfred", s->bin_dir), "link"};
    s->programs[s->programs_n++] = (struct program){
        .name = "alfred link",
        .argv = words(s->arena, argv, ARRAY_LEN(argv)),
        .input = -1,
        .stop_signal = SIGTERM,
        .death_signal = SIGTERM,
        .once = true,
    };
}

/* A group that we share, such as that of a terminal, is left alone. Without the right to it, or where the
 * kernel has no such groups, nothing changes. */
static void raise_own_group(void)
{
    AUTO_FD fd = getsid(0) == getpid() ? open(AUTOGROUP, O_WRONLY | O_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, AUTOGROUP_NICE, strlen(AUTOGROUP_NICE)) < 0)
        log_debug("priority of the session: %s", strerror(errno));
}

static enum rc prepare(struct service *s, struct err *e)
{
    enum rc rc;
    if ((rc = find_programs(s, e)) != RC_OK || (rc = config_files_check(s->config, e)) != RC_OK ||
        (rc = take_lock(s, e)) != RC_OK || (rc = make_run_dir(s, e)) != RC_OK ||
        (rc = open_sockets(s, e)) != RC_OK || (rc = write_system_prompt(s->config, e)) != RC_OK)
        return rc;
    if (s->own_nginx && (rc = write_nginx_conf(s, e)) != RC_OK)
        return rc;
    return set_environment(s, e);
}

int cmd_serve(const struct command_line *l)
{
    struct service s = {.lock = -1,
        .run = {.path = ""},
        .own_nginx = !command_option(l, "without-nginx"),
        .socket_group = command_option(l, "socket-group")};
    if (s.socket_group && s.own_nginx)
        return command_misused(l, "--socket-group needs --without-nginx; our own nginx needs no group");
    supervise_take_signals();
    s.arena = arena_new();
    struct err e = ERR_INIT;
    enum rc rc = cli_open(&s.config, NULL, &e);
    if (rc == RC_OK) {
        log_init("alfred", s.config->server.log_level);
        raise_open_files();
        raise_own_group();
        rc = prepare(&s, &e);
    }
    int code = COMMAND_FAILED;
    if (rc == RC_OK) {
        add_programs(&s);
        service_manager_ready();
        code = supervise(s.programs, s.programs_n, s.listening, s.listening_n);
    } else if (rc == RC_CANCELLED) {
        code = 0;
    } else {
        cli_fail(&e);
    }
    if (s.own_nginx && *s.run.path)
        run_dir_remove(&s.run);
    fs_close(&s.lock);
    config_free(s.config);
    arena_free(s.arena);
    return code;
}
