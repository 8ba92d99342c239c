#include "codec/words/sentence.h"

#include "base/mem.h"
#include "codec/words/tokenizer.h"

static const char *const abbreviated[] = {
    "dr", "st", "mr", "mrs", "ms", "prof", "nr", "geb", "jr", "sr", "ca", "bzw", "str"};

static bool is_abbreviated(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(abbreviated); i++)
        if (strcmp(abbreviated[i], word) == 0)
            return true;
    return false;
}

static bool is_letter_at(struct str s)
{
    return s.len && ((unsigned char)s.s[0] >= 0x80 || ((s.s[0] | 32) >= 'a' && (s.s[0] | 32) <= 'z'));
}

static bool is_double_mark(uint32_t c)
{
    return c == '"' || c == 0x201C || c == 0x201D || c == 0x201E || c == 0xAB || c == 0xBB;
}

bool quotation_step(struct quotation *q, uint32_t c, bool after_blank, struct str next)
{
    if (is_double_mark(c)) {
        q->open = q->single || !q->open;
        q->single = false;
        return true;
    }
    if ((c == '\'' || c == 0x2018) && !q->open && after_blank && is_letter_at(next)) {
        q->open = q->single = true;
        return true;
    }
    if ((c == '\'' || c == 0x2019) && q->open && q->single && !is_letter_at(next)) {
        q->open = q->single = false;
        return true;
    }
    return false;
}

/* "Dr. Weiss", "am 3. Mai" */
static bool shortens(struct str before)
{
    size_t from = before.len;
    while (from > 0 && before.s[from - 1] != ' ')
        from--;
    struct str word = {before.s + from, before.len - from}, rest = word;
    struct term t;
    int64_t day;
    return word.len && (str_to_int(word, 0, 31, &day) || (term_next(&rest, &t) && is_abbreviated(t.word)));
}

bool sentence_ends(struct str before, uint32_t c, struct str next)
{
    bool ends_word = next.len == 0 || next.s[0] == ' ' || next.s[0] == '\t' || next.s[0] == '\n';
    return ends_word && (c == '!' || c == '?' || (c == '.' && !shortens(before)));
}

size_t sentence_first(struct str s, size_t least)
{
    for (size_t i = least; i + 1 < s.len; i++)
        if (sentence_ends((struct str){s.s, i}, (unsigned char)s.s[i], str_from(s, i + 1)))
            return i + 1;
    return s.len;
}
