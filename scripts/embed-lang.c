/*
 * embed-lang TABLES SCRIPTS ERRORS FILE...: the files lang/CODE.json as constants for src/base/lang.c (TABLES), the
 * sections of the pages' scripts as modules (SCRIPTS/CODE/texts.js, SCRIPTS/CODE/texts-later.js, and their types
 * SCRIPTS/texts.d.ts, SCRIPTS/texts-later.d.ts), and the errors of nginx itself (ERRORS/CODE/404.html for
 * people, 404.json for scripts of pages, 404.problem for the API, 404.openai for /v1).
 *
 * A file is refused unless it has the keys of en.json, with the same placeholders and elements, and the plural
 * forms of its language.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/lang_piece.h"
#include "base/lang_plural.h"

#define LANGUAGES_MAX 64
#define ENGLISH       "en"
#define HEAD          "language"
#define NAMES_MAX     32 /* placeholders of one text */

/* Modules for scripts: `later` has the texts of modules that are loaded on first use. */
static const struct module {
    const char *section, *file;
    bool locale; /* exports it, too */
} modules[] = {{"script", "texts", false}, {"script_later", "texts-later", true}};

struct file {
    const char *path;
    char code[16];
    json_t *root;
    int plural;
};

static struct file files[LANGUAGES_MAX];
static size_t files_n, english;
static bool failed;

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

static const char *head(const struct file *f, const char *key, size_t size)
{
    const char *s = json_string_value(json_object_get(json_object_get(f->root, HEAD), key));
    if (!s || !*s || strlen(s) >= size) {
        bad(f->path, "\"" HEAD "\" needs \"%s\", below %zu bytes", key, size);
        return "";
    }
    return s;
}

/* Placeholders and elements of a text, in order of their names. */
struct parts {
    char names[NAMES_MAX][64];
    size_t n;
};

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

static struct parts parts_of(const char *text)
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

/* The general form: with all placeholders. */
static const char *general(json_t *text)
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
        bad(f->path, "%s: the plural family %s has other forms", key, plural_families[f->plural].name);
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

static void check(const struct file *f)
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

static void read_file(const char *path)
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

static json_t *text_of(const struct file *f, const char *key)
{
    size_t n = strcspn(key, ".");
    char section[128];
    snprintf(section, sizeof section, "%.*s", (int)n, key);
    return json_object_get(json_object_get(f->root, section), key + n + 1);
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

static void tables(FILE *out)
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

static void js_bytes(FILE *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.s[i];
        if (c < ' ')
            fprintf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else
            fputc(c, out);
    }
}

/* The text as an expression: strings and o.name, joined by +. {n} is a number in the page's language. */
static void js_text(FILE *out, const char *text)
{
    struct str rest = str_of(text);
    bool open = false, any = false;
    for (struct lang_piece p; (p = lang_piece_next(&rest)).kind != LANG_END; any = true) {
        bool words = p.kind == LANG_LITERAL;
        if (open && !words)
            fputc('"', out);
        if (any && !(open && words))
            fputc('+', out);
        if (words && !open)
            fputc('"', out);
        if (words)
            js_bytes(out, p.text);
        else if (p.kind != LANG_PLACE)
            fputs("\"\"", out);
        else if (str_is(p.text, "n"))
            fputs("N(o.n)", out);
        else
            fprintf(out, "o.%.*s", STR_FMT(p.text));
        open = words;
    }
    if (open)
        fputc('"', out);
}

static void js_entry(FILE *out, json_t *text)
{
    if (json_is_string(text)) {
        struct parts p = parts_of(json_string_value(text));
        if (p.n)
            fputs("o=>", out);
        js_text(out, json_string_value(text));
        return;
    }
    fputs("o=>({", out);
    const char *comma = "";
    for (int f = 0; f < PLURAL_COUNT; f++) {
        json_t *form = json_object_get(text, plural_names[f]);
        if (!form)
            continue;
        fprintf(out, "%s%s:", comma, plural_names[f]);
        js_text(out, json_string_value(form));
        comma = ",";
    }
    fputs("})[P(o.n)]", out);
}

