#include "codec/html.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

/* Indexes into `references`; 0: the byte is unchanged. One byte each, so that the table fits four cache
 * lines. */
static const unsigned char kinds[256] = {['&'] = 1, ['<'] = 2, ['>'] = 3, ['"'] = 4, ['\''] = 5};

static const struct str references[] = {
    {"", 0}, {"&amp;", 5}, {"&lt;", 4}, {"&gt;", 4}, {"&quot;", 6}, {"&#39;", 5}};

#define LANE 16 /* bytes that are looked at together */
typedef unsigned char lane __attribute__((vector_size(LANE)));

/* Among the five characters, & and ' differ in one bit, and so do < and >. */
static bool has_special(const char *p)
{
    lane v;
    uint64_t hit[2];
    memcpy(&v, p, sizeof v);
    __auto_type found = ((v | 1) == '\'') | ((v | 2) == '>') | (v == '"');
    memcpy(hit, &found, sizeof hit);
    return (hit[0] | hit[1]) != 0;
}

/* The last lane may overlap the one before it. A text of half a lane or more is copied into one, its first
 * half and its last half, which may overlap, too. */
static bool is_plain(struct str s)
{
    if (s.len >= LANE) {
        for (size_t i = 0; i < s.len - LANE; i += LANE)
            if (has_special(s.s + i))
                return false;
        return !has_special(s.s + s.len - LANE);
    }
    if (s.len >= LANE / 2) {
        char both[LANE];
        memcpy(both, s.s, LANE / 2);
        memcpy(both + LANE / 2, s.s + s.len - LANE / 2, LANE / 2);
        return !has_special(both);
    }
    for (size_t i = 0; i < s.len; i++)
        if (kinds[(unsigned char)s.s[i]])
            return false;
    return true;
}

void html_escape(struct strbuf *out, struct str s)
{
    if (is_plain(s)) {
        strbuf_addstr(out, s);
        return;
    }
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        while (s.len - i > LANE && !has_special(s.s + i))
            i += LANE;
        unsigned kind = kinds[(unsigned char)s.s[i]];
        if (!kind)
            continue;
        strbuf_add(out, s.s + from, i - from);
        strbuf_addstr(out, references[kind]);
        from = i + 1;
    }
    if (from < s.len)
        strbuf_add(out, s.s + from, s.len - from);
}

/* ---- character references ---- */

#define NAME_MAX_LEN 12
#define DIGITS_MAX   7

struct reference {
    const char *name, *is;
};

