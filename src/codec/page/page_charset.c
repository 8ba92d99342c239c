/*
 * Names of charsets by https://encoding.spec.whatwg.org/#names-and-labels, which has more of them. Only those
 * of the table reach iconv: a page chooses the name, and some converters of glibc had overflows and endless
 * loops (CVE-2024-2961 in ISO-2022-CN-EXT), while no page uses them.
 */
#include "codec/page/page_charset.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/charset.h"

#define META_BYTES 1024
#define LABEL_MAX  32

static const char utf_8[] = "UTF-8", windows_1252[] = "CP1252";

static const struct {
    const char *label, *name;
} charsets[] = {{"utf-8", utf_8}, {"utf8", utf_8}, {"unicode-1-1-utf-8", utf_8}, {"us-ascii", windows_1252},
    {"ascii", windows_1252}, {"iso-8859-1", windows_1252}, {"iso8859-1", windows_1252},
    {"iso_8859-1", windows_1252}, {"latin1", windows_1252}, {"l1", windows_1252}, {"cp1252", windows_1252},
    {"windows-1252", windows_1252}, {"iso-8859-2", "ISO-8859-2"}, {"latin2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"}, {"iso-8859-4", "ISO-8859-4"}, {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"}, {"iso-8859-7", "ISO-8859-7"}, {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-8-i", "ISO-8859-8"}, {"iso-8859-9", "CP1254"}, {"latin5", "CP1254"},
    {"iso-8859-10", "ISO-8859-10"}, {"iso-8859-11", "CP874"}, {"tis-620", "CP874"}, {"windows-874", "CP874"},
    {"iso-8859-13", "ISO-8859-13"}, {"iso-8859-14", "ISO-8859-14"}, {"iso-8859-15", "ISO-8859-15"},
    {"latin-9", "ISO-8859-15"}, {"iso-8859-16", "ISO-8859-16"}, {"windows-1250", "CP1250"},
    {"windows-1251", "CP1251"}, {"cp1251", "CP1251"}, {"windows-1253", "CP1253"}, {"windows-1254", "CP1254"},
    {"windows-1255", "CP1255"}, {"windows-1256", "CP1256"}, {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"}, {"koi8-r", "KOI8-R"}, {"koi8-u", "KOI8-U"}, {"ibm866", "CP866"},
    {"cp866", "CP866"}, {"macintosh", "MACINTOSH"}, {"shift_jis", "CP932"}, {"shift-jis", "CP932"},
    {"sjis", "CP932"}, {"x-sjis", "CP932"}, {"windows-31j", "CP932"}, {"ms_kanji", "CP932"},
    {"euc-jp", "EUC-JP"}, {"x-euc-jp", "EUC-JP"}, {"gb2312", "GB18030"}, {"gbk", "GB18030"},
    {"x-gbk", "GB18030"}, {"gb18030", "GB18030"}, {"big5", "BIG5-HKSCS"}, {"big5-hkscs", "BIG5-HKSCS"},
    {"euc-kr", "CP949"}, {"ks_c_5601-1987", "CP949"}, {"windows-949", "CP949"}, {"utf-16", "UTF-16LE"},
    {"utf-16le", "UTF-16LE"}, {"utf-16be", "UTF-16BE"}};

static bool ends_label(char c)
{
    return str_is_space(c) || c == ';' || c == '>' || c == '/' || c == '"' || c == '\'';
}

/* The name at the beginning of a text, perhaps in quotes. NULL: none. An unknown one is windows-1252, which
 * reads at least the ASCII of most charsets. */
static const char *named(struct str text)
{
    struct str label = str_trim(text);
    if (label.len && (label.s[0] == '"' || label.s[0] == '\''))
        label = str_trim(str_from(label, 1));
    size_t n = 0;
    while (n < label.len && n < LABEL_MAX && !ends_label(label.s[n]))
        n++;
    label.len = n;
    if (!label.len)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(charsets); i++)
        if (str_eq_nocase(label, str_of(charsets[i].label)))
            return charsets[i].name;
    return windows_1252;
}

/* The charset of the first <meta charset=x> or <meta content="text/html; charset=x">. */
static const char *of_meta(struct str html)
{
    struct str rest = {html.s, html.len < META_BYTES ? html.len : META_BYTES};
    const struct str meta = STR("<meta"), charset = STR("charset"), comment = STR("<!--");
    bool in_meta = false;
    while (rest.len) {
        if (str_starts(rest, comment)) {
            const char *close = memmem(rest.s, rest.len, "-->", 3);
            rest = close ? str_from(rest, (size_t)(close - rest.s)) : (struct str){rest.s, 0};
            in_meta = false;
        } else if (str_starts_nocase(rest, meta)) {
            in_meta = true;
            rest = str_from(rest, meta.len);
        } else if (in_meta && str_starts_nocase(rest, charset)) {
            struct str label = str_trim(str_from(rest, charset.len));
            if (label.len && label.s[0] == '=') {
                const char *name = named(str_from(label, 1));
                /* The file was read as ASCII up to here, so it is not UTF-16. */
                return name && strncmp(name, "UTF-16", 6) == 0 ? utf_8 : name;
            }
            rest = str_from(rest, charset.len);
        } else {
            in_meta = in_meta && rest.s[0] != '>';
            rest = str_from(rest, 1);
        }
    }
    return NULL;
}

static struct str without(struct str html, struct str mark)
{
    return str_starts(html, mark) ? str_from(html, mark.len) : html;
}

void page_charset_decode(struct str html, struct str charset, struct strbuf *out)
{
    const struct str mark8 = STR("\xEF\xBB\xBF"), little = STR("\xFF\xFE"), big = STR("\xFE\xFF");
    const char *name = str_starts(html, mark8)    ? utf_8
                       : str_starts(html, little) ? "UTF-16LE"
                       : str_starts(html, big)    ? "UTF-16BE"
                                                  : named(charset);
    html = without(without(without(html, mark8), little), big);
    if (!name)
        name = of_meta(html);
    if (!name) {
        bool bad = false;
        for (struct str rest = html; rest.len && !bad;)
            utf8_next(&rest, &bad);
        name = bad ? windows_1252 : utf_8;
    }
    if (!charset_decode(html, name, NULL, out) && !charset_decode(html, windows_1252, NULL, out))
        charset_decode(html, utf_8, NULL, out);
}
