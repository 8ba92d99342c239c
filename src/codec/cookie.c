#include "codec/cookie.h"

/* RFC 6265, section 4.1.1: visible ASCII without quote, comma, semicolon and backslash. */
static bool is_octet(char c)
{
    return c > 0x20 && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\';
}

static bool is_value(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_octet(s.s[i]))
            return false;
    return true;
}

/* RFC 9110, section 5.6.2. */
static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.s[i] <= 0x20 || s.s[i] >= 0x7F || strchr("()<>@,;:\\\"/[]?={}", s.s[i]))
            return false;
    return s.len > 0;
}

static struct str trim_blanks(struct str s)
{
    while (s.len && (s.s[0] == ' ' || s.s[0] == '\t'))
        s = str_from(s, 1);
    while (s.len && (s.s[s.len - 1] == ' ' || s.s[s.len - 1] == '\t'))
        s.len--;
    return s;
}

enum rc cookie_get(struct str header, const char *name, struct str *out, struct err *e)
{
    struct str found = {0};
    while (header.len) {
        struct str value = str_cut(&header, ';');
        struct str key = str_cut(&value, '=');
        if (!str_is(trim_blanks(key), name))
            continue;
        if (found.s)
            return err_set(e, RC_BAD_INPUT, "cookie %s comes twice", name);
        if (!value.s) /* not a cookie pair without '=' */
            return err_set(e, RC_BAD_INPUT, "cookie %s has no value", name);
        found = trim_blanks(value);
    }
    if (!found.s)
        return err_set(e, RC_NOT_FOUND, "no cookie %s", name);
    if (!is_value(found))
        return err_set(e, RC_BAD_INPUT, "cookie %s is malformed", name);
    *out = found;
    return RC_OK;
}

enum rc cookie_set_host(
    struct strbuf *out, const char *name, struct str value, int64_t max_age_s, struct err *e)
{
    struct str key = str_of(name);
    if (!str_starts(key, STR("__Host-")) || !is_token(key) || !is_value(value))
        return err_set(e, RC_INTERNAL, "cookie %s cannot be set", name);
    strbuf_addstr(out, key);
    strbuf_addc(out, '=');
    strbuf_addstr(out, value);
    strbuf_adds(out, "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=");
    strbuf_addint(out, max_age_s > 0 ? max_age_s : 0);
    return RC_OK;
}
