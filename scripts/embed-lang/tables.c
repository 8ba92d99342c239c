/* All texts as constants: the keys with a hash table, and each language's texts in the order of the keys. */
#include <stdlib.h>
#include <string.h>

#include "base/lang_plural.h"
#include "embed_lang.h"

/* Octal escapes have three digits, so that a following digit is not part of them. */
static void c_bytes(FILE *out, const char *s)
{
    for (const unsigned char *c = (const unsigned char *)s; *c; c++)
        if (*c < ' ' || *c == '"' || *c == '\\' || *c == '?')
            fprintf(out, "\\%03o", *c);
        else
            fputc(*c, out);
}

struct keys {
    char **names;
    size_t n;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct keys all_keys(void)
{
    struct keys k = {0};
    const char *section, *name;
    json_t *texts, *text;
    json_object_foreach(files[english].root, section, texts)
    {
        if (strcmp(section, HEAD) == 0)
            continue;
        json_object_foreach(texts, name, text)
        {
            k.names = realloc(k.names, (k.n + 1) * sizeof *k.names);
            if (asprintf(&k.names[k.n++], "%s.%s", section, name) < 0)
                abort();
        }
    }
    qsort(k.names, k.n, sizeof *k.names, by_key);
    return k;
}

/* Writes a text and returns its length with the closing NUL. */
static size_t table_text(FILE *out, json_t *text)
{
    if (json_is_string(text)) {
        c_bytes(out, json_string_value(text));
        fputs("\\000", out);
        return json_string_length(text) + 1;
    }
    size_t n = 2;
    fputs("\\001", out);
    for (int f = 0; f < PLURAL_COUNT; f++) {
        json_t *form = json_object_get(text, plural_names[f]);
        if (!form)
            continue;
        fprintf(out, "%d", f);
        c_bytes(out, json_string_value(form));
        fputs("\\000", out);
        n += json_string_length(form) + 2;
    }
    fputs("\\000", out);
    return n;
}

/* A hash table of the keys: 1 + the key's number, 0 for a free slot. At least half of it is free. */
static void key_slots(FILE *out, const struct keys *k)
{
    size_t n = 1;
    while (n < 2 * k->n)
        n *= 2;
    size_t *slots = calloc(n, sizeof *slots);
    for (size_t i = 0; i < k->n; i++) {
        size_t at = str_hash(str_of(k->names[i]), 0) & (n - 1);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = i + 1;
    }
    fprintf(out, "#define KEY_SLOTS %zu\nstatic const uint16_t key_slots[KEY_SLOTS] = {", n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%zu,", slots[i]);
    fputs("};\n", out);
    free(slots);
}

void tables(FILE *out)
{
    struct keys k = all_keys();
    fprintf(out, "#define KEYS %zu\n#define LANGUAGES %zu\n#define ENGLISH %zu\n", k.n, files_n, english);
    fputs("static const char key_names[] =\n", out);
    for (size_t i = 0; i < k.n; i++)
        fprintf(out, "    \"%s\\000\"\n", k.names[i]);
    fputs(";\nstatic const uint32_t key_at[KEYS] = {", out);
    for (size_t i = 0, at = 0; i < k.n; at += strlen(k.names[i++]) + 1)
        fprintf(out, "%zu,", at);
    fputs("};\n", out);
    key_slots(out, &k);
    fputs("static const char texts[] =\n", out);
    size_t *at = calloc(files_n * k.n + 1, sizeof *at), next = 0;
    for (size_t l = 0; l < files_n; l++)
        for (size_t i = 0; i < k.n; i++) {
            at[l * k.n + i] = next;
            fputs("    \"", out);
            next += table_text(out, text_of(&files[l], k.names[i]));
            fputs("\"\n", out);
        }
    fputs(";\nstatic const uint32_t text_at[LANGUAGES][KEYS] = {", out);
    for (size_t l = 0; l < files_n; l++) {
        fputs("{", out);
        for (size_t i = 0; i < k.n; i++)
            fprintf(out, "%zu,", at[l * k.n + i]);
        fputs("},\n", out);
    }
    fputs("};\nstatic const struct lang languages[LANGUAGES] = {\n", out);
    for (size_t l = 0; l < files_n; l++) {
        const struct file *f = &files[l];
        fprintf(out, "    {.code = \"%s\", .name = \"", f->code);
        c_bytes(out, head(f, "name", 48));
        fputs("\", .locale = \"", out);
        c_bytes(out, head(f, "locale", 16));
        fputs("\", .thousands = \"", out);
        c_bytes(out, head(f, "thousands", 8));
        fputs("\", .decimal = \"", out);
        c_bytes(out, head(f, "decimal", 8));
        fprintf(out, "\", .plural = %d},\n", f->plural);
    }
    fputs("};\n", out);
}
