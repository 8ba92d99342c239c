/*
 * The commands of the program `alfred`. Each gets its own arguments (argv[0] is its name) and returns the
 * exit code: 0 done, 1 failed with a message, 2 used wrongly.
 */
#ifndef ALFRED_CLI_CLI_H
#define ALFRED_CLI_CLI_H

#include "app/config/config.h"
#include "store/store.h"

#define EXIT_USAGE 2

int cmd_serve(int argc, char **argv);
int cmd_link(int argc, char **argv);
int cmd_user(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_jobs(int argc, char **argv);
int cmd_backup(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_import(int argc, char **argv);

/* Prints the failure to standard error; 1. */
int cli_fail(const struct err *e);

/* The configuration, and with `store` the database in its data folder, which need not exist yet. */
enum rc cli_open(struct config **c, struct store **store, struct err *e);

#endif
