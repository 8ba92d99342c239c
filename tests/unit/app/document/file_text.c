/* tests/http/telegram/telegram_files.test.js has PDF files that pdftotext reads. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "app/document/file_text.h"

/* `expected`: the text, or the key of the sentence. */
static void assert_read(const char *name, struct str bytes, enum rc rc, const char *expected)
{
    const struct file_text_source s = {
        .name = str_of(name), .media_type = STR(""), .shown = name, .bytes = bytes, .max = 10, .stop_fd = -1};
    struct str text;
    struct err e = ERR_INIT;
    AUTO(arena) a = arena_new();
    assert_int_equal(file_text_read(a, &s, &text, &e), rc);
    if (rc == RC_OK)
        assert_string_equal(text.s, expected);
    else
        assert_true(err_is(&e, expected));
}

TEST(text_has_at_most_so_many_bytes)
{
    assert_read("a.txt", STR("1234567890"), RC_OK, "1234567890");
    assert_read("a.txt", STR("\r\n1234567\r\n\r\n"), RC_OK, "\n1234567\n\n");
    assert_read("a.txt", STR("12345678901"), RC_TOO_BIG, "document.long");
    assert_read("a.txt", STR("\xFC\xFC\xFC\xFC\xFC\xFC"), RC_TOO_BIG, "document.long");
    assert_read("a.txt",
        STR("\xFF\xFE"
            "1\0002\0003\0004\0005\0006\0007\0008\0009\0"),
        RC_OK, "123456789");
    assert_read("a.txt", STR("123456789012345678901"), RC_TOO_BIG, "document.long");
}

TEST(a_binary_file_is_told_by_its_bytes)
{
    assert_read("a.txt", STR("\x89PNG\r\n\x1A\n\0"), RC_UNSUPPORTED, FILE_TEXT_UNKNOWN);
    assert_read("a.zip", STR("PK\x03\x04\0\0\0\0 much more than fits"), RC_BAD_INPUT, "document.damaged");
}

TEST(a_pdf_file_needs_a_program)
{
    const char *path = getenv("PATH");
    char *kept = strdup(path ? path : "");
    setenv("PATH", "/no/such/folder", 1);
    assert_false(file_text_has_pdf());
    assert_read("a.pdf", STR("text"), RC_UNSUPPORTED, "document.no_program");
    assert_read("a.txt", STR("%PDF-1.4 text"), RC_UNSUPPORTED, "document.no_program");
    assert_read("a.txt", STR("the %PDF-"), RC_OK, "the %PDF-");
    setenv("PATH", kept, 1);
    free(kept);
}
