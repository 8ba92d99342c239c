/* The files lang/CODE.json: reading, and the checks against the English file. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang_piece.h"
#include "base/lang_plural.h"
#include "embed_lang.h"

struct file files[LANGUAGES_MAX];
size_t files_n, english;
bool failed;

static void bad(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void bad(const char *path, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "%s: ", path);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    failed = true;
}

const char *head(const struct file *f, const char *key, size_t size)
{
    const char *s = json_string_value(json_object_get(json_object_get(f->root, HEAD), key));
    if (!s || !*s || strlen(s) >= size) {
        bad(f->path, "\"" HEAD "\" needs \"%s\", below %zu bytes", key, size);
        return "";
    }
    return s;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void parts_add(struct parts *p, const char *prefix, struct str name)
{
    char text[64];
    snprintf(text, sizeof text, "%s%.*s", prefix, STR_FMT(name));
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->names[i], text) == 0)
            return;
    if (p->n < NAMES_MAX)
        strcpy(p->names[p->n++], text);
}

struct parts parts_of(const char *text)
{
    struct parts p = {.n = 0};
    struct str rest = str_of(text);
    for (struct lang_piece at; (at = lang_piece_next(&rest)).kind != LANG_END;) {
        char element[2] = {(char)('0' + at.element), 0};
        if (at.kind == LANG_PLACE)
            parts_add(&p, "", at.text);
        else if (at.kind != LANG_LITERAL)
            parts_add(&p, at.kind == LANG_OPEN ? "<" : at.kind == LANG_CLOSE ? "</" : "<=", str_of(element));
    }
    qsort(p.names, p.n, sizeof p.names[0], by_name);
    return p;
}

static bool same_parts(const char *text, const char *other)
{
    struct parts a = parts_of(text), b = parts_of(other);
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (strcmp(a.names[i], b.names[i]) != 0)
            return false;
    return true;
}

const char *general(json_t *text)
{
    if (json_is_string(text))
        return json_string_value(text);
    for (int f = PLURAL_COUNT - 1; f >= 0; f--)
        if (json_object_get(text, plural_names[f]))
            return json_string_value(json_object_get(text, plural_names[f]));
    return NULL;
}

static void check_forms(const struct file *f, const char *key, json_t *text)
{
    unsigned wanted = plural_families[f->plural].forms, have = 0;
    const char *name;
    json_t *form;
    json_object_foreach(text, name, form)
    {
        int i = 0;
        while (i < PLURAL_COUNT && strcmp(plural_names[i], name) != 0)
            i++;
        if (i == PLURAL_COUNT || !json_is_string(form) || !*json_string_value(form))
            bad(f->path, "%s: \"%s\" is no plural form with a text", key, name);
        else
            have |= 1u << i;
    }
    if (have != wanted)
        bad(f->path, "%s: the plural family %s has other forms; src/base/lang_plural.c has the list", key,
            plural_families[f->plural].name);
}

static void check_text(const struct file *f, const char *section, const char *name, json_t *text)
{
    char key[256];
    snprintf(key, sizeof key, "%s.%s", section, name);
    for (const char *c = key; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_.", *c))
            bad(f->path, "%s: keys have the characters a-z, 0-9 and _", key);
    json_t *first = json_object_get(json_object_get(files[english].root, section), name);
    if (!first)
        return bad(f->path, "%s is not in the English file", key);
    if (json_is_object(text) != json_is_object(first))
        return bad(f->path, "%s: the English text has %s", key,
            json_is_object(first) ? "plural forms" : "no plural forms");
    if (json_is_object(text))
        check_forms(f, key, text);
    else if (!json_is_string(text) || !*json_string_value(text))
        return bad(f->path, "%s is no text", key);
    if (general(text) && general(first) && !same_parts(general(text), general(first)))
        bad(f->path, "%s: placeholders differ from the English text", key);
}

void check(const struct file *f)
{
    const char *section, *name;
    json_t *texts, *text;
    json_object_foreach(f->root, section, texts)
    {
        if (strcmp(section, HEAD) == 0)
            continue;
        json_object_foreach(texts, name, text) check_text(f, section, name, text);
    }
    json_object_foreach(files[english].root, section, texts)
    {
        json_object_foreach(texts, name, text)
        {
            if (!json_object_get(json_object_get(f->root, section), name))
                bad(f->path, "%s.%s is missing", section, name);
        }
    }
}

void read_file(const char *path)
{
    struct file *f = &files[files_n++];
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    f->path = path;
    snprintf(f->code, sizeof f->code, "%.*s", (int)strcspn(base, "."), base);
    json_error_t why;
    f->root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!f->root) {
        fprintf(stderr, "%s:%d: %s\n", path, why.line, why.text);
        exit(1);
    }
    f->plural = plural_family_find(head(f, "plural", 64));
    if (f->plural < 0) {
        bad(path, "the plural family is unknown; src/base/lang_plural.c has the list");
        f->plural = 0;
    }
    if (strcmp(f->code, ENGLISH) == 0)
        english = files_n - 1;
}

json_t *text_of(const struct file *f, const char *key)
{
    size_t n = strcspn(key, ".");
    char section[128];
    snprintf(section, sizeof section, "%.*s", (int)n, key);
    return json_object_get(json_object_get(f->root, section), key + n + 1);
}
