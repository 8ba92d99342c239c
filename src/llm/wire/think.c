/*
 * Reasoning in the text. Models without a field for it begin their answer with <think> and end the reasoning
 * with </think>, or with other tags. A tag can arrive in pieces, so text that may be the beginning of one
 * waits.
 */
#include "llm/internal.h"

/* The second pair is that of Magistral and Ministral, the third that of Seed-OSS, the last that of Gemma 4.
 */
static const struct llm_think_tags {
    const char *open, *close;
} all_tags[] = {{"<think>", "</think>"}, {"[THINK]", "[/THINK]"}, {"<seed:think>", "</seed:think>"},
    {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"<reasoning>", "</reasoning>"},
    {"<|channel>thought", "<channel|>"}};

#define CLOSE_MAX 16 /* bytes of a closing tag */
#define BYTES_MAX ((size_t)2 * LLM_LINE_MAX)

enum { THINK_MAYBE, THINK_INSIDE, THINK_OVER };

static void emit(struct llm_call *c, enum llm_event_kind kind, struct str s)
{
    if (s.len)
        llm_emit_text(c, kind, s);
}

/* The length of the end of `s` that may be the beginning of the closing tag. */
static size_t unsure(struct str s, const char *close)
{
    size_t n = strlen(close) - 1;
    for (n = s.len < n ? s.len : n; n; n--)
        if (memcmp(s.s + s.len - n, close, n) == 0)
            return n;
    return 0;
}

static struct str without_space(struct str s)
{
    while (s.len && strchr(" \t\r\n", s.s[0]))
        s = str_from(s, 1);
    return s;
}

/* Returns the rest of the text when it is known whether the answer begins with a tag. Else the text waits. */
static bool begins(struct llm_think *t, struct str *text)
{
    struct str all = strbuf_str(&t->held), seen = without_space(all);
    for (size_t i = 0; i < ARRAY_LEN(all_tags); i++) {
        size_t n = strlen(all_tags[i].open);
        if (seen.len < n && memcmp(seen.s, all_tags[i].open, seen.len) == 0)
            return false;
        if (str_starts(seen, str_of(all_tags[i].open))) {
            t->state = THINK_INSIDE;
            t->tags = &all_tags[i];
            *text = str_from(seen, n);
            return true;
        }
    }
    t->state = THINK_OVER;
    *text = all;
    return true;
}

static void read_inside(struct llm_think *t, struct llm_call *c, struct str text)
{
    const char *close = t->tags->close, *end = memmem(text.s, text.len, close, strlen(close));
    if (end) {
        size_t n = (size_t)(end - text.s);
        struct str rest = str_from(text, n + strlen(close));
        emit(c, LLM_REASONING, (struct str){text.s, n});
        t->state = THINK_OVER;
        emit(c, LLM_TEXT, without_space(rest));
        strbuf_clear(&t->held);
        return;
    }
    size_t waits = unsure(text, close);
    emit(c, LLM_REASONING, (struct str){text.s, text.len - waits});
    char tail[CLOSE_MAX];
    memcpy(tail, text.s + text.len - waits, waits);
    strbuf_clear(&t->held);
    strbuf_add(&t->held, tail, waits);
}

void llm_think_text(struct llm_think *t, struct llm_call *c, struct str text)
{
    if (t->state == THINK_OVER) {
        emit(c, LLM_TEXT, text);
        return;
    }
    if (!t->held.cap)
        strbuf_init(&t->held, BYTES_MAX);
    strbuf_addstr(&t->held, text);
    text = strbuf_str(&t->held);
    if (t->state == THINK_MAYBE && !begins(t, &text))
        return;
    if (t->state == THINK_INSIDE)
        read_inside(t, c, text);
    else
        emit(c, LLM_TEXT, text);
}

void llm_think_end(struct llm_think *t, struct llm_call *c)
{
    emit(c, t->state == THINK_INSIDE ? LLM_REASONING : LLM_TEXT,
        t->state == THINK_OVER ? STR("") : strbuf_str(&t->held));
    t->state = THINK_OVER;
    strbuf_release(&t->held);
}
