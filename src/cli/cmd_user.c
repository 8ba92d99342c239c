/* alfred user add, passwd, role, disable, enable, second-step-off, list. Deleting is in cmd_user_delete.c. */
#include "cli/cli.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/account/password.h"
#include "base/clock.h"
#include "cli/terminal.h"

#define LINE_MAX_BYTES (PASSWORD_BYTES_MAX + 2)

static enum rc read_password(char out[LINE_MAX_BYTES], struct err *e)
{
    char again[LINE_MAX_BYTES] = "";
    if (!terminal_ask_secret("Password", out, LINE_MAX_BYTES))
        return err_tell(
            e, RC_BAD_INPUT, "No password was given. --link makes a link with which the user chooses one.");
    enum rc rc = password_check(out, e);
    if (rc == RC_OK && isatty(STDIN_FILENO) &&
        (!terminal_ask_secret("Once more", again, sizeof again) || strcmp(out, again) != 0))
        rc = err_tell(e, RC_BAD_INPUT, "The two passwords differ.");
    sodium_memzero(again, sizeof again);
    return rc;
}

static enum rc print_link(struct cli *k, int64_t user_id, struct err *e)
{
    char code[TOKEN_SIZE];
    enum rc rc = auth_user_link(k->store, 0, user_id, &k->from, code, e);
    if (rc == RC_OK)
        printf("A link to sign in and choose a password (once, within %d hours):\n%s/welcome#%s\n",
            AUTH_LINK_HOURS, k->config->server.public_url, code);
    return rc;
}

static enum rc add(struct cli *k, const struct command_line *l, struct err *e)
{
    char password[LINE_MAX_BYTES] = "", name[USER_NAME_MAX + 1];
    bool link = command_option(l, "link");
    enum user_role role = command_option(l, "admin") ? USER_ADMIN : USER_MEMBER;
    int64_t id;
    enum rc rc = auth_name(l->args[0], name, e);
    if (rc == RC_OK && !link)
        rc = read_password(password, e);
    if (rc == RC_OK)
        rc = auth_user_add(k->store, 0, name, role, link ? NULL : password, &k->from, &id, e);
    sodium_memzero(password, sizeof password);
    if (rc != RC_OK)
        return rc;
    printf(link ? "%s is added, as %s.\n" : "%s can sign in now, as %s.\n", name, user_role_name(role));
    return link ? print_link(k, id, e) : RC_OK;
}

static enum rc passwd(struct cli *k, const struct command_line *l, struct err *e)
{
    char password[LINE_MAX_BYTES] = "";
    enum rc rc = cli_find_user(k, l->args[0], e);
    if (rc != RC_OK)
        return rc;
    if (command_option(l, "link"))
        return print_link(k, k->user.id, e);
    if ((rc = read_password(password, e)) == RC_OK)
        rc = auth_user_set_password(k->store, 0, k->user.id, password, &k->from, e);
    sodium_memzero(password, sizeof password);
    if (rc == RC_OK)
        printf("%s has a new password and is signed out everywhere.\n", k->user.name);
    return rc;
}

static bool read_role(const struct command_line *l, enum user_role *out)
{
    *out = strcmp(l->args[1], "admin") == 0 ? USER_ADMIN : USER_MEMBER;
    return strcmp(l->args[1], user_role_name(*out)) == 0;
}

static enum rc set_role(struct cli *k, const struct command_line *l, struct err *e)
{
    enum user_role role;
    if (!read_role(l, &role))
        return err_set(e, RC_BAD_INPUT, "a role is admin or member");
    enum rc rc = cli_find_user(k, l->args[0], e);
    if (rc == RC_OK)
        rc = auth_user_set_role(k->store, 0, k->user.id, role, &k->from, e);
    if (rc == RC_OK)
        printf("%s is %s now.\n", k->user.name, user_role_name(role));
    return rc;
}

static enum rc set_disabled(struct cli *k, const char *name, bool disabled, struct err *e)
{
    enum rc rc = cli_find_user(k, name, e);
    if (rc == RC_OK)
        rc = auth_user_set_disabled(k->store, 0, k->user.id, disabled, &k->from, e);
    if (rc == RC_OK)
        printf(disabled ? "%s is disabled and signed out everywhere.\n" : "%s can sign in again.\n",
            k->user.name);
    return rc;
}

static enum rc disable(struct cli *k, const struct command_line *l, struct err *e)
{
    return set_disabled(k, l->args[0], true, e);
}

static enum rc enable(struct cli *k, const struct command_line *l, struct err *e)
{
    return set_disabled(k, l->args[0], false, e);
}

static enum rc second_step_off(struct cli *k, const struct command_line *l, struct err *e)
{
    enum rc rc = cli_find_user(k, l->args[0], e);
    if (rc != RC_OK)
        return rc;
    rc = auth_user_second_step_off(k->store, 0, k->user.id, &k->from, e);
    if (rc == RC_NOT_FOUND)
        return err_set(e, rc, "two-step sign-in of %s is off", k->user.name);
    if (rc == RC_OK)
        printf("%s signs in with the password only now.\n", k->user.name);
    return rc;
}

static enum rc list(struct cli *k, const struct command_line *l, struct err *e)
{
    struct user *all;
    size_t n;
    (void)l;
    struct db *db = store_read(k->store);
    enum rc rc = store_user_list(db, k->arena, &all, &n, e);
    store_read_done(k->store, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        char used[CLOCK_RFC3339_SIZE] = "never";
        if (all[i].last_used_at)
            clock_rfc3339(all[i].last_used_at, used);
        printf("%-20s  %-6s  %-8s  last used: %s%s\n", all[i].name, user_role_name(all[i].role),
            all[i].disabled_at ? "disabled" : "active", used, all[i].second_step ? "  two-step sign-in" : "");
    }
    return rc;
}

int cmd_user_add(const struct command_line *l)
{
    return cli_run(l, add);
}

int cmd_user_passwd(const struct command_line *l)
{
    return cli_run(l, passwd);
}

int cmd_user_role(const struct command_line *l)
{
    enum user_role role;
    if (!read_role(l, &role))
        return command_misused(l, "\"%s\" is no role: it is admin or member", l->args[1]);
    return cli_run(l, set_role);
}

int cmd_user_disable(const struct command_line *l)
{
    return cli_run(l, disable);
}

int cmd_user_enable(const struct command_line *l)
{
    return cli_run(l, enable);
}

int cmd_user_second_step_off(const struct command_line *l)
{
    return cli_run(l, second_step_off);
}

int cmd_user_list(const struct command_line *l)
{
    return cli_run(l, list);
}
