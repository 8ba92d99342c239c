/* The sections of the pages' scripts as modules, with their types. */
#include <string.h>

#include "base/lang_piece.h"
#include "base/lang_plural.h"
#include "embed_lang.h"

/* Modules for scripts: `later` has the texts of modules that are loaded on first use. */
static const struct module {
    const char *section, *file;
    bool locale; /* exports it, too */
} modules[] = {{"script", "texts", false}, {"script_later", "texts-later", true}};

void js_bytes(FILE *out, struct str s)
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

void write_scripts(const char *folder)
{
    for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++) {
        for (size_t i = 0; i < files_n; i++) {
            FILE *out = create("%s/%s/%s.js", folder, files[i].code, modules[m].file);
            script(out, &files[i], json_object_get(files[i].root, modules[m].section), modules[m].locale);
            done(out);
        }
        FILE *out = create("%s/%s.d.ts", folder, modules[m].file);
        types(out, json_object_get(files[english].root, modules[m].section), modules[m].locale);
        done(out);
    }
}
