/* Character references; the names are those that people and models write. */
#include "channel/telegram/telegram_references.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define NAME_MAX_LEN 12
#define REF_MAX_LEN  (NAME_MAX_LEN + 2)

struct reference {
    const char *name, *is;
};

/* Sorted by name. */
static const struct reference REFERENCES[] = {{"AElig", "Æ"}, {"Aacute", "Á"}, {"Acirc", "Â"},
    {"Agrave", "À"}, {"Alpha", "Α"}, {"Aring", "Å"}, {"Atilde", "Ã"}, {"Auml", "Ä"}, {"Beta", "Β"},
    {"Ccedil", "Ç"}, {"Delta", "Δ"}, {"Eacute", "É"}, {"Ecirc", "Ê"}, {"Egrave", "È"}, {"Euml", "Ë"},
    {"Gamma", "Γ"}, {"Iacute", "Í"}, {"Lambda", "Λ"}, {"Ntilde", "Ñ"}, {"OElig", "Œ"}, {"Oacute", "Ó"},
    {"Ocirc", "Ô"}, {"Omega", "Ω"}, {"Oslash", "Ø"}, {"Ouml", "Ö"}, {"Phi", "Φ"}, {"Pi", "Π"}, {"Prime", "″"},
    {"Psi", "Ψ"}, {"Scaron", "Š"}, {"Sigma", "Σ"}, {"Theta", "Θ"}, {"Uacute", "Ú"}, {"Uuml", "Ü"},
    {"aacute", "á"}, {"acirc", "â"}, {"acute", "´"}, {"aelig", "æ"}, {"agrave", "à"}, {"alpha", "α"},
    {"amp", "&"}, {"and", "∧"}, {"ang", "∠"}, {"apos", "'"}, {"aring", "å"}, {"asymp", "≈"}, {"atilde", "ã"},
    {"auml", "ä"}, {"bdquo", "„"}, {"beta", "β"}, {"bull", "•"}, {"cap", "∩"}, {"ccedil", "ç"}, {"cent", "¢"},
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

/* The code point of "#123" or "#x7b"; 0: none. */
static uint32_t number_of(const char *name)
{
    bool hex = name[1] == 'x' || name[1] == 'X';
    char *end;
    unsigned long n = strtoul(name + (hex ? 2 : 1), &end, hex ? 16 : 10);
    return *end || n > 0x10FFFF ? 0 : (uint32_t)n;
}

/* `name` is what stands between & and ;. False: unknown. */
static bool add_reference(struct strbuf *out, struct str name)
{
    char word[REF_MAX_LEN];
    if (!name.len || name.len >= sizeof word)
        return false;
    memcpy(word, name.s, name.len);
    word[name.len] = 0;
    if (word[0] == '#') {
        char utf8[4];
        uint32_t cp = number_of(word);
        size_t n = cp ? utf8_put(cp, utf8) : 0;
        strbuf_add(out, utf8, n);
        return n > 0;
    }
    const struct reference *r = bsearch(word, REFERENCES, ARRAY_LEN(REFERENCES), sizeof *REFERENCES, compare);
    if (r)
        strbuf_adds(out, r->is);
    return r != NULL;
}

void html_decode(struct strbuf *out, struct str html)
{
    while (html.len) {
        const char *amp = memchr(html.s, '&', html.len);
        size_t n = amp ? (size_t)(amp - html.s) : html.len;
        strbuf_add(out, html.s, n);
        html = (struct str){html.s + n, html.len - n};
        if (!html.len)
            return;
        size_t look = html.len < REF_MAX_LEN + 2 ? html.len : REF_MAX_LEN + 2;
        const char *end = memchr(html.s, ';', look);
        if (end && add_reference(out, (struct str){html.s + 1, (size_t)(end - html.s) - 1})) {
            n = (size_t)(end - html.s) + 1;
        } else {
            strbuf_addc(out, '&');
            n = 1;
        }
        html = (struct str){html.s + n, html.len - n};
    }
}
