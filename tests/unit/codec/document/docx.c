#include "parts.h"

#define W        "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
#define R        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define RELS     "http://schemas.openxmlformats.org/package/2006/relationships"
#define STRICT_W "http://purl.oclc.org/ooxml/wordprocessingml/main"
#define STRICT_R "http://purl.oclc.org/ooxml/officeDocument/relationships"
#define TYPES                                                                                            \
    "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>"                                            \
    "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>"                       \
    "<Default Extension='rels' ContentType='application/vnd.openxmlformats-package.relationships+xml'/>" \
    "<Default Extension='xml' ContentType='application/xml'/>"                                           \
    "<Override PartName='/word/document.xml' ContentType="                                               \
    "'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>"
#define ROOT_RELS(r)                                                                       \
    "<Relationships xmlns='" RELS "'><Relationship Id='rId1' Type='" r "/officeDocument' " \
    "Target='word/document.xml'/></Relationships>"
#define BODY(content)                                                                         \
    "<?xml version='1.0' encoding='UTF-8'?><w:document xmlns:w='" W "' xmlns:r='" R "' "      \
    "xmlns:wp='http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing' "      \
    "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math' "                   \
    "xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'><w:body>" content \
    "<w:sectPr><w:pgSz w:w='1'/></w:sectPr></w:body></w:document>"

static const char *read_parts(struct arena *a, struct str body, struct str rels, struct str styles,
    struct str numbering, struct str notes)
{
    const struct part parts[] = {PART("[Content_Types].xml", TYPES), PART("_rels/.rels", ROOT_RELS(R)),
        {"word/document.xml", body, true, 0}, {"word/_rels/document.xml.rels", rels, true, 0},
        {"word/styles.xml", styles, true, 0}, {"word/numbering.xml", numbering, true, 0},
        {"word/footnotes.xml", notes, true, 0}};
    size_t n = notes.len ? 7 : numbering.len ? 6 : styles.len ? 5 : rels.len ? 4 : 3;
    return parts_text(a, parts_zip(a, parts, n));
}

/* The body gives this text. */
#define ASSERT_BODY(content, text)                                                            \
    do {                                                                                      \
        AUTO(arena) a = arena_new();                                                          \
        const struct str none = {0};                                                          \
        assert_string_equal(read_parts(a, STR(BODY(content)), none, none, none, none), text); \
    } while (0)

static const char rels[] =
    "<Relationships xmlns='" RELS "'>"
    "<Relationship Id='rId1' Type='" R "/styles' Target='styles.xml'/>"
    "<Relationship Id='rId2' Type='" R "/numbering' Target='/word/numbering.xml'/>"
    "<Relationship Id='rId3' Type='" R "/footnotes' Target='./footnotes.xml'/>"
    "<Relationship Id='rId7' Type='" R
    "/hyperlink' Target='https://example.org/plan?a=1&amp;b=2' TargetMode='External'/>"
    "<Relationship Id='rId8' Type='" R "/hyperlink' Target='javascript:alert(1)' TargetMode='External'/>"
    "</Relationships>";
/* The ids of the styles are those of a German Word, their names are English. */
static const char styles[] =
    "<w:styles xmlns:w='" W "'><w:docDefaults><w:rPrDefault/></w:docDefaults>"
    "<w:style w:type='paragraph' w:default='1' w:styleId='Standard'><w:name w:val='Normal'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='Titel'><w:name w:val='Title'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='berschrift1'><w:name w:val='heading 1'/><w:pPr>"
    "<w:outlineLvl w:val='0'/></w:pPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='berschrift2'><w:name w:val='heading 2'/><w:pPr>"
    "<w:numPr><w:ilvl w:val='1'/><w:numId w:val='3'/></w:numPr><w:outlineLvl w:val='1'/></w:pPr></w:style>"
    "<w:style w:type='paragraph' w:customStyle='1' w:styleId='Kapitel'><w:name w:val='Kapitel'/>"
    "<w:basedOn w:val='berschrift1'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='Listenabsatz'><w:name w:val='List Paragraph'/></w:style>"
    "</w:styles>";
