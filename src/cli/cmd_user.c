/* alfred user add | passwd | role | link | disable | enable | list */
#include "cli/cli.h"

#include <getopt.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "app/account/auth.h"
#include "app/account/password.h"
#include "base/clock.h"

static const char usage[] =
    "usage: alfred user add NAME [--admin] [--link]   a new user; with --link they choose the password "
    "themselves\n"
    "       alfred user passwd NAME [--link]          a new password, or a one-time link\n"
    "       alfred user role NAME admin|member\n"
    "       alfred user disable NAME | enable NAME\n"
    "       alfred user list\n"
    "Passwords are asked for on a terminal and else read from standard input, one line.\n";

struct command {
    struct config *config;
    struct store *store;
    struct auth_client from;
    const char *name; /* of the user */
    bool link;
    enum user_role role;
};

/* Passwords */

/* One line without its end into `out`; false at the end of input or when it is too long. */
static bool read_line(char out[PASSWORD_BYTES_MAX + 2])
{
    if (!fgets(out, PASSWORD_BYTES_MAX + 2, stdin))
        return false;
    size_t n = strcspn(out, "\r\n");
    bool whole = out[n] != '\0' || feof(stdin);
    out[n] = '\0';
    return whole;
}

/* Without echo; the terminal is as before afterwards. */
static bool ask(const char *question, char out[PASSWORD_BYTES_MAX + 2])
{
    struct termios before, quiet;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return read_line(out);
    quiet = before;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    fprintf(stderr, "%s: ", question);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    bool got = read_line(out);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    fputc('\n', stderr);
    return got;
}

static enum rc read_password(char out[PASSWORD_BYTES_MAX + 2], struct err *e)
{
    char again[PASSWORD_BYTES_MAX + 2] = "";
    if (!ask("Password", out))
        return err_say(e, RC_BAD_INPUT, "No password was given.");
    enum rc rc = password_check(out, e);
    if (rc == RC_OK && isatty(STDIN_FILENO) && (!ask("Once more", again) || strcmp(out, again) != 0))
        rc = err_say(e, RC_BAD_INPUT, "The two passwords differ.");
    sodium_memzero(again, sizeof again);
    return rc;
}

/* What the commands do */

