/*
 * Alfred is one executable file, so that its processes share the pages of its code. The name that starts it
 * selects the program. `pages`, `api`, `stream`, `hooks` and `helper` are links to `alfred` in the same
 * folder. Any other name is the command line. `alfred serve` starts the links. The helper starts `models`,
 * which has no link.
 */
#include <string.h>

#include "cli/commands.h"
#include "codec/json/json.h"
#include "helper/helper.h"
#include "helper/models_program.h"
#include "web/hooks/hooks.h"
#include "web/program/program.h"
#include "web/stream/stream.h"

static int run_pages(char **argv)
{
    (void)argv;
    return web_main(&pages_program);
}

static int run_api(char **argv)
{
    (void)argv;
    return web_main(&api_program);
}

static int run_stream(char **argv)
{
    (void)argv;
    return web_main(&stream_program);
}

static int run_hooks(char **argv)
{
    (void)argv;
    return hooks_main();
}

static int run_helper(char **argv)
{
    (void)argv;
    return helper_main();
}

static const struct {
    const char *name;
    int (*run)(char **argv);
} programs[] = {
    {"pages", run_pages},
    {"api", run_api},
    {"stream", run_stream},
    {"hooks", run_hooks},
    {"helper", run_helper},
    {MODELS_PROGRAM, models_main},
};

int main(int argc, char **argv)
{
    json_begin();
    const char *slash = argc ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argc ? argv[0] : "";
    for (size_t i = 0; i < ARRAY_LEN(programs); i++)
        if (strcmp(name, programs[i].name) == 0)
            return programs[i].run(argv);
    return command_main(commands, commands_n, argc, argv);
}
