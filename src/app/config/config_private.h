/* Shared by the files that read and check alfred.toml. */
#ifndef ALFRED_APP_CONFIG_CONFIG_PRIVATE_H
#define ALFRED_APP_CONFIG_CONFIG_PRIVATE_H

#include "app/config/config.h"
#include "codec/toml.h"

#define SECTION_NAME_CHARS "abcdefghijklmnopqrstuvwxyz0123456789_-" /* of NAME in [provider.NAME] */
#define SECTION_NAME_MAX   40

/* The file that is read. */
struct reading {
    struct config *c;
    struct config_provider *providers; /* room for CONFIG_PROVIDERS_MAX */
    struct config_mcp *mcp;            /* room for CONFIG_MCP_MAX */
    const char *folder;
    const char *shown; /* the file's name, shortened for messages */
    const struct toml_entry *entries;
    size_t entries_n;
};

/* Checks several settings together, after all of them were read. RC_BAD_INPUT, with a sentence. */
enum rc config_check(const struct reading *r, struct err *e);

#endif
