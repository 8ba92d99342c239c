/* alfred: the command line, and with `alfred serve` the supervisor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const char usage[] =
    "usage: alfred [--config FILE] COMMAND ...\n"
    "\n"
    "  serve     start Alfred: nginx, the programs behind it, and what keeps them running\n"
    "  link      print the address, and the first sign-in link as long as nobody has signed in\n"
    "  user      add, list and disable users, change passwords and roles\n"
    "  jobs      list the work in the background, try again what failed\n"
    "  backup    copy the live database to a file\n"
    "  export    write all that is a user's to a file\n"
    "  import    take in conversations of such a file, of ChatGPT or Open WebUI\n"
    "  config    check the settings, print a sample file or their help\n"
    "  help      print this\n"
    "\n"
    "Settings come from alfred.toml in the working directory, or from --config or $ALFRED_CONFIG.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"serve", cmd_serve},
    {"link", cmd_link},
    {"user", cmd_user},
    {"jobs", cmd_jobs},
    {"backup", cmd_backup},
    {"export", cmd_export},
    {"import", cmd_import},
    {"config", cmd_config},
};

int main(int argc, char **argv)
{
    if (argc > 2 && (strcmp(argv[1], "--config") == 0 || strcmp(argv[1], "-c") == 0)) {
        setenv(CONFIG_FILE_ENV, argv[2], 1);
        argv += 2;
        argc -= 2;
    }
    const char *word = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    bool asked = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    fputs(usage, asked ? stdout : stderr);
    return asked ? 0 : EXIT_USAGE;
}
