#include "parts.h"

#define CONTAINER                                                                                  \
    PART("META-INF/container.xml",                                                                 \
        "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles><rootfile " \
        "full-path='OEBPS/book.opf'/></rootfiles></container>")
#define ENCRYPTION(algorithm)                                                                     \
    PART("META-INF/encryption.xml",                                                               \
        "<encryption xmlns='urn:oasis:names:tc:opendocument:xmlns:container' "                    \
        "xmlns:enc='http://www.w3.org/2001/04/xmlenc#'><enc:EncryptedData><enc:EncryptionMethod " \
        "Algorithm='" algorithm "'/></enc:EncryptedData></encryption>")
#define BOOK                                                                                                \
    PART("OEBPS/book.opf",                                                                                  \
        "<package xmlns='http://www.idpf.org/2007/opf'><metadata "                                          \
        "xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>Tides</dc:title><dc:title>2nd</dc:title>"    \
        "</metadata><manifest><item id='two' href='text/ch%202.xhtml' media-type='application/xhtml+xml'/>" \
        "<item id='one' href='../one.xhtml' media-type='application/xhtml+xml'/><item id='c' "              \
        "href='cover.svg' media-type='image/svg+xml'/></manifest><spine><itemref idref='c'/><itemref "      \
        "idref='one'/><itemref idref='two'/><itemref idref='none'/></spine></package>")

TEST(chapters_are_in_the_order_of_the_spine)
{
    AUTO(arena) a = arena_new();
    const struct part parts[] = {{"mimetype", STR("application/epub+zip"), false, 0}, CONTAINER, BOOK,
        ENCRYPTION("http://www.idpf.org/2008/embedding"),
        PART("OEBPS/text/ch 2.xhtml", "<html><body><h1>Two</h1><p>Ebb &amp; flow.</p></body></html>"),
        PART("one.xhtml", "<html><body><h1>One</h1><p>The <em>moon</em>.</p></body></html>")};
    assert_string_equal(
        parts_text(a, PARTS_ZIP(a, parts)), "# Tides\n\n# One\n\nThe moon.\n\n# Two\n\nEbb & flow.");
}

TEST(an_encrypted_book_says_so)
{
    AUTO(arena) a = arena_new();
    const struct part parts[] = {{"mimetype", STR("application/epub+zip"), false, 0}, CONTAINER, BOOK,
        ENCRYPTION("http://www.w3.org/2001/04/xmlenc#aes128-cbc")};
    assert_string_equal(
        parts_text(a, PARTS_ZIP(a, parts)), "it is protected by a password. Save it without one.");
}
