/* alfred config sample, help, check */
#include "cli/cli.h"

#include <stdio.h>

#include "app/config/config_files.h"
#include "app/config/config_table.h"
#include "app/drawing/drawing.h"
#include "app/mcp/mcp_servers.h"
#include "app/models/embedder.h"
#include "app/models/providers.h"
#include "app/models/speech.h"
#include "app/python/python.h"
#include "cli/serve/certificate.h"

static int print(void (*make)(struct strbuf *out))
{
    AUTO_STRBUF out;
    strbuf_init(&out, CONFIG_SAMPLE_MAX);
    make(&out);
    return fwrite(out.s, 1, out.len, stdout) == out.len && fflush(stdout) == 0 ? 0 : 1;
}

int cmd_config_sample(const struct command_line *l)
{
    (void)l;
    return print(config_sample);
}

int cmd_config_help(const struct command_line *l)
{
    (void)l;
    return print(config_help);
}

/* Also checks that every provider's key exists, and the certificate. Prints no key. */
int cmd_config_check(const struct command_line *l)
{
    (void)l;
    struct err e = ERR_INIT;
    struct config *loaded = NULL;
    enum rc rc = cli_open(&loaded, NULL, &e);
    AUTO(config) c = loaded;
    if (rc == RC_OK)
        rc = config_files_check(c, &e);
    if (rc == RC_OK && *c->server.certificate)
        rc = certificate_check(c->server.certificate, c->server.certificate_key, &e);
    if (rc == RC_OK && *c->server.certificate)
        rc = certificate_check_time(c->server.certificate, &e);
    if (rc != RC_OK)
        return cli_fail(&e);
    struct providers *made = NULL;
    rc = providers_new(c, &made, &e);
    AUTO(providers) p = made;
    struct embedder embedder;
    if (rc == RC_OK)
        rc = embedder_configured(c, p, &embedder, &e);
    struct speech speech;
    if (rc == RC_OK && speech_is_on(c))
        rc = speech_configured(c, p, &speech, &e);
    const struct provider_source *drawing;
    if (rc == RC_OK && drawing_configured(c))
        rc = drawing_source(c, p, &drawing, &e);
    if (rc == RC_OK && python_configured(c))
        rc = python_check(c, &e);
    struct mcp_servers *servers = NULL;
    if (rc == RC_OK)
        rc = mcp_servers_new(c, &servers, &e);
    mcp_servers_free(servers);
    if (rc != RC_OK)
        return cli_fail(&e);
    printf("%s is valid.\n",
        c->path ? c->path : "There is no " CONFIG_FILE_NAME "; every setting is at its default, which");
    printf("Address: %s\nData: %s\nProviders:\n", c->server.public_url, c->server.data_dir);
    bool none = true;
    for (size_t i = 0; i < p->sources_n; i++)
        if (p->sources[i].settings.base_url && !p->sources[i].found_only) {
            printf("  %s at %s\n", p->sources[i].name, p->sources[i].settings.base_url);
            none = false;
        }
    if (none)
        printf("  none in the settings or the environment\n");
    const struct provider_list *list = providers_list(p);
    printf("Models (the lists of the providers are read at the start):\n");
    for (size_t i = 0; i < list->n; i++)
        printf("  %s%s\n", list->choices[i]->value, list->choices[i] == list->standard ? "  (default)" : "");
    return 0;
}
