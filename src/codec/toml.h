/*
 * Parses TOML 1.0 into a flat list of settings, with toml++, whose exceptions stay inside.
 *
 * Every value becomes one entry, in the order of the text. `table` is the dotted path of the tables around
 * it, "" for the root: `[provider.work] key = 1` gives "provider.work" and "key", and so do the dotted key
 * `provider.work.key = 1` and the inline table `provider.work = {key = 1}`. A part that is not a bare key is
 * quoted, as in the text: `[models."gpt-4.1"]` is `models."gpt-4.1"`. `key` is never quoted. A table without
 * values has no entry.
 */
#ifndef ALFRED_CODEC_TOML_H
#define ALFRED_CODEC_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define TOML_TEXT_MAX (256 * 1024) /* longest text; a longer one is not a configuration */

enum toml_type {
    TOML_STRING,  /* s */
    TOML_INTEGER, /* i */
    TOML_FLOAT,   /* d */
    TOML_BOOLEAN, /* b */
    TOML_STRINGS, /* list, list_n: an array of strings, also an empty one */
    TOML_OTHER    /* valid TOML of another kind: a date, a time, any other array */
};

struct toml_entry {
    const char *table, *key;
    enum toml_type type;
    int64_t i;
    double d;
    bool b;
    const char *s;
    const char **list;
    size_t list_n;
    int line; /* line of the key's value, from 1 */
};

/*
 * All entries are in the arena; `*out` is NULL when there are none. RC_BAD_INPUT with a sentence that names
 * line and column: not TOML, a NUL character in a string, or tables nested too deeply. RC_TOO_BIG: beyond
 * TOML_TEXT_MAX.
 */
enum rc toml_parse(struct arena *a, struct str text, struct toml_entry **out, size_t *n, struct err *e);

#endif
