#include "codec/web_address.h"

#include <ctype.h>
#include <strings.h>

#include "base/strbuf.h"

#define HTTP  STR("http://")
#define HTTPS STR("https://")

#define PORT_DIGITS_MAX 5

/* Longer punctuation, and further addresses in one word, are not looked at: the time would be quadratic. */
#define PUNCTUATION_MAX 16
#define IN_WORD_MAX     8

/* Characters that end an address in a text: none of them may stand in one unescaped. */
static bool ends_word(char c)
{
    return str_is_space(c) || (unsigned char)c < 0x20 || c == 0x7F || strchr("<>\"`\\|^{}", c) != NULL;
}

/* Punctuation that follows an address, unless a character of the address follows it. */
static bool is_punctuation(char c)
{
    return strchr(".,;:!?)]'*_~", c) != NULL || (unsigned char)c >= 0x80;
}

static struct str cut_at(struct str *s, const char *any)
{
    size_t n = 0;
    while (s->s && n < s->len && !strchr(any, s->s[n]))
        n++;
    struct str head = {s->s, n};
    *s = str_from(*s, n);
    return head;
}

/* Letters, digits, hyphens and bytes of other scripts between dots; with `word`, its end is no number. */
static bool is_name(struct str host, bool word)
{
    struct str rest = host, label = {0};
    size_t labels = 0;
    while (rest.s) {
        label = str_cut(&rest, '.');
        for (size_t i = 0; i < label.len; i++)
            if (!isalnum((unsigned char)label.s[i]) && label.s[i] != '-' && (unsigned char)label.s[i] < 0x80)
                return false;
        if (!label.len)
            return false;
        labels++;
    }
    return !word || (labels > 1 && label.len > 1 && !isdigit((unsigned char)label.s[0]));
}

static bool is_address6(struct str host)
{
    if (host.len < 4 || host.s[0] != '[' || host.s[host.len - 1] != ']')
        return false;
    for (size_t i = 1; i + 1 < host.len; i++)
        if (!isxdigit((unsigned char)host.s[i]) && host.s[i] != ':' && host.s[i] != '.')
            return false;
    return true;
}

static bool add_host(struct strbuf *out, struct str authority, bool plain, bool word)
{
    struct str port = {0}, host = authority;
    const char *bracket = host.len ? memrchr(host.s, ']', host.len) : NULL;
    const char *colon = host.len ? memrchr(host.s, ':', host.len) : NULL;
    if (colon && (!bracket || colon > bracket)) {
        port = str_from(authority, (size_t)(colon - host.s) + 1);
        host.len = (size_t)(colon - host.s);
    }
    int64_t number = 0;
    if (port.len && (port.len > PORT_DIGITS_MAX || !str_to_int(port, 1, UINT16_MAX, &number)))
        return false;
    if (host.len > 1 && host.s[host.len - 1] == '.')
        host.len--;
    if (!is_address6(host) && !is_name(host, word))
        return false;
    for (size_t i = 0; i < host.len; i++)
        strbuf_addc(out, (char)((unsigned char)host.s[i] < 0x80 ? tolower(host.s[i]) : host.s[i]));
    if (number && number != 443 && !(plain && number == 80))
        strbuf_addf(out, ":%d", (int)number);
    return true;
}

static bool add_normal(struct strbuf *out, struct str s)
{
    static const char unsafe[] = "\"<>\\^`{|}";
    bool plain = str_starts_nocase(s, HTTP), secure = str_starts_nocase(s, HTTPS);
    struct str rest = plain || secure ? str_from(s, plain ? HTTP.len : HTTPS.len) : s;
    rest = cut_at(&rest, "#");
    struct str authority = cut_at(&rest, "/?");
    strbuf_clear(out);
    strbuf_addstr(out, HTTPS);
    if (s.len > WEB_ADDRESS_MAX || !add_host(out, authority, plain, !plain && !secure))
        return false;
    if (!rest.len || rest.s[0] != '/')
        strbuf_addc(out, '/');
    for (size_t i = 0; i < rest.len; i++) {
        unsigned char c = (unsigned char)rest.s[i];
        if (c <= 0x20 || c == 0x7F)
            return false;
        if (c > 0x7F || strchr(unsafe, c))
            strbuf_addf(out, "%%%02X", c);
        else
            strbuf_addc(out, (char)c);
    }
    return true;
}

const char *web_address_normal(struct arena *a, struct str address)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 3 * WEB_ADDRESS_MAX + HTTPS.len);
    return add_normal(&out, str_trim(address)) ? arena_str(a, strbuf_str(&out)).s : NULL;
}

struct str web_address_host(const char *normal)
{
    struct str rest = str_from(str_of(normal), HTTPS.len);
    return cut_at(&rest, "/:?");
}

/* `normal`: NULL in this and the next functions: any address. */
static bool is_this(struct strbuf *work, struct str word, const char *normal)
{
    return add_normal(work, word) && (!normal || str_is(strbuf_str(work), normal));
}

/* The word, and the word without each part of the punctuation at its end; the same up to its first character
 * of another script, which may be the next word where no spaces are written. */
static bool word_is(struct strbuf *work, struct str word, const char *normal)
{
    for (size_t n = word.len; n > 0 && word.len - n < PUNCTUATION_MAX; n--) {
        if (is_this(work, (struct str){word.s, n}, normal))
            return true;
        if (!is_punctuation(word.s[n - 1]))
            break;
    }
    size_t ascii = 0;
    while (ascii < word.len && (unsigned char)word.s[ascii] < 0x80)
        ascii++;
    while (ascii > 0 && is_punctuation(word.s[ascii - 1]))
        ascii--;
    return ascii < word.len && is_this(work, (struct str){word.s, ascii}, normal);
}

/* A name alone may be one of a file or a product: "main.py", "Node.js". */
static bool has_www_or_path(struct str word)
{
    const char *slash = word.len ? memchr(word.s, '/', word.len) : NULL;
    return slash ? memchr(word.s, '.', (size_t)(slash - word.s)) != NULL
                 : str_starts_nocase(word, STR("www."));
}

/* An address may begin inside of a word: "[a](https://example.org)". */
static bool has_address(struct strbuf *work, struct str word, const char *normal)
{
    int addresses = 0;
    for (size_t i = 0; i + HTTP.len < word.len && addresses < IN_WORD_MAX; i++) {
        struct str from = str_from(word, i);
        if (!str_starts_nocase(from, HTTP) && !str_starts_nocase(from, HTTPS))
            continue;
        addresses++;
        if (word_is(work, from, normal))
            return true;
    }
    while (word.len && strchr("([*_'~", word.s[0]))
        word = str_from(word, 1);
    return !addresses && (normal || has_www_or_path(word)) && word_is(work, word, normal);
}

static bool has_host(struct str word, struct str host)
{
    for (size_t i = 0; i + host.len <= word.len; i++)
        if (str_starts_nocase(str_from(word, i), host))
            return true;
    return false;
}

static bool find_in(struct str text, const char *normal)
{
    AUTO_STRBUF work;
    struct str host = normal ? web_address_host(normal) : STR("");
    strbuf_init(&work, 3 * WEB_ADDRESS_MAX + HTTPS.len);
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && !ends_word(text.s[end]))
            end++;
        struct str word = {text.s + at, end - at};
        if (word.len <= 2 * WEB_ADDRESS_MAX && has_host(word, host) && has_address(&work, word, normal))
            return true;
        at = end + 1;
    }
    return false;
}

bool web_address_in(struct str text, const char *normal)
{
    return find_in(text, normal);
}

bool web_address_any(struct str text)
{
    return find_in(text, NULL);
}
