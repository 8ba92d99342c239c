#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"
#include "base/str.h"
#include "base/version.h"

#define OPTION_FIRST 256 /* value of getopt_long() for a command's first option; larger than any letter */
#define TITLE_MAX    64
#define COLUMN       32 /* where the explanations in the list of commands begin */
#define OPTION_WIDTH 22

struct program {
    const struct command *commands;
    size_t n;
};

/* ---- finding ---- */

/* The number of `argv` words that name the command; 0: another command. */
static int words_match(const struct command *c, char **argv)
{
    int used = 0;
    struct str rest = str_of(c->words);
    while (rest.s) {
        struct str word = str_cut(&rest, ' ');
        if (!argv[used] || !str_is(word, argv[used]))
            return 0;
        used++;
    }
    return used;
}

static bool in_group(const struct command *c, const char *word)
{
    struct str rest = str_of(c->words), first = str_cut(&rest, ' ');
    return rest.s && word && str_is(first, word);
}

static bool is_group(const struct program *p, const char *word)
{
    for (size_t i = 0; i < p->n; i++)
        if (in_group(&p->commands[i], word))
            return true;
    return false;
}

static bool asks_help(const char *word)
{
    return word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
}

/* NULL: none. `used`: the number of words that name it. */
static const struct command *find(const struct program *p, char **argv, int *used)
{
    for (size_t i = 0; i < p->n; i++)
        if ((*used = words_match(&p->commands[i], argv)) > 0)
            return &p->commands[i];
    return NULL;
}

/* For a group's word alone, or followed by options. */
static const struct command *find_default(const struct program *p, char **argv)
{
    if (argv[0] && argv[1] && argv[1][0] != '-')
        return NULL;
    for (size_t i = 0; i < p->n; i++)
        if (p->commands[i].group_default && in_group(&p->commands[i], argv[0]))
            return &p->commands[i];
    return NULL;
}

/* ---- help ---- */

static void put_usage(FILE *to, const struct command *c)
{
    fprintf(to, "usage: alfred %s", c->words);
    for (const struct command_option *o = c->options; o->name; o++)
        fprintf(to, o->value ? " [--%s %s]" : " [--%s]", o->name, o->value);
    fprintf(to, *c->args ? " %s\n" : "\n", c->args);
}

static void put_option(const char *name, const char *value, const char *help)
{
    char left[TITLE_MAX];
    snprintf(left, sizeof left, value ? "--%s %s" : "--%s", name, value);
    printf("  %-*s  %s\n", OPTION_WIDTH, left, help);
}

static int help_command(const struct command *c)
{
    put_usage(stdout, c);
    printf("\n%s\nOptions:\n", c->details);
    for (const struct command_option *o = c->options; o->name; o++)
        put_option(o->name, o->value, o->help);
    put_option("config", "FILE", "read the settings from FILE");
    put_option("help", NULL, "print this");
    printf("\nExample:\n  alfred %s\n", c->example);
    return 0;
}

/* The commands of a group, or all (NULL). */
static void put_list(FILE *to, const struct program *p, const char *group)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct command *c = &p->commands[i];
        char left[TITLE_MAX];
        if (group && !in_group(c, group))
            continue;
        snprintf(left, sizeof left, *c->args ? "%s %s" : "%s", c->words, c->args);
        fprintf(to, "  %-*s  %s\n", COLUMN, left, c->summary);
    }
}

static void put_program(FILE *to, const struct program *p, const char *group)
{
    fprintf(to, "usage: alfred [--config FILE] %s%sCOMMAND ...\n\n", group ? group : "", group ? " " : "");
    put_list(to, p, group);
    fputs("\n`alfred help COMMAND` explains a command, `alfred --version` prints the version.\n"
          "Settings come from alfred.toml in the working directory, from --config, or from $" CONFIG_FILE_ENV
          ".\n",
        to);
}

static int unknown(const struct program *p, char **argv)
{
    const char *group = is_group(p, argv[0]) ? argv[0] : NULL;
    if (argv[0] && !group)
        fprintf(stderr, "alfred: there is no command \"%s\"\n", argv[0]);
    else if (group && argv[1])
        fprintf(stderr, "alfred: there is no command \"%s %s\"\n", group, argv[1]);
    put_program(stderr, p, group);
    return COMMAND_MISUSED;
}

static int help(const struct program *p, char **argv)
{
    int used;
    const struct command *c = find(p, argv, &used);
    if (c)
        return help_command(c);
    if (argv[0] && (argv[1] || !is_group(p, argv[0])))
        return unknown(p, argv);
    put_program(stdout, p, argv[0]);
    return 0;
}

