#include "codec/words/quoted_reply.h"

#include <stdbool.h>

#include "base/mem.h"

#define HEAD_LINES 3 /* lines after "From:" that are searched for another header of a mail */

static bool begins_with_one(struct str line, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_starts_nocase(line, str_of(list[i])))
            return true;
    return false;
}

static bool ends_with_one(struct str line, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct str end = str_of(list[i]);
        if (line.len >= end.len && str_eq_nocase((struct str){line.s + line.len - end.len, end.len}, end))
            return true;
    }
    return false;
}

static bool is_head(struct str line)
{
    static const char *const heads[] = {"from:", "to:", "cc:", "sent:", "date:", "subject:", "von:", "an:",
        "gesendet:", "datum:", "betreff:"};
    return begins_with_one(str_trim(line), heads, ARRAY_LEN(heads));
}

/* The head of a mail has "From:" and a similar line soon below. */
static bool is_mail_head(struct str line, struct str below)
{
    static const char *const from[] = {"from:", "von:"};
    if (!begins_with_one(line, from, ARRAY_LEN(from)))
        return false;
    for (int i = 0; i < HEAD_LINES && below.s; i++)
        if (is_head(str_cut(&below, '\n')))
            return true;
    return false;
}

/* "<div>", "</p>", "<!-- ... -->" */
static bool is_tag(struct str line)
{
    return line.len > 1 && line.s[0] == '<' &&
           (line.s[1] == '/' || line.s[1] == '!' || ((line.s[1] | 32) >= 'a' && (line.s[1] | 32) <= 'z'));
}

/* A row of a Markdown table, or of a sheet with tabs between cells. */
static bool is_table_row(struct str line)
{
    return line.len && (line.s[0] == '|' || memchr(line.s, '\t', line.len));
}

static bool begins_foreign(struct str line, struct str below)
{
    static const char *const openings[] = {">", "```", "~~~", "---", "___", "begin forwarded message",
        "forwarded message", "fwd:", "anfang der weitergeleiteten"};
    return begins_with_one(line, openings, ARRAY_LEN(openings)) || is_tag(line) || is_table_row(line) ||
           is_mail_head(line, below);
}

/* An introduction such as "On Monday, Eve wrote:". */
static bool announces(struct str line)
{
    static const char *const wrote[] = {" wrote:", " writes:", " schrieb:", " schreibt:", " a écrit :"};
    return ends_with_one(line, wrote, ARRAY_LEN(wrote)) ||
           (line.len && line.s[line.len - 1] == ':' &&
               memmem(line.s, line.len, " schrieb ", strlen(" schrieb ")));
}

struct str quoted_reply_own_words(struct str text)
{
    struct str rest = text;
    while (rest.s && rest.len) {
        size_t at = text.len - rest.len;
        struct str line = str_trim(str_cut(&rest, '\n'));
        if (begins_foreign(line, rest))
            return (struct str){text.s, at};
        if (announces(line) && rest.s) /* the user may have written this line, but not the next ones */
            return (struct str){text.s, text.len - rest.len};
    }
    return text;
}
