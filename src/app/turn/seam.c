#include "app/turn/seam.h"

#include <string.h>

#include "base/utf8.h"

/* Bytes of the shortest repetition. Fewer equal bytes are a coincidence. */
#define WORD_LEAST     2  /* when it begins at a word */
#define REPEATED_LEAST 4  /* when it begins inside of a word */
#define ECHO_LEAST     24 /* when the model was not asked to repeat anything */
/* A repetition of less than the whole text begins at most so many bytes before its end. */
#define SEEN_BACK ((size_t)400)

static struct str without_blanks_at_end(struct str s)
{
    while (s.len && str_is_space(s.s[s.len - 1]))
        s.len--;
    return s;
}

static size_t blanks_at_start(struct str s)
{
    size_t n = 0;
    while (n < s.len && str_is_space(s.s[n]))
        n++;
    return n;
}

struct str seam_last_words(struct str old)
{
    struct str s = without_blanks_at_end(old);
    size_t from = s.len > SEAM_WORDS_BYTES ? s.len - SEAM_WORDS_BYTES : 0;
    for (size_t i = s.len; i > from; i--)
        if (s.s[i - 1] == '\n') {
            from = i;
            break;
        }
    if (from && s.s[from - 1] != '\n') { /* to the next word, or to the next character */
        size_t word = from;
        while (word < s.len && !str_is_space(s.s[word]))
            word++;
        if (word < s.len)
            from = word;
        while (from < s.len && ((unsigned char)s.s[from] & 0xC0) == 0x80)
            from++;
    }
    return str_trim(str_from(s, from));
}

/* Letters and digits of scripts that write blanks between words. */
static bool is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= 0xC0 && c < 0xE00 && c != 0xD7 && c != 0xF7);
}

static uint32_t last_character(struct str s)
{
    size_t at = s.len;
    while (at && ((unsigned char)s.s[--at] & 0xC0) == 0x80)
        ;
    struct str rest = {s.s + at, s.len - at};
    return rest.len ? utf8_next(&rest, NULL) : 0;
}

static uint32_t first_character(struct str s)
{
    return s.len ? utf8_next(&s, NULL) : 0;
}

/* True when a word begins `n` bytes before the end. */
static bool begins_word(struct str s, size_t n)
{
    return n == s.len || str_is_space(s.s[s.len - n - 1]);
}

/* The longest repetition of the end of `old` at the beginning of `fresh`. `open`: a longer one is possible
 * when more text comes. */
static size_t repetition(struct str old, struct str fresh, bool asked, bool *open)
{
    size_t back = old.len < SEEN_BACK ? old.len : SEEN_BACK;
    size_t longest = 0;
    *open = fresh.len < old.len && memcmp(old.s, fresh.s, fresh.len) == 0; /* all of it from its beginning */
    if (old.len && fresh.len >= old.len && memcmp(old.s, fresh.s, old.len) == 0)
        return old.len;
    for (size_t n = back; n; n--) {
        size_t known = n < fresh.len ? n : fresh.len;
        if (memcmp(old.s + old.len - n, fresh.s, known) != 0)
            continue;
        if (known < n)
            *open = true;
        else if (!longest &&
                 (asked ? n >= REPEATED_LEAST || (n >= WORD_LEAST && begins_word(old, n)) : n >= ECHO_LEAST))
            longest = n;
    }
    return longest;
}

struct seam seam_find(struct str old, struct str fresh, bool repeats, bool over)
{
    struct str end = without_blanks_at_end(old);
    size_t blanks = old.len - end.len, before = repeats ? blanks_at_start(fresh) : 0;
    struct str text = {fresh.s + before, fresh.len - before};
    bool open = false;
    struct seam s = {0};
    size_t said = repetition(end, text, repeats, &open);
    if (!over && (text.len == 0 || open))
        return s;
    if (said) {
        struct str rest = {text.s + said, text.len - said};
        size_t doubled = blanks_at_start(rest);
        if (!over && blanks && doubled == rest.len)
            return s; /* blanks may follow that the old text has */
        s.skip = before + said + (doubled < blanks ? doubled : blanks);
    } else if (blanks) {
        size_t doubled = blanks_at_start(fresh);
        if (!over && doubled == fresh.len)
            return s;
        s.skip = doubled < blanks ? doubled : blanks;
    } else {
        s.needs_blank =
            repeats && before == 0 && is_word(last_character(old)) && is_word(first_character(fresh));
    }
    s.known = true;
    return s;
}