/* ---- parsing ---- */

const char *command_option(const struct command_line *l, const char *name)
{
    for (size_t i = 0; l->command->options[i].name; i++)
        if (strcmp(l->command->options[i].name, name) == 0)
            return l->values[i];
    abort(); /* not declared in the table */
}

static int usage_of(const struct command *c)
{
    put_usage(stderr, c);
    fprintf(stderr, "Run `alfred help %s` for help.\n", c->words);
    return COMMAND_MISUSED;
}

int command_misused(const struct command_line *l, const char *fmt, ...)
{
    va_list args;
    fprintf(stderr, "alfred %s: ", l->command->words);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    return usage_of(l->command);
}

static bool takes_words(const struct command *c)
{
    return strstr(c->args, "...") != NULL;
}

/* The least and the largest number of arguments of a command. */
static void count_args(const struct command *c, int *least, int *most)
{
    *least = *most = 0;
    if (takes_words(c)) {
        *most = INT_MAX;
        return;
    }
    struct str rest = *c->args ? str_of(c->args) : (struct str){0};
    while (rest.s) {
        struct str word = str_cut(&rest, ' ');
        *least += word.s[0] != '[';
        ++*most;
    }
}

static int take_args(struct command_line *l, int n, char **args)
{
    int least, most;
    count_args(l->command, &least, &most);
    if (n < least)
        return command_misused(l, "an argument is missing");
    if (n > most)
        return command_misused(l, "\"%s\" is too much", args[most]);
    if (takes_words(l->command)) {
        l->words = args;
        l->words_n = (size_t)n;
        return 0;
    }
    for (int i = 0; i < n; i++)
        l->args[i] = args[i];
    return 0;
}

/* argv[0] is the last of the command's words, which getopt_long() uses in messages. */
static int run(const struct command *c, int argc, char **argv)
{
    struct option options[COMMAND_OPTIONS_MAX + 3] = {0};
    struct command_line l = {.command = c};
    char title[TITLE_MAX];
    size_t n = 0;
    for (; c->options[n].name; n++)
        options[n] = (struct option){c->options[n].name,
            c->options[n].value ? required_argument : no_argument, NULL, OPTION_FIRST + (int)n};
    options[n++] = (struct option){"config", required_argument, NULL, 'c'};
    options[n] = (struct option){"help", no_argument, NULL, 'h'};
    snprintf(title, sizeof title, "alfred %s", c->words);
    argv[0] = title;
    optind = 0; /* resets getopt_long(), including its hidden state */
    for (int o; (o = getopt_long(argc, argv, "c:h", options, NULL)) != -1;) {
        const char *value = optarg ? optarg : "";
        if (o == 'h')
            return help_command(c);
        if (o == '?')
            return usage_of(c);
        if (o == 'c')
            setenv(CONFIG_FILE_ENV, value, 1);
        else
            l.values[o - OPTION_FIRST] = value;
    }
    int code = take_args(&l, argc - optind, argv + optind);
    return code ? code : c->run(&l);
}

/* Standard output may have failed: a full disk, a closed pipe. */
static int flushed(int code)
{
    if (fflush(stdout) == 0 || code)
        return code;
    fprintf(stderr, "alfred: standard output: %s\n", strerror(errno));
    return COMMAND_FAILED;
}

static int dispatch(const struct program *p, int argc, char **argv)
{
    int used = 1;
    if (argv[0] && strcmp(argv[0], "help") == 0)
        return help(p, argv + 1);
    const struct command *c = find(p, argv, &used);
    if (!c && asks_help(argv[0] ? argv[1] : NULL) && is_group(p, argv[0])) {
        put_program(stdout, p, argv[0]);
        return 0;
    }
    if (!c && (c = find_default(p, argv)))
        used = 1;
    return c ? run(c, argc - used + 1, argv + used - 1) : unknown(p, argv);
}

int command_main(const struct command *commands, size_t n, int argc, char **argv)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {0},
    };
    struct program p = {commands, n};
    char name[] = "alfred";
    bool wants_help = false;
    argv[0] = name;
    for (int o; (o = getopt_long(argc, argv, "+c:h", options, NULL)) != -1;)
        switch (o) {
        case 'c': setenv(CONFIG_FILE_ENV, optarg, 1); break;
        case 'h': wants_help = true; break;
        case 'V': printf("alfred %s\n", ALFRED_VERSION); return flushed(0);
        default: put_program(stderr, &p, NULL); return COMMAND_MISUSED;
        }
    argc -= optind;
    argv += optind;
    return flushed(wants_help ? help(&p, argv) : dispatch(&p, argc, argv));
}