static const char numbering[] =
    "<w:numbering xmlns:w='" W "'>"
    "<w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='bullet'/>"
    "<w:lvlText w:val='\xEF\x82\xB7'/></w:lvl><w:lvl w:ilvl='1'><w:numFmt w:val='bullet'/><w:lvlText "
    "w:val='o'/></w:lvl></w:abstractNum>"
    "<w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/>"
    "<w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/>"
    "<w:lvlText w:val='%2)'/></w:lvl></w:abstractNum>"
    "<w:abstractNum w:abstractNumId='2'><w:lvl w:ilvl='0'><w:start w:val='2'/><w:numFmt w:val='upperRoman'/>"
    "<w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/>"
    "<w:isLgl/><w:lvlText w:val='%1.%2'/></w:lvl></w:abstractNum>"
    "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
    "<w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num>"
    "<w:num w:numId='3'><w:abstractNumId w:val='2'/></w:num>"
    "<w:num w:numId='4'><w:abstractNumId w:val='1'/><w:lvlOverride w:ilvl='0'><w:startOverride "
    "w:val='7'/></w:lvlOverride></w:num></w:numbering>";
static const char notes[] = "<w:footnotes xmlns:w='" W "'>"
                            "<w:footnote w:type='separator' w:id='-1'><w:p><w:r><w:separator/></w:r></w:p>"
                            "</w:footnote><w:footnote w:id='2'><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t "
                            "xml:space='preserve'> The law of 2024.</w:t></w:r></w:p></w:footnote>"
                            "<w:footnote w:id='5'><w:p><w:r><w:t>Nobody refers to it.</w:t></w:r></w:p>"
                            "</w:footnote></w:footnotes>";

static const char *read_whole(struct arena *a, struct str body)
{
    return read_parts(a, body, str_of(rels), str_of(styles), str_of(numbering), str_of(notes));
}

#define T(text)          "<w:r><w:t xml:space='preserve'>" text "</w:t></w:r>"
#define PAR(text)        "<w:p>" T(text) "</w:p>"
#define STYLED(id, text) "<w:p><w:pPr><w:pStyle w:val='" id "'/></w:pPr>" T(text) "</w:p>"
#define ITEM(num, level, text)                                                                             \
    "<w:p><w:pPr><w:pStyle w:val='Listenabsatz'/><w:numPr><w:ilvl w:val='" level "'/><w:numId w:val='" num \
    "'/></w:numPr></w:pPr>" T(text) "</w:p>"

/* clang-format off */
TEST(a_word_document_becomes_markdown)
{
    AUTO(arena) a = arena_new();
    const char *text = read_whole(a,
        STR(BODY(STYLED("Titel", "Contract") STYLED("Kapitel", "Parties") PAR("Between Ada")
            "<w:p><w:r><w:t>Moss</w:t></w:r><w:proofErr w:type='spellStart'/><w:r><w:rPr><w:b/></w:rPr>"
            "<w:t>bach</w:t></w:r><w:bookmarkEnd w:id='0'/><w:r><w:t xml:space='preserve'> and</w:t><w:tab/>"
            "<w:t>Bob</w:t><w:br/><w:t>of Bonn</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
            STYLED("berschrift2", "Price") STYLED("berschrift2", "Term")
            ITEM("1", "0", "red") ITEM("1", "1", "dark") ITEM("1", "0", "blue")
            ITEM("2", "0", "first") ITEM("2", "1", "part") ITEM("2", "1", "part") ITEM("2", "0", "second")
            ITEM("4", "0", "seventh") "<w:p/>"
            "<w:p><w:hyperlink r:id='rId7' w:anchor='top'>" T("the ") T("plan") "</w:hyperlink>" T(" and ")
            "<w:hyperlink r:id='rId8'>" T("that") "</w:hyperlink></w:p>")));
    assert_string_equal(text,
        "# Contract\n\n# Parties\n\nBetween Ada\n\nMossbach and\tBob\nof Bonn[^1]\n\n## 2.1 Price\n\n"
        "## 2.2 Term\n\n- red\n   - dark\n- blue\n1. first\n   a) part\n   b) part\n2. second\n7. seventh\n\n"
        "[the plan](https://example.org/plan?a=1&b=2#top) and that\n\n[^1]: The law of 2024.");
}

