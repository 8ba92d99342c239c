/* HTML of any bytes; the first one chooses the charset of the header, the second the limit of the text. The
 * title and the text are valid UTF-8 within their limits, and the shorter text is the beginning of the longer
 * one. */
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/page/page_text.h"

#define LARGE 100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str read_to(struct arena *a, struct str html, const char *charset, size_t max)
{
    struct page_text page;
    if (page_text_read(a, html, str_of(charset), max, &page, NULL) != RC_OK)
        return (struct str){0};
    if (page.title.len > PAGE_TITLE_MAX || page.text.len > max || !utf8_valid_text(page.title) ||
        !utf8_valid_text(page.text))
        abort();
    return page.text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = {"", "utf-8", "iso-8859-1", "shift_jis", "euc-jp", "gb18030",
        "big5", "euc-kr", "utf-16le", "utf-16be", "windows-1258", "koi8-r", "iso-8859-15", "windows-1255",
        "none"};
    if (size < 2 || size > 20000)
        return 0;
    const char *charset = charsets[data[0] % ARRAY_LEN(charsets)];
    struct str html = {(const char *)data + 2, size - 2};
    AUTO(arena) a = arena_new();
    struct str whole = read_to(a, html, charset, LARGE), part = read_to(a, html, charset, data[1]);
    /* A fence is longer than the ticks in it, also than those that are cut off. */
    if (!memmem(whole.s, whole.len, "````", 4) && !str_starts(whole, part))
        abort();
    return 0;
}