/* The names that people and models write, sorted. */
static const struct reference named[] = {{"AElig", "Æ"}, {"Aacute", "Á"}, {"Acirc", "Â"}, {"Agrave", "À"},
    {"Alpha", "Α"}, {"Aring", "Å"}, {"Atilde", "Ã"}, {"Auml", "Ä"}, {"Beta", "Β"}, {"Ccedil", "Ç"},
    {"Delta", "Δ"}, {"Eacute", "É"}, {"Ecirc", "Ê"}, {"Egrave", "È"}, {"Euml", "Ë"}, {"Gamma", "Γ"},
    {"Iacute", "Í"}, {"Lambda", "Λ"}, {"Ntilde", "Ñ"}, {"OElig", "Œ"}, {"Oacute", "Ó"}, {"Ocirc", "Ô"},
    {"Omega", "Ω"}, {"Oslash", "Ø"}, {"Ouml", "Ö"}, {"Phi", "Φ"}, {"Pi", "Π"}, {"Prime", "″"}, {"Psi", "Ψ"},
    {"Scaron", "Š"}, {"Sigma", "Σ"}, {"Theta", "Θ"}, {"Uacute", "Ú"}, {"Uuml", "Ü"}, {"aacute", "á"},
    {"acirc", "â"}, {"acute", "´"}, {"aelig", "æ"}, {"agrave", "à"}, {"alpha", "α"}, {"amp", "&"},
    {"and", "∧"}, {"ang", "∠"}, {"apos", "'"}, {"aring", "å"}, {"asymp", "≈"}, {"atilde", "ã"}, {"auml", "ä"},
    {"bdquo", "„"}, {"beta", "β"}, {"bull", "•"}, {"cap", "∩"}, {"ccedil", "ç"}, {"cent", "¢"},
    {"check", "✓"}, {"chi", "χ"}, {"cong", "≅"}, {"copy", "©"}, {"cross", "✗"}, {"cup", "∪"}, {"dagger", "†"},
    {"darr", "↓"}, {"deg", "°"}, {"delta", "δ"}, {"divide", "÷"}, {"eacute", "é"}, {"ecirc", "ê"},
    {"egrave", "è"}, {"empty", "∅"}, {"emsp", "\xe2\x80\x83"}, {"ensp", "\xe2\x80\x82"}, {"epsilon", "ε"},
    {"equiv", "≡"}, {"eta", "η"}, {"euml", "ë"}, {"euro", "€"}, {"exist", "∃"}, {"forall", "∀"},
    {"frac12", "½"}, {"frac14", "¼"}, {"frac34", "¾"}, {"gamma", "γ"}, {"ge", "≥"}, {"gt", ">"},
    {"hArr", "⇔"}, {"harr", "↔"}, {"hearts", "♥"}, {"hellip", "…"}, {"iacute", "í"}, {"icirc", "î"},
    {"iexcl", "¡"}, {"igrave", "ì"}, {"infin", "∞"}, {"int", "∫"}, {"iota", "ι"}, {"iquest", "¿"},
    {"isin", "∈"}, {"iuml", "ï"}, {"kappa", "κ"}, {"lArr", "⇐"}, {"lambda", "λ"}, {"laquo", "«"},
    {"larr", "←"}, {"ldquo", "“"}, {"le", "≤"}, {"lsaquo", "‹"}, {"lsquo", "‘"}, {"lt", "<"}, {"macr", "¯"},
    {"mdash", "—"}, {"micro", "µ"}, {"middot", "·"}, {"minus", "−"}, {"mu", "μ"}, {"nabla", "∇"},
    {"nbsp", "\xc2\xa0"}, {"ndash", "–"}, {"ne", "≠"}, {"ni", "∋"}, {"not", "¬"}, {"notin", "∉"},
    {"ntilde", "ñ"}, {"nu", "ν"}, {"oacute", "ó"}, {"ocirc", "ô"}, {"oelig", "œ"}, {"ograve", "ò"},
    {"omega", "ω"}, {"oplus", "⊕"}, {"or", "∨"}, {"ordf", "ª"}, {"ordm", "º"}, {"oslash", "ø"},
    {"otilde", "õ"}, {"otimes", "⊗"}, {"ouml", "ö"}, {"para", "¶"}, {"part", "∂"}, {"permil", "‰"},
    {"perp", "⊥"}, {"phi", "φ"}, {"pi", "π"}, {"plusmn", "±"}, {"pound", "£"}, {"prime", "′"}, {"prod", "∏"},
    {"prop", "∝"}, {"psi", "ψ"}, {"quot", "\""}, {"rArr", "⇒"}, {"radic", "√"}, {"raquo", "»"}, {"rarr", "→"},
    {"rdquo", "”"}, {"reg", "®"}, {"rho", "ρ"}, {"rsaquo", "›"}, {"rsquo", "’"}, {"sbquo", "‚"},
    {"scaron", "š"}, {"sect", "§"}, {"sigma", "σ"}, {"sim", "∼"}, {"star", "☆"}, {"starf", "★"}, {"sub", "⊂"},
    {"sube", "⊆"}, {"sum", "∑"}, {"sup", "⊃"}, {"sup1", "¹"}, {"sup2", "²"}, {"sup3", "³"}, {"supe", "⊇"},
    {"szlig", "ß"}, {"tau", "τ"}, {"there4", "∴"}, {"theta", "θ"}, {"thinsp", "\xe2\x80\x89"}, {"times", "×"},
    {"trade", "™"}, {"uacute", "ú"}, {"uarr", "↑"}, {"ucirc", "û"}, {"ugrave", "ù"}, {"uuml", "ü"},
    {"xi", "ξ"}, {"yen", "¥"}, {"yuml", "ÿ"}, {"zeta", "ζ"}, {"zwj", "\xe2\x80\x8d"},
    {"zwnj", "\xe2\x80\x8c"}};

static int compare(const void *key, const void *row)
{
    return strcmp(key, ((const struct reference *)row)->name);
}

/* `digits` is "123" or "x7b". */
static struct str by_number(struct str digits, char utf8[4])
{
    bool hex = digits.len && (digits.s[0] | 0x20) == 'x';
    size_t from = hex ? 1 : 0;
    uint32_t cp = 0;
    if (digits.len <= from || digits.len > from + DIGITS_MAX)
        return STR("");
    for (size_t i = from; i < digits.len; i++) {
        char c = digits.s[i], low = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            cp = cp * (hex ? 16 : 10) + (uint32_t)(c - '0');
        else if (hex && low >= 'a' && low <= 'f')
            cp = cp * 16 + (uint32_t)(low - 'a' + 10);
        else
            return STR("");
    }
    size_t n = cp ? utf8_put(cp, utf8) : 0;
    return (struct str){utf8, n ? n : utf8_put(UTF8_REPLACEMENT, utf8)};
}

static struct str by_name(struct str name)
{
    char key[NAME_MAX_LEN + 1];
    if (name.len > NAME_MAX_LEN)
        return STR("");
    memcpy(key, name.s, name.len);
    key[name.len] = '\0';
    const struct reference *r = bsearch(key, named, ARRAY_LEN(named), sizeof *named, compare);
    return r ? str_of(r->is) : STR("");
}

struct str html_reference(struct str ref, char utf8[4])
{
    struct str word = {ref.s + 1, ref.len - 2};
    return str_starts(word, STR("#")) ? by_number(str_from(word, 1), utf8) : by_name(word);
}

void html_decode(struct strbuf *out, struct str html)
{
    while (html.len) {
        const char *amp = memchr(html.s, '&', html.len);
        size_t n = amp ? (size_t)(amp - html.s) : html.len;
        strbuf_add(out, html.s, n);
        html = str_from(html, n);
        if (!html.len)
            return;
        char utf8[4];
        const char *end = memchr(html.s, ';', html.len < NAME_MAX_LEN + 2 ? html.len : NAME_MAX_LEN + 2);
        struct str ref = {html.s, end ? (size_t)(end - html.s) + 1 : 1};
        struct str is = end ? html_reference(ref, utf8) : STR("");
        if (!is.len)
            is = ref = (struct str){html.s, 1};
        strbuf_addstr(out, is);
        html = str_from(html, ref.len);
    }
}