TEST(a_table_of_word_is_one_of_markdown)
{
#define CELL(content) "<w:tc><w:tcPr><w:tcW w:w='1'/></w:tcPr>" content "</w:tc>"
    ASSERT_BODY(PAR("Before") "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>"
        "<w:tr>" CELL(PAR("Name")) CELL(PAR("Price | net")) CELL("<w:p/>") "</w:tr>"
        "<w:tr>" CELL(PAR("Tea") PAR("green"))
        CELL(PAR("3 €") "<w:tbl><w:tr>" CELL(PAR("a")) CELL(PAR("b")) "</w:tr></w:tbl><w:p/>")
        CELL("<w:p/>") "</w:tr>"
        "<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>" PAR("all") "</w:tc>" CELL(PAR("x")) "</w:tr>"
        "<w:tr><w:trPr><w:del w:id='1'/></w:trPr>" CELL(PAR("gone")) "</w:tr></w:tbl>"
        PAR("After") "<w:tbl><w:tr>" CELL(PAR("A frame") PAR("of text")) "</w:tr></w:tbl>",
        "Before\n\n| Name | Price \\| net | |\n|---|---|---|\n| Tea<br>green | 3 €<br>a / b | |\n"
        "| all | | x |\n\nAfter\n\nA frame\nof text");
}

TEST(tracked_changes_give_the_new_text)
{
    ASSERT_BODY("<w:p>" T("We pay ") "<w:del w:id='1'><w:r><w:delText>ten</w:delText><w:tab/></w:r></w:del>"
        "<w:ins w:id='2'>" T("twelve") "</w:ins>" T(" euros.") "</w:p>"
        "<w:p><w:pPr><w:rPr><w:del w:id='3'/></w:rPr></w:pPr>" T("One ") "</w:p>" PAR("sentence.")
        "<w:p><w:moveFrom w:id='4'>" T("old place") "</w:moveFrom><w:moveTo w:id='5'>" T("new place")
        "</w:moveTo></w:p>",
        "We pay twelve euros.\n\nOne sentence.\n\nnew place");
}

#define FIELD(type) "<w:r><w:fldChar w:fldCharType='" type "'/></w:r>"
TEST(fields_alternatives_and_hidden_text_are_read_once)
{
    ASSERT_BODY("<w:p>" FIELD("begin") "<w:r><w:instrText xml:space='preserve'> HYPERLINK "
        "\"https://example.org/a\" </w:instrText></w:r>" FIELD("separate") T("here") FIELD("end") T(", page ")
        "<w:fldSimple w:instr=' PAGE '>" T("3") "</w:fldSimple></w:p>"
        "<w:p><mc:AlternateContent><mc:Choice Requires='wps'><w:r><w:txbxContent>" PAR("In a box")
        "</w:txbxContent></w:r></mc:Choice><mc:Fallback><w:r><w:pict><w:txbxContent>" PAR("In a box")
        "</w:txbxContent></w:pict></w:r></mc:Fallback></mc:AlternateContent>" T("Beside it")
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:smartTag w:element='x'>" T(" kept")
        "</w:smartTag><w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>" T(" too")
        "</w:sdtContent></w:sdt><w:r><w:sym w:font='Wingdings' w:char='F0FC'/><w:sym w:font='Symbol' "
        "w:char='F061'/></w:r><w:r><w:drawing><wp:inline><wp:docPr id='1' name='Picture 1' "
        "descr='A bridge'/></wp:inline></w:drawing></w:r><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r>"
        "</m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>",
        "[here](https://example.org/a), page 3\n\nIn a box\n\nBeside it kept too✓α[A bridge](a)/(b)");
}
/* clang-format on */

TEST(strict_documents_are_read)
{
    AUTO(arena) a = arena_new();
    const struct part parts[] = {PART("[Content_Types].xml", TYPES), PART("_rels/.rels", ROOT_RELS(STRICT_R)),
        PART("word/document.xml", "<w:document xmlns:w='" STRICT_W "'><w:body><w:p><w:r><w:t>Strict</w:t>"
                                  "</w:r></w:p></w:body></w:document>")};
    assert_string_equal(parts_text(a, PARTS_ZIP(a, parts)), "Strict");
}

TEST(a_document_without_text_says_so)
{
    ASSERT_BODY("<w:p/>", "it has no text.");
}
