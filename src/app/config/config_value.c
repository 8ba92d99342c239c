/* The values of the rows of config_table.h: defaults, and what the file sets. */
#include "app/config/config_table.h"

#include <string.h>

static const char *absolute(struct arena *a, const char *folder, const char *path)
{
    return *path == '\0' || *path == '/' ? arena_strdup(a, path) : arena_printf(a, "%s/%s", folder, path);
}

static void put_word(void *at, size_t place)
{
    unsigned value = (unsigned)place; /* an enum without negative values is one, in gcc and clang */
    memcpy(at, &value, sizeof value);
}

void config_defaults(struct arena *a, const char *section, const char *folder, void *base)
{
    bool named = config_section_is_named(section); /* their texts are examples */
    size_t n;
    const struct config_row *rows = config_rows(&n);
    for (size_t i = 0; i < n; i++) {
        const struct config_row *r = &rows[i];
        void *at = (char *)base + r->offset;
        if (strcmp(r->section, section) != 0)
            continue;
        switch (r->type) {
        case CONFIG_INT: *(int64_t *)at = r->def; break;
        case CONFIG_TEXT: *(const char **)at = named ? "" : r->text; break;
        case CONFIG_PATH: *(const char **)at = absolute(a, folder, r->text); break;
        case CONFIG_TEXTS: *(struct config_list *)at = (struct config_list){0}; break;
        case CONFIG_WORD: put_word(at, (size_t)r->def); break;
        }
    }
}

static enum rc check_text(const char *s, struct err *e)
{
    if (strlen(s) > CONFIG_TEXT_MAX)
        return err_tell(e, RC_BAD_INPUT, "must have at most %d bytes", CONFIG_TEXT_MAX);
    for (const char *p = s; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F)
            return err_tell(e, RC_BAD_INPUT, "must have no control characters");
    return RC_OK;
}

static enum rc apply_word(const struct config_row *row, const struct toml_entry *v, void *at, struct err *e)
{
    AUTO_STRBUF all;
    strbuf_init(&all, ERR_TEXT_MAX);
    for (size_t i = 0; row->words[i]; i++) {
        if (v->type == TOML_STRING && strcmp(v->s, row->words[i]) == 0) {
            put_word(at, i);
            return RC_OK;
        }
        strbuf_addf(&all, "%s\"%s\"", i ? ", " : "", row->words[i]);
    }
    return err_tell(e, RC_BAD_INPUT, "must be one of %s", all.s);
}

static enum rc apply_texts(struct arena *a, const struct toml_entry *v, struct config_list *at, struct err *e)
{
    if (v->type != TOML_STRINGS)
        return err_tell(e, RC_BAD_INPUT, "must be a list of texts, like [\"one\", \"two\"]");
    if (v->list_n > CONFIG_LIST_MAX)
        return err_tell(e, RC_BAD_INPUT, "must have at most %d entries", CONFIG_LIST_MAX);
    const char **copy = ARENA_ARRAY(a, const char *, v->list_n);
    for (size_t i = 0; i < v->list_n; i++) {
        if (check_text(v->list[i], e) != RC_OK)
            return RC_BAD_INPUT;
        copy[i] = arena_strdup(a, v->list[i]);
    }
    *at = (struct config_list){copy, v->list_n};
    return RC_OK;
}

enum rc config_apply(struct arena *a, const struct config_row *row, const char *folder,
    const struct toml_entry *v, void *base, struct err *e)
{
    void *at = (char *)base + row->offset;
    switch (row->type) {
    case CONFIG_INT:
        if (v->type != TOML_INTEGER)
            return err_tell(e, RC_BAD_INPUT, "must be a whole number");
        if (v->i < row->min || v->i > row->max)
            return err_tell(
                e, RC_BAD_INPUT, "must be between %lld and %lld", (long long)row->min, (long long)row->max);
        *(int64_t *)at = v->i;
        return RC_OK;
    case CONFIG_TEXT:
    case CONFIG_PATH:
        if (v->type != TOML_STRING)
            return err_tell(e, RC_BAD_INPUT, "must be a text in quotes");
        if (check_text(v->s, e) != RC_OK)
            return RC_BAD_INPUT;
        *(const char **)at = row->type == CONFIG_PATH ? absolute(a, folder, v->s) : arena_strdup(a, v->s);
        return RC_OK;
    case CONFIG_TEXTS: return apply_texts(a, v, at, e);
    case CONFIG_WORD: return apply_word(row, v, at, e);
    }
    return err_set(e, RC_INTERNAL, "a setting has the unknown type %d", (int)row->type);
}
