#include "llm/offline/offline_search.h"

#include "base/utf8.h"
#include "codec/markdown/markdown.h"
#include "codec/words/tokenizer.h"
#include "llm/internal.h"

#define QUERY_CHARS_MAX 500 /* the tool's limit */
#define SESSIONS_SHOWN  3
#define QUOTES_SHOWN    2 /* per session */
#define QUOTES_HERE     3
#define QUOTE_BYTES     280
#define DAY_BYTES       100 /* of a day in words */

bool offline_is_question(const char *words, struct str text)
{
    static const char *const openings[] = {" what ", " whats ", " when ", " where ", " who ", " whom ",
        " whose ", " which ", " how ", " why ", " did ", " do you remember ", " do you know ", " have i ",
        " find ", " search ", " look for ", " remind me ", " tell me what ", " was ", " wann ", " wo ",
        " wer ", " wie ", " warum ", " welche "};
    /* how to connect a model is answered without a search */
    if (strstr(words, " connect ") && (strstr(words, " model ") || strstr(words, " provider ")))
        return false;
    return memchr(text.s, '?', text.len) != NULL || STR_STARTS_IN(str_of(words), openings);
}

void offline_search_args(struct strbuf *out, struct str question)
{
    question.len = utf8_cut_chars(question, QUERY_CHARS_MAX);
    strbuf_addc(out, '{');
    llm_add_member(out, "query", question);
    strbuf_addc(out, '}');
}

static void add_plain(struct strbuf *out, struct str s, size_t bytes)
{
    bool cut = s.len > bytes;
    s.len = utf8_cut_bytes(s, bytes);
    markdown_add_text(out, s);
    if (cut)
        strbuf_adds(out, "…");
}

static void add_quote(struct offline_step *to, const json_t *m, const char *indent, struct str text)
{
    struct strbuf *out = to->answer;
    struct str role = llm_json_str(m, "role"), date = llm_json_str(m, "date"), url = llm_json_str(m, "url");
    AUTO(arena) a = arena_new();
    strbuf_addf(out, "%s- ", indent);
    offline_say(to, str_is(role, "user") ? "offline.by_you" : "offline.by_answer");
    strbuf_adds(out, ", [");
    add_plain(out, str_of(offline_day_words(to, a, date)), DAY_BYTES);
    strbuf_adds(out, "](");
    strbuf_addstr(out, url);
    strbuf_adds(out, "): “");
    add_plain(out, text, QUOTE_BYTES);
    strbuf_adds(out, "”\n");
}

/* True for addresses of Alfred; others are not linked. */
static bool is_ours(const json_t *o)
{
    struct str url = llm_json_str(o, "url");
    return str_starts(url, STR("/s/ses_")) && url.len == strcspn(url.s, " ()<>\\\"\n");
}

static bool add_session(struct offline_step *to, const json_t *s)
{
    struct strbuf *out = to->answer;
    const json_t *list = json_object_get(s, "messages");
    size_t i, n = 0;
    json_t *m;
    if (!is_ours(s))
        return false;
    json_array_foreach(list, i, m)
    {
        if (n == QUOTES_SHOWN || !is_ours(m))
            continue;
        if (n++ == 0) {
            strbuf_adds(out, "- [");
            add_plain(out, llm_json_str(s, "title"), QUOTE_BYTES);
            strbuf_adds(out, "](");
            strbuf_addstr(out, llm_json_str(s, "url"));
            strbuf_adds(out, ")\n");
        }
        add_quote(to, m, "  ", llm_json_str(m, "text"));
    }
    return n > 0;
}

bool offline_add_found(struct offline_step *to, const json_t *result)
{
    struct strbuf *out = to->answer;
    const json_t *sessions = json_object_get(result, "sessions");
    json_t *s;
    size_t i, n = 0, before = out->len;
    offline_say(to, "offline.found");
    strbuf_adds(out, "\n\n");
    json_array_foreach(sessions, i, s)
    {
        if (n < SESSIONS_SHOWN)
            n += add_session(to, s);
    }
    if (n == 0)
        strbuf_truncate(out, before);
    return n > 0;
}

bool offline_call_search_here(struct offline_step *out, struct str question)
{
    AUTO(arena) a = arena_new();
    struct bag words = bag_of(a, question);
    struct str longest = STR("");
    for (size_t i = 0; i < words.n; i++)
        if (strlen(words.words[i].word) > longest.len)
            longest = str_of(words.words[i].word);
    if (!longest.len)
        return false;
    strbuf_clear(out->answer);
    offline_call(out, OFFLINE_SEARCH_HERE_TOOL, "query", longest);
    return true;
}

bool offline_add_found_here(struct offline_step *to, const json_t *result)
{
    json_t *m;
    size_t i, n = 0, before = to->answer->len;
    offline_say(to, "offline.found_here");
    strbuf_adds(to->answer, "\n\n");
    json_array_foreach(json_object_get(result, "matches"), i, m)
    {
        struct str excerpt = llm_json_str(m, "excerpt");
        bool question = memchr(excerpt.s, '?', excerpt.len) != NULL;
        if (n == QUOTES_HERE || question || !is_ours(m))
            continue;
        n++;
        add_quote(to, m, "", excerpt);
    }
    if (n == 0)
        strbuf_truncate(to->answer, before);
    return n > 0;
}
