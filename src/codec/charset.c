#include "codec/charset.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "base/utf8.h"

#define UTF_8        "UTF-8"
#define WINDOWS_1252 "CP1252"

/* ---- any charset ---- */

static void add_utf8(struct str text, bool *bad, struct strbuf *out)
{
    while (text.len) {
        uint32_t cp = utf8_next(&text, bad);
        if (cp)
            strbuf_addcp(out, cp);
        else if (bad)
            *bad = true;
    }
}

bool charset_decode(struct str bytes, const char *charset, bool *bad, struct strbuf *out)
{
    if (strcmp(charset, UTF_8) == 0) {
        add_utf8(bytes, bad, out);
        return true;
    }
    iconv_t cd = iconv_open(UTF_8, charset);
    if (cd == (iconv_t)-1) /* NOLINT(performance-no-int-to-ptr) */
        return false;
    char *in = (char *)(uintptr_t)bytes.s;
    size_t left = bytes.len;
    char piece[4096];
    for (bool more = true; more;) {
        char *to = piece;
        size_t room = sizeof piece;
        more = iconv(cd, &in, &left, &to, &room) == (size_t)-1;
        int why = errno;
        add_utf8((struct str){piece, sizeof piece - room}, bad, out);
        if (more && why != E2BIG) {
            strbuf_addcp(out, UTF8_REPLACEMENT);
            if (bad)
                *bad = true;
            if (why == EINVAL || left <= 1) /* an incomplete character ends the text */
                break;
            in++;
            left--;
        }
    }
    iconv_close(cd);
    return true;
}

/* ---- files ---- */

static bool has_control(struct str text)
{
    while (text.len) {
        uint32_t c = utf8_next(&text, NULL);
        if (c < 0x09 || (c > 0x0D && c < 0x1B) || (c > 0x1B && c < 0x20) || (c >= 0x7F && c < 0xA0))
            return true;
    }
    return false;
}

static struct str from(const struct strbuf *b, size_t at)
{
    return str_from(strbuf_str(b), at);
}

/* CRLF and CR become LF, in place. */
static void normalise_lines(struct strbuf *b, size_t at)
{
    size_t to = at;
    for (size_t i = at; i < b->len; i++) {
        bool cr = b->s[i] == '\r';
        if (cr && i + 1 < b->len && b->s[i + 1] == '\n')
            i++;
        b->s[to++] = cr ? '\n' : b->s[i];
    }
    strbuf_truncate(b, to);
}

bool charset_decode_file(struct str bytes, struct strbuf *out)
{
    const struct str mark8 = STR("\xEF\xBB\xBF"), little = STR("\xFF\xFE"), big = STR("\xFE\xFF");
    const char *wide = str_starts(bytes, little) ? "UTF-16LE" : str_starts(bytes, big) ? "UTF-16BE" : NULL;
    size_t at = out->len;
    bool bad = false;
    if (wide) {
        bad = !charset_decode(str_from(bytes, little.len), wide, &bad, out) || bad;
    } else if (utf8_valid_text(bytes)) {
        strbuf_addstr(out, str_starts(bytes, mark8) ? str_from(bytes, mark8.len) : bytes);
    } else {
        bad = !charset_decode(bytes, WINDOWS_1252, &bad, out) || bad || has_control(from(out, at));
    }
    if (bad || out->failed) {
        strbuf_rewind(out, at);
        return false;
    }
    normalise_lines(out, at);
    return true;
}
