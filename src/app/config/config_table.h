/*
 * The one table of settings (config.h), and what follows from it without a file: defaults, the commented
 * sample, the help. The compiler checks a row's offset in struct config against its type.
 */
#ifndef ALFRED_APP_CONFIG_CONFIG_TABLE_H
#define ALFRED_APP_CONFIG_CONFIG_TABLE_H

#include "app/config/config.h"
#include "base/strbuf.h"
#include "codec/toml.h"

enum config_type {
    CONFIG_INT,   /* int64_t, within min and max */
    CONFIG_TEXT,  /* const char *, at most CONFIG_TEXT_MAX bytes, no control characters */
    CONFIG_PATH,  /* the same, made absolute; "" stays "" */
    CONFIG_TEXTS, /* struct config_list */
    CONFIG_WORD,  /* an enum whose values are the places in `words` */
};

#define CONFIG_TEXT_MAX   1024
#define CONFIG_SAMPLE_MAX (64 * 1024)

struct config_row {
    const char *section; /* "provider.NAME" stands for every [provider.…], "mcp.NAME" for every [mcp.…] */
    const char *key, *help;
    enum config_type type;
    int64_t def, min, max;    /* INT; of a WORD its place */
    const char *text;         /* TEXT, PATH: the default; of a NAME section: the example of the sample */
    const char *const *words; /* WORD: ends in NULL */
    size_t offset;            /* in struct config, struct config_provider or struct config_mcp */
};

struct config_section {
    const char *name, *help;
};

#define CONFIG_PROVIDER_SECTION "provider.NAME"
#define CONFIG_PROVIDER_PREFIX  "provider."
#define CONFIG_MCP_SECTION      "mcp.NAME"
#define CONFIG_MCP_PREFIX       "mcp."

/* True for a section that the file may have several times, with names in place of NAME. */
bool config_section_is_named(const char *section);

const struct config_section *config_sections(size_t *n);
const struct config_row *config_rows(size_t *n); /* together by section, in the order of config_sections() */

const struct config_row *config_row_find(const char *section, const char *key); /* NULL: none */
/* The nearest name by edit distance, NULL when none is near: for "did you mean". */
const char *config_nearest_key(const char *section, const char *key);
const char *config_nearest_section(const char *section);

/* Every row of the section gets its default at base + offset. Paths count from `folder`. */
void config_defaults(struct arena *a, const char *section, const char *folder, void *base);

/* Stores one value. RC_BAD_INPUT: the error's text says what is wrong, to be put after "[section] key ". */
enum rc config_apply(struct arena *a, const struct config_row *row, const char *folder,
    const struct toml_entry *value, void *base, struct err *e);

/* alfred.toml with every setting at its default, commented out, and its help above it. */
void config_sample(struct strbuf *out);
/* The settings with their defaults and help, for reading on a terminal. */
void config_help(struct strbuf *out);

#endif
