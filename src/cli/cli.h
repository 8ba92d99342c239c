/* Shared by the commands of the program `alfred`. */
#ifndef ALFRED_CLI_CLI_H
#define ALFRED_CLI_CLI_H

#include "app/account/auth.h"
#include "app/config/config.h"
#include "cli/command.h"
#include "store/store.h"

int cmd_serve(const struct command_line *l);
int cmd_link(const struct command_line *l);
int cmd_chat(const struct command_line *l);
int cmd_user_add(const struct command_line *l);
int cmd_user_passwd(const struct command_line *l);
int cmd_user_role(const struct command_line *l);
int cmd_user_disable(const struct command_line *l);
int cmd_user_enable(const struct command_line *l);
int cmd_user_second_step_off(const struct command_line *l);
int cmd_user_delete(const struct command_line *l);
int cmd_user_list(const struct command_line *l);
int cmd_token_add(const struct command_line *l);
int cmd_token_list(const struct command_line *l);
int cmd_token_revoke(const struct command_line *l);
int cmd_jobs_list(const struct command_line *l);
int cmd_jobs_retry(const struct command_line *l);
int cmd_backup(const struct command_line *l);
int cmd_export(const struct command_line *l);
int cmd_import(const struct command_line *l);
int cmd_config_sample(const struct command_line *l);
int cmd_config_help(const struct command_line *l);
int cmd_provider_test(const struct command_line *l);
int cmd_mcp(const struct command_line *l);
int cmd_telegram_setup(const struct command_line *l);
int cmd_telegram_info(const struct command_line *l);
int cmd_telegram_remove(const struct command_line *l);
int cmd_config_check(const struct command_line *l);

/* Prints the failure to standard error; COMMAND_FAILED. */
int cli_fail(const struct err *e);

/* Loads the configuration, and with `store` opens the database in its data folder, which is created if
 * missing. RC_NOT_FOUND: there is neither a settings file nor that folder. */
enum rc cli_open(struct config **c, struct store **store, struct err *e);

/* Before the process opens the database. RC_FORBIDDEN: this user may not write the data folder or a file in
 * it. The sentence names the file and the remedy. SQLite's own message names no file. RC_CONFLICT: as
 * db_check_log(). */
enum rc cli_check_data(const struct config *c, struct err *e);

/* The resources of commands that use the database. */
struct cli {
    struct config *config;
    struct store *store;
    struct arena *arena;
    struct auth_client from; /* for audit rows */
    struct user user;        /* result of cli_find_user() */
};
typedef enum rc cli_fn(struct cli *k, const struct command_line *l, struct err *e);

/* Opens everything, calls `fn`, closes, and prints its failure. Returns the exit code. */
int cli_run(const struct command_line *l, cli_fn *fn);

/* Finds the user and sets k->user. RC_BAD_INPUT, RC_NOT_FOUND with a sentence. */
enum rc cli_find_user(struct cli *k, const char *name, struct err *e);

#endif
