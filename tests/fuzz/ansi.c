/*
 * Hostile Markdown for a terminal, whole and while it grows. The output has no control character but LF, and
 * no escape sequence but those of styles; each line ends the styles that it begins and fits into the
 * terminal.
 */
#include <locale.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/ansi/ansi_markdown.h"
#include "codec/ansi/ansi_stream.h"

#define OUT_MAX (1 << 22)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

/* The escape sequence at the start: one of a style, or with `moves` one that ansi_stream.h allows. */
static size_t sequence(struct str s, bool moves, bool *styled)
{
    size_t n = 2;
    must(s.len > 2 && s.s[1] == '[');
    while (n < s.len && ((s.s[n] >= '0' && s.s[n] <= '9') || s.s[n] == ';'))
        n++;
    must(n < s.len && (s.s[n] == 'm' || (moves && (s.s[n] == 'A' || s.s[n] == 'J'))));
    if (s.s[n] == 'm')
        *styled = !(n == 3 && s.s[2] == '0');
    return n + 1;
}

static void check(struct str out, bool moves)
{
    bool styled = false;
    must(utf8_valid_text(out));
    while (out.len) {
        if (out.s[0] == '\x1b') {
            size_t n = sequence(out, moves, &styled);
            out = str_from(out, n);
            continue;
        }
        uint32_t c = utf8_next(&out, NULL);
        must(c == '\n' || (moves && c == '\r') || !utf8_is_control(c));
        must(c != '\n' || !styled);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 2000)
        return 0;
    setlocale(LC_CTYPE, "C.UTF-8");
    struct ansi_look look = {.columns = 10 + data[0] / 2, .styled = data[0] & 1};
    struct str text = {(const char *)data + 1, size - 1};
    if (!utf8_valid_text(text))
        return 0;
    AUTO_STRBUF out;
    strbuf_init(&out, OUT_MAX);
    ansi_markdown(text, look, &out);
    check(strbuf_str(&out), false);
    AUTO(ansi_stream) s = ansi_stream_new();
    AUTO_STRBUF live;
    strbuf_init(&live, OUT_MAX);
    for (size_t at = 0, n, step = 1 + data[0] % 13; at < text.len; at += n) {
        n = text.len - at < step ? text.len - at : step;
        while (at + n < text.len && (text.s[at + n] & 0xC0) == 0x80)
            n++;
        ansi_stream_add(s, (struct str){text.s + at, n});
        ansi_stream_update(s, look, 24, &live);
    }
    ansi_stream_end(s, look, 24, &live);
    check(strbuf_str(&live), true);
    return 0;
}
