#include "codec/url.h"

#include "base/id.h"
#include "base/utf8.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

enum rc url_decode(struct arena *a, struct str in, enum url_plus plus, struct str *out, struct err *e)
{
    char *to = arena_alloc(a, in.len + 1); /* decoding never makes text longer */
    size_t n = 0;
    for (size_t i = 0; i < in.len; i++) {
        char c = in.s[i];
        if (c == '%') {
            int high = in.len - i > 2 ? hex_value(in.s[i + 1]) : -1;
            int low = high >= 0 ? hex_value(in.s[i + 2]) : -1;
            if (low < 0)
                return err_say(e, RC_BAD_INPUT, "form.bad_escape");
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus == URL_PLUS_IS_SPACE) {
            c = ' ';
        }
        to[n++] = c;
    }
    struct str text = {to, n};
    if (!utf8_valid_text(text))
        return err_say(e, RC_BAD_INPUT, "form.no_utf8");
    *out = text;
    return RC_OK;
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void url_encode(struct strbuf *out, struct str s)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.s[i];
        if (is_unreserved(s.s[i])) {
            strbuf_addc(out, s.s[i]);
        } else {
            char escape[3] = {'%', hex[c >> 4], hex[c & 15]};
            strbuf_add(out, escape, sizeof escape);
        }
    }
}

const char *url_with(struct arena *a, const char *path, const struct url_part *parts, size_t n)
{
    size_t most = strlen(path) + 1;
    for (size_t i = 0; i < n; i++)
        most += strlen(parts[i].name) + 3 * parts[i].value.len + 2;
    AUTO_STRBUF url;
    strbuf_init(&url, most);
    strbuf_adds(&url, path);
    char sep = strchr(path, '?') ? '&' : '?';
    for (size_t i = 0; i < n; i++) {
        if (!parts[i].value.len)
            continue;
        strbuf_addf(&url, "%c%s=", sep, parts[i].name);
        url_encode(&url, parts[i].value);
        sep = '&';
    }
    return arena_strndup(a, url.s, url.len);
}

bool url_link_allowed(struct str url)
{
    const struct str https = STR("https://"), mailto = STR("mailto:");
    if (url.len > URL_LINK_MAX || !utf8_valid_text(url))
        return false;
    struct str after;
    if (str_starts_nocase(url, https))
        after = str_from(url, https.len);
    else if (str_starts_nocase(url, mailto))
        after = str_from(url, mailto.len);
    else
        return false;
    if (!after.len || strchr("/?#:@", after.s[0]))
        return false;
    for (struct str rest = url; rest.len;) {
        uint32_t cp = utf8_next(&rest, NULL);
        bool control = cp <= 0x20 || (cp >= 0x7F && cp <= 0xA0);
        bool invisible = (cp >= 0x2000 && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202F) ||
                         (cp >= 0x2060 && cp <= 0x206F) || cp == 0x3000 ||
                         cp == 0xFEFF; /* spaces, joiners and direction marks can disguise a host */
        if (control || invisible || cp == '\\' || cp == '"' || cp == '<' || cp == '>' || cp == '`')
            return false;
    }
    return true;
}

static size_t span(struct str s, const char *of)
{
    size_t n = 0;
    while (n < s.len && s.s[n] && strchr(of, s.s[n]))
        n++;
    return n;
}

/* Cuts `begin` and a number off the front. False: `begin` without a number. */
static bool take_number(struct str *s, struct str begin)
{
    if (!str_starts(*s, begin))
        return true;
    struct str rest = {s->s + begin.len, s->len - begin.len};
    size_t n = span(rest, "0123456789");
    *s = str_from(rest, n);
    return n > 0;
}

bool url_link_inside(struct str url)
{
    const struct str session = STR("/s/" ID_SESSION), memory = STR("/memory");
    if (str_starts(url, memory)) {
        struct str rest = {url.s + memory.len, url.len - memory.len};
        return take_number(&rest, STR("?after=")) && take_number(&rest, STR("#memory-")) && rest.len == 0;
    }
    static const char *const whole[] = {"/tasks", "/reminders", "/settings"};
    if (STR_IN(url, whole))
        return true;
    if (!str_starts(url, session))
        return false;
    struct str rest = {url.s + session.len, url.len - session.len};
    if (span(rest, "0123456789abcdefghijklmnopqrstuvwxyz") != ID_BODY)
        return false;
    rest = str_from(rest, ID_BODY);
    return take_number(&rest, STR("?at=")) && take_number(&rest, STR("#m-")) && rest.len == 0;
}
