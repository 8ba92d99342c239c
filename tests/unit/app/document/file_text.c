/* tests/http/telegram/telegram_files.test.js has PDF files that pdftotext reads. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "app/document/file_text.h"

static void assert_result(const char *name, struct str bytes, enum file_text expected, const char *text)
{
    const struct file_text_source s = {
        .name = str_of(name), .media_type = STR(""), .bytes = bytes, .max = 10, .stop_fd = -1};
    enum file_text result;
    AUTO_STRBUF out;
    strbuf_init(&out, s.max);
    assert_ok(file_text_read(&s, &result, &out, NULL));
    assert_int_equal(result, expected);
    assert_string_equal(out.len ? out.s : "", text);
}

TEST(text_has_at_most_so_many_bytes)
{
    assert_result("a.txt", STR("1234567890"), FILE_TEXT_READ, "1234567890");
    assert_result("a.txt", STR("\r\n1234567\r\n\r\n"), FILE_TEXT_READ, "\n1234567\n\n");
    assert_result("a.txt", STR("12345678901"), FILE_TEXT_LONG, "");
    assert_result("a.txt", STR("\xFC\xFC\xFC\xFC\xFC\xFC"), FILE_TEXT_LONG, "");
    assert_result("a.txt",
        STR("\xFF\xFE"
            "1\0002\0003\0004\0005\0006\0007\0008\0009\0"),
        FILE_TEXT_READ, "123456789");
    assert_result("a.txt", STR("123456789012345678901"), FILE_TEXT_LONG, "");
}

TEST(a_binary_file_is_told_by_its_bytes)
{
    assert_result("a.txt", STR("\x89PNG\r\n\x1A\n\0"), FILE_TEXT_BINARY, "");
    assert_result("a.txt", STR("PK\x03\x04\0\0\0\0 much more than fits"), FILE_TEXT_BINARY, "");
}

TEST(a_pdf_file_needs_a_program)
{
    const char *path = getenv("PATH");
    char *kept = strdup(path ? path : "");
    setenv("PATH", "/no/such/folder", 1);
    assert_false(file_text_has_pdf());
    assert_result("a.pdf", STR("text"), FILE_TEXT_NO_PROGRAM, "");
    assert_result("a.txt", STR("%PDF-1.4 text"), FILE_TEXT_NO_PROGRAM, "");
    setenv("PATH", kept, 1);
    free(kept);
}
