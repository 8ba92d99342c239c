/*
 * Byte slices and the few string helpers that libc lacks. A `struct str` owns nothing and need not end in
 * NUL.
 */
#ifndef ALFRED_BASE_STR_H
#define ALFRED_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *s;
    size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_FMT(x)   (int)(x).len, (x).s /* for "%.*s" */

static inline struct str str_of(const char *s)
{
    return (struct str){s, s ? strlen(s) : 0};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.s, b.s, a.len) == 0);
}

static inline bool str_is(struct str a, const char *b)
{
    return str_eq(a, str_of(b));
}

/* ASCII case-insensitive, for header and scheme names. */
bool str_eq_nocase(struct str a, struct str b);

/* STR_IN(s, array): `s` is one of the strings of the array. STR_IN_NOCASE: ignoring ASCII case. */
bool str_in_list(struct str s, const char *const *list, size_t n);
bool str_in_list_nocase(struct str s, const char *const *list, size_t n);
#define STR_IN(s, array)        str_in_list(s, array, sizeof(array) / sizeof *(array))
#define STR_IN_NOCASE(s, array) str_in_list_nocase(s, array, sizeof(array) / sizeof *(array))

/* For qsort() of an array of const char *. */
int str_order(const void *a, const void *b);

/* The part after the first `n` bytes. `n` is at most s.len. */
static inline struct str str_from(struct str s, size_t n)
{
    return (struct str){s.s + n, s.len - n};
}

/* STR_STARTS_IN(s, array): `s` starts with one of the strings of the array. */
bool str_starts_in_list(struct str s, const char *const *list, size_t n);
#define STR_STARTS_IN(s, array) str_starts_in_list(s, array, sizeof(array) / sizeof *(array))

/* White space of JSON and Markdown. */
static inline bool str_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool str_starts(struct str s, struct str prefix);
bool str_starts_nocase(struct str s, struct str prefix);
struct str str_trim(struct str s); /* ASCII white space on both ends */

/* Cuts `*rest` at the first `sep` and returns the part before it. `*rest` becomes the part after it (s =
 * NULL at the end). */
struct str str_cut(struct str *rest, char sep);

size_t str_count(struct str s, char c); /* how often `s` has this byte */

/* Parses a whole string as a decimal number within [min, max], without sign unless `min` < 0. False
 * otherwise; `*out` is then unchanged. */
bool str_to_int(struct str s, int64_t min, int64_t max, int64_t *out);

/* The number of edits (Levenshtein) between two short texts. SIZE_MAX: one has more than STR_DISTANCE_MAX
 * bytes. */
#define STR_DISTANCE_MAX 64
size_t str_distance(struct str a, struct str b);

/* FNV-1a, 64 bits: for tables and for comparing, not against an attacker. `seed` 0: the usual start. */
uint64_t str_hash(struct str s, uint64_t seed);
/* The hash of two strings in a row: `hash` is that of the first. */
uint64_t str_hash_more(uint64_t hash, struct str s);

#endif
