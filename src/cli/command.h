/*
 * Command lines of the program `alfred`: a table of commands (commands.c) and one parser for all.
 *
 *     alfred [--config FILE] WORDS [OPTION ...] [ARGUMENT ...]
 *
 * Options may be between arguments; "--" ends them. Every command accepts --help and --config. An unknown
 * option, or a wrong number of arguments, prints the usage on standard error, runs nothing and returns
 * COMMAND_MISUSED.
 */
#ifndef ALFRED_CLI_COMMAND_H
#define ALFRED_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_FAILED      1 /* exit codes; 0: done */
#define COMMAND_MISUSED     2
#define COMMAND_OPTIONS_MAX 8
#define COMMAND_ARGS_MAX    2

struct command_option {
    const char *name;
    const char *value; /* its name in the help; NULL: the option has none */
    const char *help;
};

struct command_line {
    const struct command *command;
    const char *args[COMMAND_ARGS_MAX];      /* NULL: absent */
    const char *values[COMMAND_OPTIONS_MAX]; /* values of command->options; NULL: absent */
    char **words;                            /* all arguments, of a command that takes any number */
    size_t words_n;
};

struct command {
    const char *words;   /* "backup", "user add" */
    const char *args;    /* "NAME [FILE]": arguments in brackets are optional; "[WORD...]": any number */
    const char *summary; /* a line of the list of commands */
    const char *details; /* lines ending in "\n", below the usage */
    const char *example; /* the words and their arguments */
    struct command_option options[COMMAND_OPTIONS_MAX + 1];
    bool group_default;                       /* runs when the first word stands alone */
    int (*run)(const struct command_line *l); /* returns the exit code */
};

/* Finds the command and runs it. Returns the exit code. */
int command_main(const struct command *commands, size_t n, int argc, char **argv) __attribute__((nonnull));

/* The value of an option, "" when it has none; NULL: absent. */
const char *command_option(const struct command_line *l, const char *name);

/* Prints the sentence and the usage on standard error. Returns COMMAND_MISUSED. For arguments that run()
 * refuses. */
int command_misused(const struct command_line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
