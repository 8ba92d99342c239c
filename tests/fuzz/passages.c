/* Passages of any bytes, in sizes that the first byte chooses. No passage is too long or empty. Together
 * they cover the text, unless there are too many. Valid UTF-8 gives valid UTF-8. */
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/words/passages.h"

#define MOST 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct str text, size_t size, size_t most)
{
    struct str out[MOST];
    size_t n = passages_of(text, size, most, out), covered = 0;
    bool valid = utf8_valid_text(text), all = true;
    text = str_trim(text);
    if (n > most || (n == 0) != (text.len == 0))
        abort();
    for (size_t i = 0; i < n; i++) {
        size_t from = (size_t)(out[i].s - text.s);
        if (out[i].len == 0 || out[i].len > size || from + out[i].len > text.len ||
            (valid && !utf8_valid_text(out[i])))
            abort();
        all = all && from <= covered;
        covered = from + out[i].len;
    }
    if (n < most && (!all || covered != text.len))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct str text = {(const char *)data + 1, size - 1};
    check(text, PASSAGE_SIZE_MIN + data[0], MOST);
    check(text, PASSAGE_SIZE_MIN + data[0], 2);
    check(text, PASSAGE_SIZE_MIN, 1);
    return 0;
}
