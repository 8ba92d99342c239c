#include "llm/offline/offline_words.h"

#include <time.h>

#include "base/clock.h"
#include "base/humanize.h"
#include "base/time_zone.h"
#include "base/utf8.h"
#include "codec/markdown/markdown.h"
#include "codec/view.h"
#include "codec/words/quoted_reply.h"
#include "llm/internal.h"

static struct str without(struct str s, const char *begin)
{
    size_t n = strlen(begin);
    return str_starts_nocase(s, str_of(begin)) ? str_from(s, n) : s;
}

struct str offline_bare(struct str s)
{
    static const char *const openings[] = {"hey ", "hi ", "ok ", "alfred, ", "alfred ", "please ", "can you ",
        "could you ", "please ", "bitte ", "kannst du ", "könntest du ", "bitte "};
    static const char *const closings[] = {" please", " bitte"};
    s = str_trim(quoted_reply_own_words(s));
    for (size_t i = 0; i < ARRAY_LEN(openings); i++)
        s = str_trim(without(s, openings[i]));
    while (s.len && strchr(".!?", s.s[s.len - 1]))
        s.len--;
    for (size_t i = 0; i < ARRAY_LEN(closings); i++)
        offline_ends(s, closings[i], &s);
    return str_trim(s);
}

bool offline_begins(struct str s, const char *with, struct str *rest)
{
    if (!str_starts_nocase(s, str_of(with)))
        return false;
    *rest = str_trim(without(s, with));
    return true;
}

bool offline_ends(struct str s, const char *with, struct str *rest)
{
    size_t n = strlen(with);
    if (s.len < n || !str_eq_nocase((struct str){s.s + s.len - n, n}, str_of(with)))
        return false;
    *rest = str_trim((struct str){s.s, s.len - n});
    return true;
}

bool offline_offers(const struct llm_request *r, const char *tool)
{
    for (size_t i = 0; i < r->tools_n; i++)
        if (strcmp(r->tools[i].name, tool) == 0)
            return true;
    return false;
}

const char *offline_result_tool(const struct llm_request *r)
{
    const struct llm_message *last = &r->messages[r->messages_n - 1];
    const char *id = last->role == LLM_TOOL ? last->call_id : NULL;
    for (size_t i = r->messages_n; id && i-- > 0;)
        for (size_t k = 0; k < r->messages[i].calls_n; k++)
            if (strcmp(r->messages[i].calls[k].id, id) == 0)
                return r->messages[i].calls[k].name;
    return "";
}

size_t offline_results_count(const struct llm_request *r)
{
    size_t n = 0;
    for (size_t i = r->messages_n; i-- > 0 && r->messages[i].role != LLM_USER;)
        n += r->messages[i].role == LLM_TOOL;
    return n;
}

const struct llm_message *offline_question(const struct llm_request *r)
{
    for (size_t i = r->messages_n; i-- > 0;)
        if (r->messages[i].role == LLM_USER)
            return &r->messages[i];
    return NULL;
}

struct str offline_asked(const struct llm_request *r)
{
    const struct llm_message *m = offline_question(r);
    return m ? str_from(m->text, m->earlier) : STR("");
}

const char *offline_last_tool(const struct llm_request *r)
{
    for (size_t i = r->messages_n; i-- > 0;)
        if (r->messages[i].calls_n)
            return r->messages[i].calls[r->messages[i].calls_n - 1].name;
    return "";
}

json_t *offline_result_json(const struct llm_request *r)
{
    struct str text = r->messages[r->messages_n - 1].text;
    return json_loadb(text.s ? text.s : "", text.len, 0, NULL);
}

void offline_call(struct offline_step *out, const char *tool, const char *key, struct str value)
{
    value.len = utf8_cut_chars(value, OFFLINE_SUBJECT_CHARS_MAX);
    *out->tool = tool;
    strbuf_clear(out->args);
    strbuf_addf(out->args, "{\"%s\":", key);
    json_add_string(out->args, value);
    strbuf_addc(out->args, '}');
}

bool offline_waits(const json_t *result)
{
    return llm_json_str(result, "status").len > 0;
}

void offline_say(struct offline_step *out, const char *key)
{
    strbuf_adds(out->answer, lang_text(out->lang, key));
}

void offline_say_with(struct offline_step *out, const char *key, const char *name, struct str value)
{
    AUTO_STRBUF text;
    strbuf_init(&text, out->answer->cap);
    markdown_add_text(&text, value);
    lang_add(out->answer, out->lang, key, LANG_ARGS({name, text.s}));
}

const char *offline_day_words(const struct offline_step *out, struct arena *a, struct str date)
{
    struct tm day = {0}, today = time_zone_local(out->zone, out->now);
    const char *text = arena_strndup(a, date.s, date.len), *rest = strptime(text, "%Y-%m-%d", &day);
    if (!rest)
        return text;
    if (strptime(rest, "T%H:%M:%SZ", &day))
        day = time_zone_local(out->zone, timegm(&day) * MS_PER_S);
    return humanize_day(a, out->lang, &day, day.tm_year == today.tm_year ? WITHOUT_YEAR : WITH_YEAR);
}

void offline_say_failed(struct offline_step *out, struct str problem)
{
    offline_say_with(out, "offline.failed", "reason", problem);
}

void offline_quote(struct offline_step *out, struct str text)
{
    strbuf_adds(out->answer, "\n\n> ");
    markdown_add_text(out->answer, text);
    strbuf_addc(out->answer, '\n');
}
