#include "parts.h"

#define ODF "urn:oasis:names:tc:opendocument:xmlns:"
#define NS                                                                                          \
    " xmlns:office='" ODF "office:1.0' xmlns:text='" ODF "text:1.0' xmlns:table='" ODF "table:1.0'" \
    " xmlns:style='" ODF "style:1.0' xmlns:draw='" ODF "drawing:1.0' xmlns:svg='" ODF               \
    "svg-compatible:1.0' xmlns:presentation='" ODF "presentation:1.0'"                              \
    " xmlns:xlink='http://www.w3.org/1999/xlink'"

/* clang-format off */
static const char styles[] = "<office:document-styles" NS "><office:styles>"
    "<style:style style:name='Title' style:family='paragraph'/></office:styles>"
    "<office:master-styles><style:master-page><style:footer><text:p>Footer</text:p></style:footer>"
    "</style:master-page></office:master-styles></office:document-styles>";

static const char *read_odf(struct arena *a, const char *kind, const char *automatic, const char *body)
{
    const struct part parts[] = {
        {"mimetype", str_of(arena_printf(a, "application/vnd.oasis.opendocument.%s", kind)), false, 0},
        {"content.xml", str_of(arena_printf(a, "<office:document-content" NS "><office:automatic-styles>%s"
            "</office:automatic-styles><office:body><office:%s>%s</office:%s></office:body>"
            "</office:document-content>", automatic, kind, body, kind)), true, 0},
        {"styles.xml", str_of(styles), true, 0}};
    return parts_text(a, PARTS_ZIP(a, parts));
}

TEST(a_text_document_becomes_markdown)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(read_odf(a, "text",
        "<style:style style:name='P1' style:parent-style-name='Title'/><text:list-style style:name='L1'>"
        "<text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>"
        "<text:list-level-style-number text:level='2' style:num-format='a' style:num-suffix=')' "
        "text:display-levels='2'/></text:list-style>",
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p text:style-name='P1'>Contract</text:p><text:h text:outline-level='2'>Parties</text:h>"
        "<text:p>Ada<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Born "
        "1815.</text:p></text:note-body></text:note>\n   and <text:a xlink:href='https://example.org/'>"
        "<text:span>Bob</text:span></text:a>,<text:s text:c='2'/>both<office:annotation><text:p>why?"
        "</text:p></office:annotation><text:line-break/>of Bonn</text:p>"
        "<text:list text:style-name='L1'><text:list-item><text:p>one</text:p><text:list><text:list-item>"
        "<text:p>part</text:p></text:list-item></text:list></text:list-item></text:list><text:p>between"
        "</text:p><text:list text:style-name='L1' text:continue-numbering='true'><text:list-item><text:p>two"
        "</text:p><text:p>still two</text:p></text:list-item></text:list>"
        "<text:list><text:list-item><text:p>dot</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
        "<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row><table:table-row>"
        "<table:covered-table-cell/><table:table-cell><text:p>2</text:p></table:table-cell>"
        "</table:table-row></table:table>"),
        "# Contract\n\n## Parties\n\nAda[^1] and [Bob](https://example.org/),  both\nof Bonn\n\n1. one\n"
        "   1.a) part\n\nbetween\n\n2. two\n\nstill two\n\n- dot\n\n| a | b |\n|---|---|\n| | 2 |\n\n"
        "[^1]: Born 1815.");
}

TEST(visible_sheets_become_tables_and_repeated_empty_cells_nothing)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(read_odf(a, "spreadsheet",
        "<style:style style:name='ta2' style:family='table'><style:table-properties table:display='false'/>"
        "</style:style>",
        "<table:table table:name='Stock'><table:table-row table:number-rows-repeated='1048570'>"
        "<table:table-cell table:number-columns-repeated='16384'/></table:table-row>"
        "<table:table-row table:number-rows-repeated='2'><table:table-cell office:value-type='string'>"
        "<text:p>Tea</text:p><text:p>green</text:p></table:table-cell>"
        "<table:table-cell office:value-type='date' office:date-value='2024-01-31'><text:p>31.1.24</text:p>"
        "</table:table-cell><table:table-cell office:value-type='date' "
        "office:date-value='2024-01-31T18:30:00'/><table:table-cell office:value-type='time' "
        "office:time-value='PT18H05M07S'/><table:table-cell table:number-columns-repeated='9999'/>"
        "<table:table-cell office:value-type='percentage' office:value='0.125'/>"
        "<table:table-cell office:value-type='currency' office:currency='EUR' office:value='1234.5' "
        "table:number-columns-repeated='2'/><table:table-cell office:value-type='boolean' "
        "office:boolean-value='true'/></table:table-row></table:table>"
        "<table:table table:name='Secret' table:style-name='ta2'><table:table-row><table:table-cell>"
        "<text:p>x</text:p></table:table-cell></table:table-row></table:table>"),
        "## Stock\n\n| Tea<br>green | 2024-01-31 | 2024-01-31 18:30 | 18:05:07 | 12.5% | 1234.5 EUR | 1234.5 "
        "EUR | TRUE |\n|---|---|---|---|---|---|---|---|\n| Tea<br>green | 2024-01-31 | 2024-01-31 18:30 | "
        "18:05:07 | 12.5% | 1234.5 EUR | 1234.5 EUR | TRUE |");
    assert_string_equal(read_odf(a, "spreadsheet", "",
        "<table:table table:name='Bomb'><table:table-row table:number-rows-repeated='1048576'>"
        "<table:table-cell table:number-columns-repeated='16384'><text:p>x</text:p></table:table-cell>"
        "</table:table-row></table:table>"),
        "it is too long: its text has more than 976\xC2\xA0KB.");
}

TEST(slides_have_their_titles_first_and_their_notes_last)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(read_odf(a, "presentation", "",
        "<draw:page><draw:frame><draw:text-box><text:list><text:list-item><text:p>point</text:p></text:list-item>"
        "</text:list></draw:text-box></draw:frame><draw:frame presentation:class='title'><draw:text-box>"
        "<text:p>The</text:p><text:p>title</text:p></draw:text-box></draw:frame><draw:frame "
        "presentation:class='footer'><draw:text-box><text:p>Footer</text:p></draw:text-box></draw:frame>"
        "<draw:frame><draw:image/><svg:title>p.png</svg:title><svg:desc>A bridge</svg:desc></draw:frame>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>Slowly.</text:p></draw:text-box></draw:frame>"
        "</presentation:notes></draw:page><draw:page/><draw:page><draw:frame><draw:text-box><text:p>Last"
        "</text:p></draw:text-box></draw:frame></draw:page>"),
        "## Slide 1: The title\n\n- point\n\n[A bridge]\n\nNotes:\n\nSlowly.\n\n## Slide 3\n\nLast");
}

TEST(a_document_with_a_password_says_so)
{
    AUTO(arena) a = arena_new();
    const struct part parts[] = {
        {"mimetype", STR("application/vnd.oasis.opendocument.text"), false, 0},
        PART("META-INF/manifest.xml", "<!DOCTYPE m:manifest PUBLIC '-//OpenOffice.org//DTD Manifest 1.0//EN' "
            "'Manifest.dtd'><m:manifest xmlns:m='" ODF "manifest:1.0'><m:file-entry m:full-path='content.xml'>"
            "<m:encryption-data/></m:file-entry></m:manifest>"),
        PART("content.xml", "\1\2\3")};
    assert_string_equal(parts_text(a, PARTS_ZIP(a, parts)),
        "it is protected by a password. Save it without one.");
}
