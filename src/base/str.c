#include "base/str.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool str_eq_nocase(struct str a, struct str b)
{
    return a.len == b.len && str_starts_nocase(a, b);
}

bool str_in_list(struct str s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(s, list[i]))
            return true;
    return false;
}

int str_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool str_in_list_nocase(struct str s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(s, str_of(list[i])))
            return true;
    return false;
}

bool str_starts_in_list(struct str s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_starts(s, str_of(list[i])))
            return true;
    return false;
}

bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.s, prefix.s, prefix.len) == 0);
}

bool str_starts_nocase(struct str s, struct str prefix)
{
    if (s.len < prefix.len)
        return false;
    for (size_t i = 0; i < prefix.len; i++)
        if (lower(s.s[i]) != lower(prefix.s[i]))
            return false;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
    while (s.len && is_space(s.s[0])) {
        s.s++;
        s.len--;
    }
    while (s.len && is_space(s.s[s.len - 1]))
        s.len--;
    return s;
}

struct str str_cut(struct str *rest, char sep)
{
    struct str head = *rest;
    const char *at = rest->len ? memchr(rest->s, sep, rest->len) : NULL;
    if (!at) {
        *rest = (struct str){0};
        return head;
    }
    head.len = (size_t)(at - head.s);
    *rest = (struct str){at + 1, rest->len - head.len - 1};
    return head;
}

size_t str_count(struct str s, char c)
{
    size_t n = 0;
    for (const char *at = s.s, *end = s.s + s.len; at < end && (at = memchr(at, c, (size_t)(end - at))); at++)
        n++;
    return n;
}

bool str_to_int(struct str s, int64_t min, int64_t max, int64_t *out)
{
    bool negative = min < 0 && s.len && s.s[0] == '-';
    if (negative) {
        s.s++;
        s.len--;
    }
    if (s.len == 0)
        return false;
    int64_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.s[i] < '0' || s.s[i] > '9')
            return false;
        int digit = s.s[i] - '0';
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, digit, &v))
            return false; /* counts downwards, so that INT64_MIN fits */
    }
    if (!negative && __builtin_sub_overflow(0, v, &v))
        return false;
    if (v < min || v > max)
        return false;
    *out = v;
    return true;
}

uint64_t str_hash_more(uint64_t hash, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (unsigned char)s.s[i]) * 1099511628211u;
    return hash;
}

uint64_t str_hash(struct str s, uint64_t seed)
{
    return str_hash_more(14695981039346656037u ^ seed, s);
}

/* One row of the matrix at a time. */
size_t str_distance(struct str a, struct str b)
{
    size_t row[STR_DISTANCE_MAX + 1];
    if (a.len > STR_DISTANCE_MAX || b.len > STR_DISTANCE_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t above = row[j], best = diagonal + (a.s[i - 1] != b.s[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = above;
        }
    }
    return row[b.len];
}