static bool any_number(json_t *texts)
{
    const char *name;
    json_t *text;
    json_object_foreach(texts, name, text)
    {
        struct parts p = parts_of(general(text));
        for (size_t i = 0; i < p.n; i++)
            if (json_is_object(text) || strcmp(p.names[i], "n") == 0)
                return true;
    }
    return false;
}

static void script(FILE *out, const struct file *f, json_t *texts, bool with_locale)
{
    if (any_number(texts))
        fprintf(out, "const r=new Intl.PluralRules(\"%s\"),P=n=>r.select(n),N=n=>n.toLocaleString(\"%s\");\n",
            f->code, head(f, "locale", 16));
    fputs("export const t={", out);
    const char *name, *comma = "\n";
    json_t *text;
    json_object_foreach(texts, name, text)
    {
        fprintf(out, "%s%s:", comma, name);
        js_entry(out, text);
        comma = ",\n";
    }
    fputs("\n}", out);
    if (with_locale)
        fprintf(out, ",locale=\"%s\"", head(f, "locale", 16));
    fputs(";\n", out);
}

static void types(FILE *out, json_t *texts, bool with_locale)
{
    if (with_locale)
        fputs("/** The BCP 47 tag of the page's language, for Intl. */\nexport const locale: string;\n", out);
    fputs("export const t: {\n", out);
    const char *name;
    json_t *text;
    json_object_foreach(texts, name, text)
    {
        struct parts p = parts_of(general(text));
        fputs("  /** ", out);
        js_bytes(out, str_of(general(text)));
        fprintf(out, " */\n  %s: ", name);
        if (!p.n)
            fputs("string;\n", out);
        else {
            fputs("(o: {", out);
            for (size_t i = 0; i < p.n; i++)
                fprintf(out, "%s%s: %s", i ? ", " : "", p.names[i],
                    strcmp(p.names[i], "n") == 0 ? "number" : "string | number");
            fputs("}) => string;\n", out);
        }
    }
    fputs("};\n", out);
}

