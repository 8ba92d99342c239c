#include "parts.h"

#include "codec/document/document_xml.h"

#define TYPES(type)                                                                    \
    PART("[Content_Types].xml",                                                        \
        "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>" \
        "<Override PartName='/word/document.xml' ContentType='application/" type "'/></Types>")
#define WORD TYPES("vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml")
#define ROOT                                                                                              \
    PART("_rels/.rels",                                                                                   \
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"            \
        "<Relationship Id='a' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/" \
        "officeDocument' Target='../../word/./document.xml'/></Relationships>")
#define BEGIN "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body>"
#define END   "</w:body></w:document>"
#define PAR   "<w:p><w:r><w:t>Text</w:t></w:r></w:p>"

static const char *word(struct arena *a, struct str body)
{
    const struct part parts[] = {WORD, ROOT, {"word/document.xml", body, true, 0}};
    return parts_text(a, PARTS_ZIP(a, parts));
}

/* `n` times the same. */
static struct str times(struct arena *a, const char *piece, size_t n)
{
    struct strbuf all;
    strbuf_init(&all, (size_t)600 << 20);
    for (size_t i = 0; i < n; i++)
        strbuf_adds(&all, piece);
    struct str out = arena_str(a, strbuf_str(&all));
    strbuf_release(&all);
    return out;
}

static struct str around(struct arena *a, const char *before, struct str middle, const char *after)
{
    return str_of(arena_printf(a, "%s%s%s", before, middle.s, after));
}

static const char damaged[] =
    "it is damaged: Alfred cannot read it. Open it in its program and save it again.";
static const char too_big[] = "it is too large or too complex to be read.";
static const char unknown[] =
    "it is neither text nor a document that Alfred can read: .pdf, .docx, .xlsx, .pptx, "
    ".odt, .ods, .odp, .epub.";

TEST(the_content_tells_the_kind)
{
    assert_true(document_is(STR("PK\3\4 and more")));
    assert_false(document_is(STR("PK\3")));
    assert_false(document_is(STR("Text")));
    AUTO(arena) a = arena_new();
    const struct part other[] = {PART("a.txt", "text")}, odg[] = {PART("mimetype", "image/png")};
    assert_string_equal(parts_text(a, PARTS_ZIP(a, other)), unknown);
    assert_string_equal(parts_text(a, PARTS_ZIP(a, odg)), unknown);
    const struct part binary[] = {TYPES("vnd.ms-excel.sheet.binary.macroEnabled.main"), ROOT};
    assert_string_equal(parts_text(a, PARTS_ZIP(a, binary)), "it has an old format. Save it as .xlsx.");
    struct str text;
    assert_rc(document_read(a, "it", STR("Text"), PARTS_MAX, &text, NULL), RC_UNSUPPORTED);
}

TEST(compound_files_are_old_or_have_a_password)
{
    static const struct {
        struct str stream;
        const char *said;
    } cases[] = {{STR("E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"),
                     "it is protected by a password. Save it without one."},
        {STR("W\0o\0r\0d\0D\0o\0c\0u\0m\0e\0n\0t\0"), "it has an old format. Save it as .docx."},
        {STR("W\0o\0r\0k\0b\0o\0o\0k\0"), "it has an old format. Save it as .xlsx."},
        {STR("_\0_\0s\0u\0b\0s\0t\0g\0"), unknown}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct strbuf bytes;
        strbuf_init(&bytes, 4096);
        strbuf_addstr(&bytes, STR("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and then "));
        strbuf_addstr(&bytes, cases[i].stream);
        assert_string_equal(parts_text(a, strbuf_str(&bytes)), cases[i].said);
        strbuf_release(&bytes);
    }
}

TEST(a_damaged_document_says_so)
{
    AUTO(arena) a = arena_new();
    const struct part parts[] = {WORD, ROOT, PART("word/document.xml", BEGIN PAR END)};
    struct str whole = PARTS_ZIP(a, parts);
    assert_string_equal(parts_text(a, whole), "Text");
    assert_string_equal(parts_text(a, (struct str){whole.s, whole.len - 30}), damaged);
    const char *body = memmem(whole.s, whole.len, "word/document.xmlPK", 17);
    char *flipped = arena_strndup(a, whole.s, whole.len);
    flipped[body - whole.s + 25] ^= 0x40;
    assert_string_equal(parts_text(a, (struct str){flipped, whole.len}), damaged);
    assert_string_equal(word(a, STR(BEGIN PAR)), damaged);
    assert_string_equal(word(a, STR("")), damaged);
    const struct part empty[] = {WORD, ROOT};
    assert_string_equal(parts_text(a, PARTS_ZIP(a, empty)), damaged);
    const struct part locked[] = {WORD, ROOT, {"word/document.xml", STR(BEGIN PAR END), true, 1}};
    assert_string_equal(
        parts_text(a, PARTS_ZIP(a, locked)), "it is protected by a password. Save it without one.");
}

TEST(entities_are_neither_expanded_nor_fetched)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(word(a, STR("<!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]>" BEGIN
                                    "<w:p><w:r><w:t>&b;</w:t></w:r></w:p>" END)),
        damaged);
    assert_string_equal(word(a, STR("<!DOCTYPE d [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>" BEGIN
                                    "<w:p><w:r><w:t>&a;</w:t></w:r></w:p>" END)),
        damaged);
    assert_string_equal(word(a, STR("<!DOCTYPE d SYSTEM 'http://localhost/d.dtd'>" BEGIN PAR END)), "Text");
}

TEST(bombs_are_refused)
{
    AUTO(arena) a = arena_new();
    struct str blanks = times(a, "                                ", 12 << 15);
    assert_string_equal(word(a, around(a, BEGIN, blanks, END)), too_big);
    assert_string_equal(word(a, around(a, BEGIN, times(a, "<w:x>", DOCUMENT_XML_DEPTH_MAX), "")), too_big);
    struct str name =
        around(a, BEGIN "<w:x ", times(a, "abcdefghabcdefghabcdefghabcdefgh", 17 << 15), "='1'/>" PAR END);
    const struct part parts[] = {WORD, ROOT, {"word/document.xml", name, false, 0}};
    assert_string_equal(parts_text(a, PARTS_ZIP(a, parts)), too_big);
}
