#include "codec/words/search_query.h"

#include <strings.h>

#include "base/utf8.h"

static const struct name {
    const char *name;
    enum query_op op;
} names[] = {
    {"tag", QUERY_TAG},
    {"workspace", QUERY_WORKSPACE},
    {"channel", QUERY_CHANNEL},
    {"role", QUERY_ROLE},
    {"model", QUERY_MODEL},
    {"before", QUERY_BEFORE},
    {"after", QUERY_AFTER},
    {"is", QUERY_IS},
    {"schlagwort", QUERY_TAG},
    {"arbeitsbereich", QUERY_WORKSPACE},
    {"kanal", QUERY_CHANNEL},
    {"rolle", QUERY_ROLE},
    {"modell", QUERY_MODEL},
    {"vor", QUERY_BEFORE},
    {"nach", QUERY_AFTER},
    {"ist", QUERY_IS},
};

const char *query_op_name(enum query_op op)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].op == op)
            return names[i].name;
    return NULL;
}

/* The bytes of a quotation mark at the beginning; 0: none. */
static size_t quote_at(struct str s)
{
    static const char *const marks[] = {"\"", "\u201C", "\u201D", "\u201E", "\u00AB", "\u00BB"};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        size_t n = strlen(marks[i]);
        if (s.len >= n && memcmp(s.s, marks[i], n) == 0)
            return n;
    }
    return 0;
}

/* Reads a text in quotation marks. False: there is none, it is empty, or it has no end. */
static bool read_quoted(struct str *rest, struct str *out)
{
    size_t begin = quote_at(*rest), end = begin;
    if (!begin)
        return false;
    while (end < rest->len && !quote_at(str_from(*rest, end)))
        end++;
    if (end == rest->len)
        return false;
    *out = str_trim((struct str){rest->s + begin, end - begin});
    if (out->len == 0)
        return false;
    *rest = str_from(*rest, end + quote_at(str_from(*rest, end)));
    return true;
}

/* Reads a value in straight quotation marks, in which its own ones are doubled. False: as read_quoted(). */
static bool read_doubled(struct str *rest, struct query_part *p)
{
    size_t end = 1;
    if (rest->len == 0 || rest->s[0] != '"')
        return false;
    while (end < rest->len && (rest->s[end] != '"' || str_starts(str_from(*rest, end), STR("\"\"")))) {
        bool pair = rest->s[end] == '"';
        p->doubled = p->doubled || pair;
        end += pair ? 2 : 1;
    }
    if (end >= rest->len)
        return false;
    p->value = str_trim((struct str){rest->s + 1, end - 1});
    if (p->value.len == 0)
        return false;
    *rest = str_from(*rest, end + 1);
    return true;
}

static struct str read_word(struct str *rest)
{
    size_t n = 0;
    while (n < rest->len && !str_is_space(rest->s[n]))
        n++;
    struct str word = {rest->s, n};
    *rest = str_from(*rest, n);
    return word;
}

/* Reads "name:". */
static bool read_name(struct str *rest, enum query_op *op)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        size_t n = strlen(names[i].name);
        if (rest->len > n && rest->s[n] == ':' && strncasecmp(rest->s, names[i].name, n) == 0) {
            *op = names[i].op;
            *rest = str_from(*rest, n + 1);
            return true;
        }
    }
    return false;
}

static bool read_operator(struct str *rest, struct query_part *p)
{
    struct str r = *rest;
    if (!read_name(&r, &p->op))
        return false;
    if (!read_doubled(&r, p)) {
        p->doubled = false;
        if (!read_quoted(&r, &p->value))
            p->value = read_word(&r);
    }
    if (p->value.len == 0)
        return false;
    *rest = r;
    return true;
}

/* A word may end in quotation marks and signs; only a "*" has a meaning. */
static void read_plain(struct str *rest, struct query_part *p)
{
    p->op = QUERY_WORD;
    p->value = read_word(rest);
    size_t n = p->value.len;
    if (n && p->value.s[n - 1] == '*' && utf8_count((struct str){p->value.s, n - 1}) >= QUERY_BEGINNING_MIN) {
        p->op = QUERY_BEGINNING;
        p->value.len--;
    }
}

static void read_part(struct str *rest, struct query_part *p)
{
    const char *begin = rest->s;
    struct str r = *rest;
    *p = (struct query_part){.op = QUERY_PHRASE};
    p->negated = r.len > 1 && r.s[0] == '-' && !str_is_space(r.s[1]);
    if (p->negated)
        r = str_from(r, 1);
    if (!read_quoted(&r, &p->value) && !read_operator(&r, p))
        read_plain(&r, p);
    p->source = (struct str){begin, (size_t)(r.s - begin)};
    *rest = r;
}

void query_parse(struct str text, struct query_parts *out)
{
    out->n = 0;
    for (text = str_trim(text); text.len; text = str_trim(text)) {
        struct query_part *p = &out->part[out->n++];
        if (out->n == QUERY_PARTS_MAX) {
            *p = (struct query_part){.op = QUERY_WORD, .value = text, .source = text};
            return;
        }
        read_part(&text, p);
    }
}

const char *query_value(struct arena *a, const struct query_part *p)
{
    char *value = arena_strndup(a, p->value.s, p->value.len);
    size_t n = 0;
    if (!p->doubled)
        return value;
    for (size_t i = 0; i < p->value.len; i++) {
        value[n++] = p->value.s[i];
        i += p->value.s[i] == '"'; /* the second one of a pair */
    }
    value[n] = '\0';
    return value;
}

const char *query_quoted(struct arena *a, struct str value)
{
    char *out = arena_alloc(a, 2 * value.len + sizeof "\"\"");
    size_t n = 0;
    out[n++] = '"';
    for (size_t i = 0; i < value.len; i++) {
        if (value.s[i] == '"')
            out[n++] = '"';
        out[n++] = value.s[i];
    }
    out[n++] = '"';
    out[n] = '\0';
    return out;
}

struct str query_without(struct arena *a, struct str text, const struct query_part *part)
{
    size_t at = (size_t)(part->source.s - text.s);
    struct str before = str_trim((struct str){text.s, at}),
               after = str_trim(str_from(text, at + part->source.len));
    const char *joined =
        arena_printf(a, "%.*s%s%.*s", STR_FMT(before), before.len && after.len ? " " : "", STR_FMT(after));
    return str_of(joined);
}