static FILE *create(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static FILE *create(const char *fmt, ...)
{
    char path[4096];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            perror(path);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

static void done(FILE *f)
{
    if (fclose(f) != 0) {
        perror("embed-lang");
        exit(1);
    }
}

/* Errors of nginx itself. Its configuration names the files. */
static const struct {
    int status, text; /* text: the status whose title and text it has */
    const char *code, *type; /* type: as OpenAI's API names it */
    int retry_after;
} errors[] = {{400, 400, "bad_input", "invalid_request_error", 0},
    {404, 404, "not_found", "invalid_request_error", 0}, {405, 400, "bad_input", "invalid_request_error", 0},
    {413, 413, "too_big", "invalid_request_error", 0}, {414, 413, "too_big", "invalid_request_error", 0},
    {421, 421, "misdirected", "invalid_request_error", 0}, {429, 429, "rate_limited", "rate_limit_error", 5},
    {503, 503, "unavailable", "server_error", 5}};

static void html_text(FILE *out, const char *s)
{
    for (; *s; s++)
        if (*s == '&' || *s == '<' || *s == '>')
            fprintf(out, "&#%d;", *s);
        else
            fputc(*s, out);
}

static const char *error_text(const struct file *f, const char *key, int status)
{
    char full[64];
    snprintf(full, sizeof full, key, status);
    return json_string_value(text_of(f, full));
}

/* Under a wrong address (421) there are no style sheets either, and a link would lead to it again. */
static void error_page(FILE *out, const struct file *f, size_t i)
{
    int status = errors[i].status, text = errors[i].text;
    bool bare = status == 421;
    fprintf(out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n<title>", f->code);
    html_text(out, error_text(f, "nginx.title_%d", text));
    fputs(" – Alfred</title>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
        out);
    if (!bare)
        fputs("<link rel=\"stylesheet\" href=\"/static/css/app.css\">\n"
          "<link rel=\"stylesheet\" href=\"/static/css/pages.css\">\n"
          "<link rel=\"icon\" href=\"/static/icons/favicon.svg\" type=\"image/svg+xml\">\n",
            out);
    fputs("</head>\n<body>\n<div class=\"page narrow\">\n<main>\n<div class=\"narrow-card\">\n", out);
    fprintf(out, "<p class=\"status\">%d</p>\n<h1>", status);
    html_text(out, error_text(f, "nginx.title_%d", text));
    fputs("</h1>\n<p class=\"narrow-text\">", out);
    html_text(out, error_text(f, "nginx.text_%d", text));
    fputs("</p>\n", out);
    if (!bare) {
        fputs("<p><a class=\"btn main\" href=\"/\">", out);
        html_text(out, json_string_value(text_of(f, "nginx.back")));
        fputs("</a></p>\n", out);
    }
    fputs("</div>\n</main>\n</div>\n</body>\n</html>\n", out);
}

static void json_text(FILE *out, const struct file *f, const char *name, const char *key, size_t i)
{
    fprintf(out, "\"%s\":\"", name);
    js_bytes(out, str_of(error_text(f, key, errors[i].text)));
    fputc('"', out);
}

/* The member that our own errors have (src/web/http/respond.c). */
static void error_member(FILE *out, const struct file *f, size_t i)
{
    fprintf(out, "\"error\":{\"code\":\"%s\",", errors[i].code);
    json_text(out, f, "message", "nginx.text_%d", i);
    if (errors[i].retry_after)
        fprintf(out, ",\"retry_after\":%d", errors[i].retry_after);
    fputs("}}\n", out);
}

static void error_json(FILE *out, const struct file *f, size_t i)
{
    fputc('{', out);
    error_member(out, f, i);
}

/* RFC 9457. */
static void error_problem(FILE *out, const struct file *f, size_t i)
{
    fputs("{\"type\":\"about:blank\",", out);
    json_text(out, f, "title", "nginx.title_%d", i);
    fprintf(out, ",\"status\":%d,", errors[i].status);
    json_text(out, f, "detail", "nginx.text_%d", i);
    fputs(",\"errors\":[],", out);
    error_member(out, f, i);
}

static void error_openai(FILE *out, const struct file *f, size_t i)
{
    fputs("{\"error\":{", out);
    json_text(out, f, "message", "nginx.text_%d", i);
    fprintf(out, ",\"type\":\"%s\",\"param\":null,\"code\":\"%s\"}}\n", errors[i].type,
        errors[i].status == 429 ? "rate_limit_exceeded" : errors[i].code);
}

static const struct {
    const char *extension;
    void (*write)(FILE *out, const struct file *f, size_t i);
} error_forms[] = {
    {"html", error_page}, {"json", error_json}, {"problem", error_problem}, {"openai", error_openai}};

int main(int argc, char **argv)
{
    if (argc < 5 || argc - 4 > LANGUAGES_MAX) {
        fputs("usage: embed-lang TABLES SCRIPTS ERRORS FILE...\n", stderr);
        return 2;
    }
    for (int i = 4; i < argc; i++)
        read_file(argv[i]);
    for (size_t i = 0; i < files_n; i++)
        check(&files[i]);
    if (failed)
        return 1;
    FILE *out = create("%s", argv[1]);
    tables(out);
    done(out);
    for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++) {
        for (size_t i = 0; i < files_n; i++) {
            out = create("%s/%s/%s.js", argv[2], files[i].code, modules[m].file);
            script(out, &files[i], json_object_get(files[i].root, modules[m].section), modules[m].locale);
            done(out);
        }
        out = create("%s/%s.d.ts", argv[2], modules[m].file);
        types(out, json_object_get(files[english].root, modules[m].section), modules[m].locale);
        done(out);
    }
    for (size_t i = 0; i < files_n; i++)
        for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
            for (size_t m = 0; m < sizeof error_forms / sizeof error_forms[0]; m++) {
                out = create("%s/%s/%d.%s", argv[3], files[i].code, errors[k].status, error_forms[m].extension);
                error_forms[m].write(out, &files[i], k);
                done(out);
            }
        }
    return failed ? 1 : 0;
}
