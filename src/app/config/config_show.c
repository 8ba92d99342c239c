/* The table of settings as text: the sample file and the help. */
#include <string.h>

#include "app/config/config_table.h"

#define WRAP_AT 100

/* The words of `text` in lines that begin with `lead`. */
static void wrapped(struct strbuf *out, const char *lead, const char *text)
{
    struct str rest = str_of(text);
    size_t column = 0;
    while (rest.s) {
        struct str word = str_cut(&rest, ' ');
        if (column && column + 1 + word.len > WRAP_AT) {
            strbuf_addc(out, '\n');
            column = 0;
        }
        if (!column) {
            strbuf_adds(out, lead);
            column = strlen(lead);
        } else {
            strbuf_addc(out, ' ');
            column++;
        }
        strbuf_addstr(out, word);
        column += word.len;
    }
    strbuf_addc(out, '\n');
}

/* As TOML. */
static void value(struct strbuf *out, const struct config_row *r)
{
    switch (r->type) {
    case CONFIG_INT: strbuf_addint(out, r->def); break;
    case CONFIG_TEXT:
    case CONFIG_PATH: strbuf_addf(out, "\"%s\"", r->text); break; /* no default needs escapes */
    case CONFIG_TEXTS: strbuf_adds(out, "[]"); break;
    case CONFIG_WORD: strbuf_addf(out, "\"%s\"", r->words[r->def]); break;
    }
}

void config_sample(struct strbuf *out)
{
    size_t sections_n, rows_n;
    const struct config_section *sections = config_sections(&sections_n);
    const struct config_row *rows = config_rows(&rows_n);
    strbuf_adds(out,
        "# Alfred's settings, each at its default. Remove the # in front of a setting to change it.\n"
        "# `alfred config check` checks the file; `alfred serve` reads it at start.\n");
    for (size_t s = 0; s < sections_n; s++) {
        bool named = config_section_is_named(sections[s].name);
        strbuf_addc(out, '\n');
        wrapped(out, "# ", sections[s].help);
        strbuf_addf(out, "%s[%s]\n", named ? "#" : "", sections[s].name);
        for (size_t i = 0; i < rows_n; i++) {
            const struct config_row *r = &rows[i];
            if (strcmp(r->section, sections[s].name) != 0)
                continue;
            strbuf_addc(out, '\n');
            wrapped(out, "# ", r->help);
            if (r->type == CONFIG_INT && !named)
                strbuf_addf(out, "# From %lld to %lld.\n", (long long)r->min, (long long)r->max);
            strbuf_addf(out, "#%s = ", r->key);
            value(out, r);
            strbuf_addc(out, '\n');
        }
    }
}

void config_help(struct strbuf *out)
{
    size_t sections_n, rows_n;
    const struct config_section *sections = config_sections(&sections_n);
    const struct config_row *rows = config_rows(&rows_n);
    strbuf_adds(out, "Settings of alfred.toml (`alfred config sample` prints a file to start from)\n");
    for (size_t s = 0; s < sections_n; s++) {
        strbuf_addf(out, "\n[%s]\n", sections[s].name);
        wrapped(out, "  ", sections[s].help);
        for (size_t i = 0; i < rows_n; i++) {
            const struct config_row *r = &rows[i];
            if (strcmp(r->section, sections[s].name) != 0)
                continue;
            strbuf_addf(out, "\n  %s = ", r->key);
            value(out, r);
            if (r->type == CONFIG_INT)
                strbuf_addf(out, "  (%lld to %lld)", (long long)r->min, (long long)r->max);
            for (size_t w = 0; r->type == CONFIG_WORD && r->words[w]; w++)
                strbuf_addf(out, "%s%s", w ? ", " : "  (", r->words[w]);
            strbuf_adds(out, r->type == CONFIG_WORD ? ")\n" : "\n");
            wrapped(out, "      ", r->help);
        }
    }
}
