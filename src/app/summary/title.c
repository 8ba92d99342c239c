#include "app/summary/title.h"

#include <string.h>

#include "base/utf8.h"
#include "codec/words/sentence.h"

#define ELLIPSIS           "\xE2\x80\xA6"
#define FIRST_SENTENCE_MIN 10 /* bytes; "Hi." says nothing */

struct str title_excerpt(struct str question)
{
    question.len = utf8_cut_bytes(question, TITLE_EXCERPT_MAX);
    return question;
}

/* Joins white space and directional characters, and cuts at the end of the last word that fits. */
static void add_words(struct str s, struct strbuf *out)
{
    size_t chars = 0, word_end = 0;
    bool space = false, cut = false;
    for (struct str rest = s; rest.len;) {
        const char *at = rest.s;
        uint32_t c = utf8_next(&rest, NULL);
        if (c == ' ' || utf8_is_control(c)) {
            space = out->len > 0;
            continue;
        }
        if (space)
            word_end = out->len;
        chars += space ? 2 : 1;
        if (chars > TITLE_CHARS_MAX) {
            cut = true;
            break;
        }
        if (space)
            strbuf_addc(out, ' ');
        space = false;
        strbuf_add(out, at, (size_t)(rest.s - at));
    }
    if (!cut)
        return;
    if (word_end)
        strbuf_truncate(out, word_end);
    strbuf_adds(out, ELLIPSIS);
}

static struct str first_line(struct str s)
{
    struct str line = {0};
    while (s.s && str_trim(line).len == 0)
        line = str_cut(&s, '\n');
    return str_trim(line);
}

static struct str strip(struct str s, const char *front, const char *back)
{
    while (s.len && strchr(front, s.s[0])) {
        s.s++;
        s.len--;
    }
    while (s.len && strchr(back, s.s[s.len - 1]))
        s.len--;
    return s;
}

void title_clean(struct str answer, struct strbuf *out)
{
    add_words(strip(first_line(answer), "\"'`#*_> ", "\"'`*_. "), out);
}

void title_by_rule(struct str question, struct strbuf *out)
{
    struct str line = strip(first_line(question), "#*_>- ", " ");
    if (line.len == 0)
        line = first_line(question);
    size_t n = sentence_first(line, FIRST_SENTENCE_MIN);
    bool drops_sign = n < line.len && line.s[n - 1] != '?';
    add_words((struct str){line.s, n - drops_sign}, out);
}
