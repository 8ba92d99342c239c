/* Words, stems, snippets and vectors of any bytes. The first line is the query, the rest is the text. */
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/words/lexical.h"
#include "codec/words/snippet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) a = arena_new();
    struct str text = {(const char *)data, size}, question = str_cut(&text, '\n');
    if (!text.s)
        text = STR("");
    struct bag words = bag_of(a, question), all = bag_of_all(a, text);
    float v[LEXICAL_DIMS], length = 0;
    lexical_embed(&all, NULL, v);
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        length += v[i] * v[i];
    if (!(length == 0 || fabsf(length - 1) < 1e-3F))
        abort();
    if (!utf8_valid_text(text))
        return 0;
    for (size_t bytes = 0; bytes < 400; bytes += 133) {
        struct snippet s = snippet_of(a, text, &words, bytes);
        size_t sum = 0;
        for (size_t i = 0; i < s.n; i++)
            sum += s.pieces[i].text.len;
        if (sum != s.whole.len || !utf8_valid_text(s.whole))
            abort();
    }
    return 0;
}
