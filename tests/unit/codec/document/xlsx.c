#include "parts.h"

#include "codec/document/number_format.h"

#define S                     "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define R                     "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define RELS                  "http://schemas.openxmlformats.org/package/2006/relationships"
#define REL(id, type, target) "<Relationship Id='" id "' Type='" R "/" type "' Target='" target "'/>"
#define TYPES                                                                                        \
    "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>"                   \
    "<Default Extension='xml' ContentType='application/xml'/><Override PartName='/xl/workbook.xml' " \
    "ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'/></Types>"
#define SHEET(rows) "<worksheet xmlns='" S "'><sheetData>" rows "</sheetData></worksheet>"

static const char styles[] =
    "<styleSheet xmlns='" S "'><numFmts><numFmt numFmtId='164' formatCode='#,##0.00\\ &quot;€&quot;'/>"
    "<numFmt numFmtId='165' formatCode='[$-407]dd/\\ mmm\\ yyyy;@'/></numFmts><cellStyleXfs><xf "
    "numFmtId='14'/></cellStyleXfs><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='164'/>"
    "<xf numFmtId='10'/><xf numFmtId='165'/><xf numFmtId='22'/></cellXfs></styleSheet>";
static const char strings[] = "<sst xmlns='" S "' count='3'><si><t>Name</t></si>"
                              "<si><r><t xml:space='preserve'>Green </t></r><r><rPr><b/></rPr><t>tea</t></r>"
                              "<rPh sb='0' eb='1'><t>guriin</t></rPh></si><si><t>Line\nbreak</t></si></sst>";

static const char *read_book(struct arena *a, const char *properties, struct str first, struct str second)
{
    struct str workbook = str_of(arena_printf(a,
        "<workbook xmlns='" S "' xmlns:r='" R "'><workbookPr%s/><sheets>"
        "<sheet name='Stock' sheetId='1' r:id='rId1'/><sheet name='Secret' sheetId='2' state='hidden' "
        "r:id='rId3'/><sheet name='Second' sheetId='7' r:id='rId2'/></sheets></workbook>",
        properties));
    const struct part parts[] = {PART("[Content_Types].xml", TYPES),
        PART("_rels/.rels", "<Relationships xmlns='" RELS
                            "'>" REL("rId1", "officeDocument", "/xl/workbook.xml") "</Relationships>"),
        {"xl/workbook.xml", workbook, true, 0},
        PART("xl/_rels/workbook.xml.rels",
            "<Relationships xmlns='" RELS "'>" REL("rId1", "worksheet", "worksheets/sheet1.xml")
                REL("rId2", "worksheet", "/xl/worksheets/sheet2.xml")
                    REL("rId3", "worksheet", "worksheets/sheet3.xml") REL("rId4", "styles", "styles.xml")
                        REL("rId5", "sharedStrings", "sharedStrings.xml") "</Relationships>"),
        {"xl/styles.xml", str_of(styles), true, 0}, {"xl/sharedStrings.xml", str_of(strings), true, 0},
        {"xl/worksheets/sheet1.xml", first, true, 0}, {"xl/worksheets/sheet2.xml", second, true, 0},
        PART("xl/worksheets/sheet3.xml", SHEET("<row><c><v>1</v></c></row>"))};
    return parts_text(a, PARTS_ZIP(a, parts));
}

TEST(a_workbook_becomes_tables_of_its_visible_sheets)
{
    AUTO(arena) a = arena_new();
    const char *text = read_book(a, "",
        STR(SHEET("<row r='2'><c r='B2' t='s'><v>0</v></c><c r='C2' t='inlineStr'><is><t>Bought</t></is></c>"
                  "<c r='E2' t='str'><f>A1&amp;\"x\"</f><v>Price | net</v></c><c r='F2' s='3'/></row>"
                  "<row r='3'/><row r='5'><c r='B5' t='s'><v>1</v></c><c r='C5' s='1'><v>45292</v></c>"
                  "<c r='E5' s='2'><v>1234.5</v></c><c r='XFD5' t='b'><v>1</v></c></row>"
                  "<row r='6'><c r='B6' t='s'><v>2</v></c><c r='C6' s='5'><v>45292.75</v></c><c r='E6' "
                  "s='3'><v>0.125</v></c><c r='F6'/><c r='XFD6' t='e'><v>#N/A</v></c></row>"
                  "<row r='7'><c t='s'><v>99</v></c><c><v>0.30000000000000004</v></c><c "
                  "s='4'><v>1</v></c><c/><c><f>SUM(E5:E6)</f></c></row>")),
        STR(SHEET("")));
    assert_string_equal(text, "## Stock\n\n| Name | Bought | Price \\| net | |\n|---|---|---|---|\n"
                              "| Green tea | 2024-01-01 | 1234.50 € | TRUE |\n| Line<br>break | 2024-01-01 "
                              "18:00 | 12.50% | #N/A |\n"
                              "| 0.3 | 1900-01-01 | =SUM(E5:E6) | |");
}

TEST(a_sheet_of_one_column_stays_a_table_and_days_count_from_1904)
{
    AUTO(arena) a = arena_new();
    const char *text = read_book(a, " date1904='1'", STR(SHEET("<row><c s='1'><v>43830</v></c></row>")),
        STR(SHEET("<row r='9'><c r='D9'><v>1e3</v></c></row><row><c r='D10'><v>-7</v></c></row>")));
    assert_string_equal(text, "## Stock\n\n| 2024-01-01 |\n|---|\n\n## Second\n\n| 1000 |\n|---|\n| -7 |");
}

TEST(numbers_are_written_as_their_formats_say)
{
    static const struct {
        const char *code;
        double value;
        const char *text;
    } cases[] = {{"General", 1.0 / 3, "0.333333333333333"}, {"General", 1e20, "1e+20"}, {"0", 2.6, "3"},
        {"0.0#", 2.5, "2.5"}, {"0.0#", 2.0, "2.0"}, {"#,##0.00;[Red](#,##0.00)", -1234.5, "-1234.50"},
        {"0%", 0.5, "50%"}, {"[$€-407] #,##0.00", 3, "€ 3.00"}, {"_-* #,##0.00\\ \"kg\"_-", 3, "3.00 kg"},
        {"0.0,,\"M\"", 12345678, "12.3M"}, {"0.00E+00", 12345, "1.23E+04"}, {"# ?/?", 0.5, "0.5"},
        {"yyyy\\-mm", 61, "1900-03-01"}, {"d.m.yy", 59, "1900-02-28"}, {"h:mm AM/PM", 0.75, "18:00"},
        {"[h]:mm:ss", 1.5, "36:00:00"}, {"mmm", 45292, "2024-01-01"}, {"m/d/yyyy", -1, "-1"},
        {"m/d/yyyy", 1e300, "1e+300"}, {"@", 7, "7"}, {"General\" kg\"", 7, "7 kg"},
        {"000\\-00", 12345, "12345"}, {"\"day\" 0", 7, "day 7"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct number_format f;
        AUTO_STRBUF out;
        strbuf_init(&out, 100);
        number_format_parse(&f, cases[i].code);
        number_format_write(&f, cases[i].value, false, &out);
        assert_string_equal(out.s, cases[i].text);
    }
}