static enum rc find(struct command *k, struct user *u, struct arena *a, struct err *e)
{
    char folded[USER_NAME_MAX + 1];
    enum rc rc = auth_name(k->name, folded, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(k->store);
    rc = store_user_by_name(db, a, folded, u, e);
    store_read_done(k->store, db);
    return rc == RC_NOT_FOUND ? err_say(e, rc, "There is no user %s.", folded) : rc;
}

static enum rc print_link(struct command *k, int64_t user_id, struct err *e)
{
    char code[TOKEN_SIZE];
    enum rc rc = auth_user_link(k->store, 0, user_id, &k->from, code, e);
    if (rc == RC_OK)
        printf("A link to sign in with and choose a password (once, within %d hours):\n%s/welcome#%s\n",
            AUTH_LINK_HOURS, k->config->server.public_url, code);
    return rc;
}

static enum rc add(struct command *k, struct err *e)
{
    char password[PASSWORD_BYTES_MAX + 2] = "", name[USER_NAME_MAX + 1];
    int64_t id;
    enum rc rc = auth_name(k->name, name, e);
    if (rc == RC_OK && !k->link)
        rc = read_password(password, e);
    if (rc == RC_OK)
        rc = auth_user_add(k->store, 0, name, k->role, k->link ? NULL : password, &k->from, &id, e);
    sodium_memzero(password, sizeof password);
    if (rc != RC_OK)
        return rc;
    printf("%s may come in, as %s.\n", name, user_role_name(k->role));
    return k->link ? print_link(k, id, e) : RC_OK;
}

static enum rc passwd(struct command *k, struct err *e)
{
    AUTO(arena) a = arena_new();
    char password[PASSWORD_BYTES_MAX + 2] = "";
    struct user u;
    enum rc rc = find(k, &u, a, e);
    if (rc != RC_OK)
        return rc;
    if (k->link)
        return print_link(k, u.id, e);
    if ((rc = read_password(password, e)) == RC_OK)
        rc = auth_user_set_password(k->store, 0, u.id, password, &k->from, e);
    sodium_memzero(password, sizeof password);
    if (rc == RC_OK)
        printf("%s has a new password and is signed out everywhere.\n", u.name);
    return rc;
}

static enum rc set_role(struct command *k, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u;
    enum rc rc = find(k, &u, a, e);
    if (rc == RC_OK)
        rc = auth_user_set_role(k->store, 0, u.id, k->role, &k->from, e);
    if (rc == RC_OK)
        printf("%s is %s now.\n", u.name, user_role_name(k->role));
    return rc;
}

static enum rc set_disabled(struct command *k, bool disabled, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user u;
    enum rc rc = find(k, &u, a, e);
    if (rc == RC_OK)
        rc = auth_user_set_disabled(k->store, 0, u.id, disabled, &k->from, e);
    if (rc == RC_OK)
        printf(disabled ? "%s may not come in any more and is signed out everywhere.\n"
                        : "%s may come in again.\n",
            u.name);
    return rc;
}

static enum rc disable(struct command *k, struct err *e)
{
    return set_disabled(k, true, e);
}

static enum rc enable(struct command *k, struct err *e)
{
    return set_disabled(k, false, e);
}

static enum rc list(struct command *k, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct user *all;
    size_t n;
    struct db *db = store_read(k->store);
    enum rc rc = store_user_list(db, a, &all, &n, e);
    store_read_done(k->store, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        char used[CLOCK_RFC3339_SIZE] = "never";
        if (all[i].last_used_at)
            clock_rfc3339(all[i].last_used_at, used);
        printf("%-20s  %-6s  %-8s  last here: %s\n", all[i].name, user_role_name(all[i].role),
            all[i].disabled_at ? "disabled" : "active", used);
    }
    return rc;
}

static const struct {
    const char *word;
    int names; /* arguments beside options */
    enum rc (*run)(struct command *k, struct err *e);
} commands[] = {
    {"add", 1, add},
    {"passwd", 1, passwd},
    {"role", 2, set_role},
    {"disable", 1, disable},
    {"enable", 1, enable},
    {"list", 0, list},
};

/* Arguments */

static bool parse_role(const char *word, enum user_role *out)
{
    *out = strcmp(word, "admin") == 0 ? USER_ADMIN : USER_MEMBER;
    return strcmp(word, user_role_name(*out)) == 0;
}

static bool parse_options(struct command *k, int argc, char **argv)
{
    static const struct option options[] = {
        {"admin", no_argument, NULL, 'a'},
        {"role", required_argument, NULL, 'r'},
        {"link", no_argument, NULL, 'l'},
        {0},
    };
    optind = 1;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (o) {
        case 'a': k->role = USER_ADMIN; break;
        case 'l': k->link = true; break;
        case 'r':
            if (!parse_role(optarg, &k->role))
                return false;
            break;
        default: return false;
        }
    return true;
}

int cmd_user(int argc, char **argv)
{
    struct command k = {.from = {.address = "", .agent = "alfred user", .now = clock_wall_ms()}};
    size_t i = 0;
    if (argc >= 2 && parse_options(&k, argc - 1, argv + 1))
        while (i < ARRAY_LEN(commands) && strcmp(commands[i].word, argv[1]) != 0)
            i++;
    else
        i = ARRAY_LEN(commands);
    char **rest = argv + 1 + optind;
    if (i == ARRAY_LEN(commands) || argc - 1 - optind != commands[i].names ||
        (commands[i].names == 2 && !parse_role(rest[1], &k.role))) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    k.name = commands[i].names ? rest[0] : NULL;
    struct err e = ERR_INIT;
    enum rc rc = cli_open(&k.config, &k.store, &e);
    if (rc == RC_OK)
        rc = commands[i].run(&k, &e);
    store_free(k.store);
    config_free(k.config);
    return rc == RC_OK ? 0 : cli_fail(&e);
}
