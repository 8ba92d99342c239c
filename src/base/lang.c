#include "base/lang.h"

#include "base/lang_piece.h"
#include "base/lang_plural.h"

/* No pointers: a table with pointers is copied into every process when the loader relocates it. */
struct lang {
    char code[16], name[48], locale[16], thousands[8], decimal[8];
    int plural; /* in plural_families */
};

/* KEYS, LANGUAGES, ENGLISH; key_names and key_at, sorted; key_slots, hashed by str_hash(); texts and text_at;
 * languages. */
#include "lang.inc"

/* A text with plural forms begins with this. A byte for the form and its text follow for each, then a NUL. */
#define FORMS '\1'

#define SHORT 256 /* bytes of nearly every text */

const struct lang *lang_english(void)
{
    return &languages[ENGLISH];
}

const struct lang *lang_at(size_t i)
{
    return i < LANGUAGES ? &languages[i] : NULL;
}

size_t lang_index(const struct lang *l)
{
    return (size_t)(l - languages);
}

const struct lang *lang_find(struct str code)
{
    for (size_t i = 0; i < LANGUAGES; i++)
        if (str_eq_nocase(code, str_of(languages[i].code)))
            return &languages[i];
    return NULL;
}

/* "pt-BR" fits itself, then "pt". */
static const struct lang *range_find(struct str range)
{
    for (;;) {
        const struct lang *l = lang_find(range);
        if (l)
            return l;
        while (range.len && range.s[range.len - 1] != '-')
            range.len--;
        if (!range.len)
            return NULL;
        range.len--;
    }
}

/* A weight in thousandths: "q=0.8" is 800. 1000 when it is absent or malformed. */
static int weight(struct str params)
{
    while (params.s) {
        struct str p = str_trim(str_cut(&params, ';'));
        if (!str_starts_nocase(p, STR("q=")) || p.len < 3)
            continue;
        int q = 0;
        for (size_t i = 2, digits = 0; digits < 4; i++) {
            if (i < p.len && p.s[i] == '.')
                continue;
            q = q * 10 + (i < p.len && p.s[i] >= '0' && p.s[i] <= '9' ? p.s[i] - '0' : 0);
            digits++;
        }
        return q;
    }
    return 1000;
}

const struct lang *lang_accepted(const char *header)
{
    const struct lang *best = NULL;
    int most = 0;
    struct str rest = str_of(header);
    while (rest.s) {
        struct str params = str_cut(&rest, ','), range = str_trim(str_cut(&params, ';'));
        int q = weight(params);
        const struct lang *l = str_is(range, "*") ? lang_english() : range_find(range);
        if (l && q > most) {
            best = l;
            most = q;
        }
    }
    return best ? best : lang_english();
}

const char *lang_code(const struct lang *l)
{
    return l->code;
}

const char *lang_name(const struct lang *l)
{
    return l->name;
}

const char *lang_decimal(const struct lang *l)
{
    return l->decimal;
}

/* With its plural forms. NULL: unknown. */
static const char *entry(const struct lang *l, struct str key)
{
    for (size_t at = str_hash(key, 0) & (KEY_SLOTS - 1); key_slots[at]; at = (at + 1) & (KEY_SLOTS - 1)) {
        size_t i = key_slots[at] - 1u;
        if (str_is(key, key_names + key_at[i]))
            return texts + text_at[lang_index(l)][i];
    }
    return NULL;
}

/* The form; the last one, which is the most general, when the text lacks it. */
static const char *form_of(const char *text, enum plural form)
{
    if (!text || *text != FORMS)
        return text;
    const char *found = NULL;
    for (const char *at = text + 1; *at; at += strlen(at) + 1) {
        found = at + 1;
        if (*at == (char)('0' + form))
            break;
    }
    return found;
}

const char *lang_lookup(const struct lang *l, struct str key)
{
    return form_of(entry(l, key), PLURAL_OTHER);
}

const char *lang_text(const struct lang *l, const char *key)
{
    const char *text = lang_lookup(l, str_of(key));
    return text ? text : key;
}

static const char *arg_find(const struct lang_arg *args, struct str name)
{
    for (; args && args->name; args++)
        if (str_is(name, args->name))
            return args->text ? args->text : "";
    return NULL;
}

/* `n` NULL: no number. */
static void fill(
    struct strbuf *out, const struct lang *l, const char *text, const int64_t *n, const struct lang_arg *args)
{
    struct str rest = str_of(text);
    for (struct lang_piece p; (p = lang_piece_next(&rest)).kind != LANG_END;) {
        const char *arg = p.kind == LANG_PLACE ? arg_find(args, p.text) : NULL;
        if (arg)
            strbuf_adds(out, arg);
        else if (p.kind == LANG_PLACE && n && str_is(p.text, "n"))
            lang_add_number(out, l, *n);
        else if (p.kind == LANG_PLACE)
            strbuf_addf(out, "{%.*s}", STR_FMT(p.text));
        else
            strbuf_addstr(out, p.text); /* empty for an element */
    }
}

void lang_add(struct strbuf *out, const struct lang *l, const char *key, const struct lang_arg *args)
{
    fill(out, l, lang_text(l, key), NULL, args);
}

void lang_add_count(
    struct strbuf *out, const struct lang *l, const char *key, int64_t n, const struct lang_arg *args)
{
    uint64_t amount = n < 0 ? -(uint64_t)n : (uint64_t)n;
    const char *text = form_of(entry(l, str_of(key)), plural_families[l->plural].form(amount));
    fill(out, l, text ? text : key, &n, args);
}

static const char *in_arena(struct arena *a, const struct strbuf *b)
{
    return arena_strndup(a, b->s, b->len);
}

const char *lang_fill(struct arena *a, const struct lang *l, const char *key, const struct lang_arg *args)
{
    char space[SHORT];
    AUTO_STRBUF out;
    strbuf_init_at(&out, LANG_TEXT_MAX, space, sizeof space);
    lang_add(&out, l, key, args);
    return in_arena(a, &out);
}

const char *lang_count(
    struct arena *a, const struct lang *l, const char *key, int64_t n, const struct lang_arg *args)
{
    char space[SHORT];
    AUTO_STRBUF out;
    strbuf_init_at(&out, LANG_TEXT_MAX, space, sizeof space);
    lang_add_count(&out, l, key, n, args);
    return in_arena(a, &out);
}

void lang_add_number(struct strbuf *out, const struct lang *l, int64_t n)
{
    char digits[24], *end = digits + sizeof digits, *at = end;
    uint64_t amount = n < 0 ? -(uint64_t)n : (uint64_t)n;
    do
        *--at = (char)('0' + amount % 10);
    while (amount /= 10);
    if (n < 0)
        strbuf_addc(out, '-');
    size_t first = (size_t)(end - at - 1) % 3 + 1;
    strbuf_add(out, at, first);
    for (at += first; at < end; at += 3) {
        strbuf_adds(out, l->thousands);
        strbuf_add(out, at, 3);
    }
}
