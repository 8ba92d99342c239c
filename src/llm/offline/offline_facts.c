/*
 * A fact fits a question when its text and tags have half of the question's words, or two of them. The facts
 * with the most of these words are shown, the newest first, because a later fact can correct an earlier one.
 * Words are compared by their stems, without stop words.
 */
#include "llm/offline/offline_facts.h"

#include "base/mem.h"
#include "codec/markdown/markdown.h"
#include "codec/words/tokenizer.h"
#include "llm/internal.h"

#define FACTS_SHOWN  3
#define WORDS_ENOUGH 2

/* The lines of the block of facts, one JSON object each (app/memory/memory_ranking.c). */
static struct str lines_of(struct str aside)
{
    static const char begin[] = "<stored_facts>\n", end[] = "</stored_facts>";
    const char *from = aside.len ? memmem(aside.s, aside.len, begin, sizeof begin - 1) : NULL;
    if (!from)
        return STR("");
    struct str lines = {from + sizeof begin - 1, 0};
    size_t left = aside.len - (size_t)(lines.s - aside.s);
    const char *to = memmem(lines.s, left, end, sizeof end - 1);
    lines.len = to ? (size_t)(to - lines.s) : left;
    return lines;
}

/* A number alone is no subject: "2" of "what is 2 + 2" occurs in many facts. */
static bool is_number(const struct bag_word *word)
{
    return word->word[strspn(word->word, "0123456789")] == '\0';
}

static size_t shared_words(struct arena *a, const struct bag *question, const json_t *fact)
{
    struct str text = llm_json_str(fact, "text"), tags = llm_json_str(fact, "tags");
    struct bag words = bag_of(a, str_of(arena_printf(a, "%.*s\n%.*s", STR_FMT(text), STR_FMT(tags))));
    size_t n = 0;
    bool subject = false;
    for (size_t i = 0; i < question->n; i++)
        if (bag_find(&words, question->words[i].stem)) {
            subject |= !is_number(&question->words[i]);
            n++;
        }
    return subject ? n : 0;
}

static void add_fact(struct offline_step *to, const json_t *fact)
{
    struct str id = llm_json_str(fact, "id"), since = llm_json_str(fact, "since");
    strbuf_adds(to->answer, "- ");
    markdown_add_text(to->answer, llm_json_str(fact, "text"));
    int64_t n;
    if (str_to_int(id, 1, INT64_MAX - 1, &n)) {
        strbuf_adds(to->answer, " ([");
        AUTO(arena) a = arena_new();
        markdown_add_text(to->answer, str_of(offline_day_words(to, a, since)));
        strbuf_addf(to->answer, "](/memory?after=%lld#memory-%lld))", (long long)n + 1, (long long)n);
    }
    strbuf_addc(to->answer, '\n');
}

/* Keeps the newest facts, the newest first; of equals, in their order. Takes the reference of `fact`. */
static void insert(json_t *best[FACTS_SHOWN], size_t *n, json_t *fact)
{
    size_t at = *n;
    while (at && strcmp(llm_json_str(best[at - 1], "since").s, llm_json_str(fact, "since").s) < 0)
        at--;
    if (at == FACTS_SHOWN) {
        json_decref(fact);
        return;
    }
    if (*n == FACTS_SHOWN)
        json_decref(best[--*n]);
    for (size_t i = (*n)++; i > at; i--)
        best[i] = best[i - 1];
    best[at] = fact;
}

enum offline_fit offline_add_facts(struct offline_step *to, const struct llm_request *r)
{
    const struct llm_message *asked = offline_question(r);
    struct str lines = asked ? lines_of(asked->aside) : STR("");
    if (!lines.len)
        return FACTS_NONE;
    AUTO(arena) a = arena_new();
    struct bag question = bag_of(a, offline_asked(r));
    json_t *best[FACTS_SHOWN];
    size_t n = 0, most = question.n < 2 * WORDS_ENOUGH ? (question.n + 1) / 2 : WORDS_ENOUGH;
    while (most && lines.len) {
        struct str line = str_cut(&lines, '\n');
        json_t *fact = json_loadb(line.s, line.len, 0, NULL);
        size_t words = shared_words(a, &question, fact);
        for (; words > most && n; n--)
            json_decref(best[n - 1]);
        most = words > most ? words : most;
        if (words == most)
            insert(best, &n, fact);
        else
            json_decref(fact);
    }
    if (n == 0)
        return FACTS_NONE;
    offline_say(to, "offline.facts");
    strbuf_adds(to->answer, "\n\n");
    for (size_t i = 0; i < n; i++) {
        add_fact(to, best[i]);
        json_decref(best[i]);
    }
    return most == question.n ? FACTS_WHOLE : FACTS_SOME;
}
