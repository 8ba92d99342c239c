#include "parts.h"

#define A                     "http://schemas.openxmlformats.org/drawingml/2006/main"
#define P                     "http://schemas.openxmlformats.org/presentationml/2006/main"
#define R                     "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define RELS                  "http://schemas.openxmlformats.org/package/2006/relationships"
#define NS                    " xmlns:a='" A "' xmlns:p='" P "' xmlns:r='" R "'"
#define REL(id, type, target) "<Relationship Id='" id "' Type='" R "/" type "' Target='" target "'/>"
#define RELATIONS(list)       "<Relationships xmlns='" RELS "'>" list "</Relationships>"
#define PAR(text)             "<a:p><a:r><a:t>" text "</a:t></a:r></a:p>"
#define SHAPE(place, text)                                                                               \
    "<p:sp><p:nvSpPr><p:cNvPr id='2' name='x' descr='no picture'/><p:nvPr>" place "</p:nvPr></p:nvSpPr>" \
    "<p:txBody><a:bodyPr/>" text "</p:txBody></p:sp>"

/* clang-format off */
TEST(slides_are_in_their_order_with_titles_tables_and_notes)
{
    AUTO(arena) a = arena_new();
    const struct part parts[] = {
        PART("[Content_Types].xml", "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>"
            "<Override PartName='/ppt/presentation.xml' ContentType='application/vnd.openxmlformats-"
            "officedocument.presentationml.presentation.main+xml'/></Types>"),
        PART("_rels/.rels", RELATIONS(REL("rId1", "officeDocument", "ppt/presentation.xml"))),
        PART("ppt/presentation.xml", "<p:presentation" NS "><p:sldIdLst><p:sldId id='256' r:id='rId2'/>"
            "<p:sldId id='257' r:id='rId3'/><p:sldId id='258' r:id='rId1'/></p:sldIdLst></p:presentation>"),
        PART("ppt/_rels/presentation.xml.rels", RELATIONS(REL("rId1", "slide", "slides/slide1.xml")
            REL("rId2", "slide", "slides/slide2.xml") REL("rId3", "slide", "slides/slide3.xml"))),
        PART("ppt/slides/slide2.xml", "<p:sld" NS "><p:cSld><p:spTree>"
            SHAPE("<p:ph type='sldNum' sz='quarter'/>", PAR("7"))
            SHAPE("<p:ph idx='1'/>", PAR("First") "<a:p><a:pPr lvl='1'/><a:r><a:t>deeper</a:t></a:r></a:p>"
                "<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:rPr><a:hlinkClick r:id='rId9'/></a:rPr><a:t>a link"
                "</a:t></a:r><a:br/><a:r><a:t>and more</a:t></a:r></a:p>")
            SHAPE("<p:ph type='title'/>", PAR("The title"))
            "<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody>" PAR("a") "</a:txBody></a:tc><a:tc><a:txBody>"
            PAR("b") "</a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody>" PAR("1") "</a:txBody></a:tc><a:tc>"
            "<a:txBody>" PAR("2") "</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>"
            "<p:pic><p:nvPicPr><p:cNvPr id='4' name='p' descr='A bridge'/></p:nvPicPr></p:pic>"
            "</p:spTree></p:cSld></p:sld>"),
        PART("ppt/slides/_rels/slide2.xml.rels", RELATIONS(REL("rId1", "notesSlide", "../notesSlides/n1.xml")
            "<Relationship Id='rId9' Type='" R "/hyperlink' Target='https://example.org/' "
            "TargetMode='External'/>")),
        PART("ppt/notesSlides/n1.xml", "<p:notes" NS "><p:cSld><p:spTree>"
            SHAPE("<p:ph type='sldImg'/>", "") SHAPE("<p:ph type='body' idx='1'/>", PAR("Slowly.") PAR("Smile."))
            SHAPE("<p:ph type='sldNum'/>", PAR("1")) "</p:spTree></p:cSld></p:notes>"),
        PART("ppt/slides/slide3.xml", "<p:sld show='0'" NS "><p:cSld><p:spTree>" SHAPE("", PAR("Hidden"))
            "</p:spTree></p:cSld></p:sld>"),
        PART("ppt/slides/slide1.xml", "<p:sld" NS "><p:cSld><p:spTree>" SHAPE("", PAR("Free text"))
            "</p:spTree></p:cSld></p:sld>")};
    assert_string_equal(parts_text(a, PARTS_ZIP(a, parts)),
        "## Slide 1: The title\n\n- First\n   - deeper\n\n[a link](https://example.org/)\nand more\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n[A bridge]\n\nNotes:\n\nSlowly.\n\nSmile.\n\n## Slide 3\n\nFree text");
}
