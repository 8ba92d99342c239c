/* alfred config sample | help | check */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "app/config/config_table.h"
#include "app/models/providers.h"

static int print(void (*make)(struct strbuf *out))
{
    AUTO_STRBUF out;
    strbuf_init(&out, CONFIG_SAMPLE_MAX);
    make(&out);
    return fwrite(out.s, 1, out.len, stdout) == out.len && fflush(stdout) == 0 ? 0 : 1;
}

/* Also what only the providers can tell: that every key is there. Never a key itself. */
static int check(void)
{
    struct err e = ERR_INIT;
    struct config *loaded = NULL;
    enum rc rc = cli_open(&loaded, NULL, &e);
    AUTO(config) c = loaded;
    if (rc != RC_OK)
        return cli_fail(&e);
    struct providers *made = NULL;
    rc = providers_new(c, &made, &e);
    AUTO(providers) p = made;
    if (rc != RC_OK)
        return cli_fail(&e);
    printf("%s is right.\n",
        c->path ? c->path : "There is no " CONFIG_FILE_NAME "; every setting is at its default, which");
    printf("Address: %s\nData: %s\nModels (without Ollama, which is looked for at the start):\n",
        c->server.public_url, c->server.data_dir);
    for (size_t i = 0; i < p->n; i++)
        printf("  %s%s\n", p->choices[i].value, i == 0 ? "  (default)" : "");
    return 0;
}

int cmd_config(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "sample") == 0)
        return print(config_sample);
    if (argc == 2 && strcmp(argv[1], "help") == 0)
        return print(config_help);
    if (argc == 2 && strcmp(argv[1], "check") == 0)
        return check();
    fprintf(stderr, "usage: alfred config sample | help | check\n");
    return EXIT_USAGE;
}
