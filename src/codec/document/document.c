#include "codec/document/document.h"

#include "base/utf8.h"
#include "codec/document/document_private.h"

#define ZIP_START     "PK\3\4"
#define COMPOUND      "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
#define MIMETYPE_MAX  256
#define MAIN_PART_MAX 512

bool document_is(struct str bytes)
{
    return str_starts(bytes, STR(ZIP_START)) || str_starts(bytes, STR(COMPOUND));
}

/* ---- compound files of Microsoft ---- */

/* Names of streams are in UTF-16 there. */
static bool has_stream(struct str bytes, const char *name)
{
    char wide[64] = {0};
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++) {
        wide[2 * i] = name[i];
        wide[2 * i + 1] = '\0';
    }
    return memmem(bytes.s, bytes.len, wide, 2 * n);
}

static enum rc refuse_compound(const char *name, struct str bytes, struct err *e)
{
    static const struct {
        const char *stream, *format;
    } old[] = {{"WordDocument", ".docx"}, {"Workbook", ".xlsx"}, {"PowerPoint Document", ".pptx"}};
    if (has_stream(bytes, "EncryptedPackage"))
        return err_say(e, RC_BAD_INPUT, "document.locked", arg_text("name", name));
    for (size_t i = 0; i < ARRAY_LEN(old); i++)
        if (has_stream(bytes, old[i].stream))
            return err_say(
                e, RC_UNSUPPORTED, "document.old", arg_text("name", name), arg_text("format", old[i].format));
    return err_say(e, RC_UNSUPPORTED, "document.unknown", arg_text("name", name));
}

/* ---- which format ---- */

typedef enum rc part_reader(struct document *d, struct str main, struct err *e);

enum { TYPE = 1 };

struct typing {
    struct str part;   /* of which the type is wanted */
    const char *found; /* of a constant table */
    bool exact;
};

static const struct {
    const char *word, *format; /* format: what to save instead; NULL: is read */
    part_reader *read;
} types[] = {
    {"ms-excel.sheet.binary", ".xlsx", NULL},
    {"wordprocessingml", NULL, docx_read},
    {"ms-word", NULL, docx_read},
    {"spreadsheetml", NULL, xlsx_read},
    {"ms-excel", NULL, xlsx_read},
    {"presentationml", NULL, pptx_read},
    {"ms-powerpoint", NULL, pptx_read},
};

/* The type of the part, else that of its extension. */
static void on_type(void *arg, int tag, xml_attributes at)
{
    struct typing *t = arg;
    const char *part = xml_attribute(at, "PartName"), *extension = xml_attribute(at, "Extension"),
               *type = xml_attribute(at, "ContentType");
    (void)tag;
    if (!type || t->exact)
        return;
    if (part && str_eq_nocase(str_of(*part == '/' ? part + 1 : part), t->part))
        t->exact = true;
    else if (!extension || t->found || t->part.len <= strlen(extension) ||
             !str_eq_nocase(str_from(t->part, t->part.len - strlen(extension)), str_of(extension)))
        return;
    t->found = NULL;
    for (size_t i = 0; i < ARRAY_LEN(types) && !t->found; i++)
        if (strstr(type, types[i].word))
            t->found = types[i].word;
}

static enum rc read_office(struct document *d, const char *name, struct err *e)
{
    static const struct xml_tag tags[] = {{NS_TYPES, "Override", TYPE}, {NS_TYPES, "Default", TYPE}, {0}};
    static const struct xml_ops ops = {.start = on_type};
    struct relations all = {0};
    struct typing t = {0};
    enum rc rc = relations_read(d, STR(""), &all, e);
    const struct relation *main = relations_of_type(&all, STR("/officeDocument"));
    if (main && main->target.len <= MAIN_PART_MAX)
        t.part = main->target;
    relations_release(&all);
    if (rc == RC_OK)
        rc = document_part(d, STR("[Content_Types].xml"), tags, &ops, &t, e);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (types[i].word != t.found)
            continue;
        if (types[i].format)
            return err_say(e, RC_UNSUPPORTED, "document.old", arg_text("name", name),
                arg_text("format", types[i].format));
        if (!document_zip_find(&d->zip, t.part))
            return err_set(e, RC_BAD_INPUT, "no main part");
        return types[i].read(d, t.part, e);
    }
    return err_say(e, RC_UNSUPPORTED, "document.unknown", arg_text("name", name));
}

static enum rc read_zip(struct document *d, const char *name, struct err *e)
{
    const struct document_zip_entry *mimetype = document_zip_find(&d->zip, STR("mimetype"));
    struct str type = {0};
    if (document_zip_find(&d->zip, STR("[Content_Types].xml")))
        return read_office(d, name, e);
    if (mimetype) {
        enum rc rc = document_zip_whole(d->arena, &d->zip, mimetype, MIMETYPE_MAX, &type, NULL);
        type = rc == RC_OK ? str_trim(type) : (struct str){0};
    }
    if (str_is(type, "application/epub+zip") || document_zip_find(&d->zip, STR("META-INF/container.xml")))
        return epub_read(d, e);
    if (str_starts(type, STR("application/vnd.oasis.opendocument.")))
        return odf_read(d, e);
    return err_say(e, RC_UNSUPPORTED, "document.unknown", arg_text("name", name));
}

/* ---- the result ---- */

/* Failures of the parts have a cause for the log only. */
static enum rc say(const struct document *d, const char *name, enum rc rc, size_t max, struct err *e)
{
    if (rc == RC_UNAVAILABLE || rc == RC_UNSUPPORTED)
        return rc;
    if (rc == RC_FORBIDDEN)
        return err_say(e, RC_BAD_INPUT, "document.locked", arg_text("name", name));
    if (rc == RC_TOO_BIG && d->limits.full)
        return err_say(e, rc, "document.long", arg_text("name", name), arg_limit("max", (int64_t)max));
    return rc == RC_TOO_BIG ? err_say(e, rc, "document.too_big", arg_text("name", name))
                            : err_say(e, RC_BAD_INPUT, "document.damaged", arg_text("name", name));
}

enum rc document_read(
    struct arena *a, const char *name, struct str bytes, size_t max, struct str *text, struct err *e)
{
    if (str_starts(bytes, STR(COMPOUND)))
        return refuse_compound(name, bytes, e);
    AUTO(arena) work = arena_new();
    struct document d = {.arena = work};
    struct err cause = ERR_INIT;
    document_out_init(&d.out, work, max, &d.limits.full);
    enum rc rc = str_starts(bytes, STR(ZIP_START))
                     ? document_zip_open(work, bytes, &d.zip, &cause)
                     : err_say(&cause, RC_UNSUPPORTED, "document.unknown", arg_text("name", name));
    if (rc == RC_OK)
        rc = read_zip(&d, name, &cause);
    if (rc == RC_OK && d.limits.full)
        rc = RC_TOO_BIG;
    if (rc == RC_OK && !str_trim(strbuf_str(&d.out.text)).len)
        rc = err_say(e, RC_BAD_INPUT, "document.empty", arg_text("name", name));
    else if (rc != RC_OK) {
        if (e)
            *e = cause;
        rc = say(&d, name, rc, max, e);
    } else
        *text = arena_str(a, str_trim(strbuf_str(&d.out.text)));
    document_out_release(&d.out);
    return rc;
}
