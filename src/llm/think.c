/*
 * Reasoning in the text. Models without a field for it begin their answer with <think> and end the reasoning
 * with </think>. A tag can arrive in pieces, so text that may be the beginning of one waits.
 */
#include "llm/internal.h"

#define OPEN      "<think>"
#define CLOSE     "</think>"
#define BYTES_MAX ((size_t)2 * LLM_LINE_MAX)

enum { THINK_MAYBE, THINK_INSIDE, THINK_OVER };

static void emit(struct llm_call *c, enum llm_event_kind kind, struct str s)
{
    if (s.len)
        llm_emit_text(c, kind, s);
}

/* The length of the end of `s` that may be the beginning of the closing tag. */
static size_t unsure(struct str s)
{
    size_t most = s.len < sizeof CLOSE - 2 ? s.len : sizeof CLOSE - 2;
    for (size_t n = most; n; n--)
        if (memcmp(s.s + s.len - n, CLOSE, n) == 0)
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
    if (seen.len < strlen(OPEN) && memcmp(seen.s, OPEN, seen.len) == 0)
        return false;
    bool tagged = str_starts(seen, STR(OPEN));
    t->state = tagged ? THINK_INSIDE : THINK_OVER;
    *text = tagged ? str_from(seen, strlen(OPEN)) : all;
    return true;
}

static void read_inside(struct llm_think *t, struct llm_call *c, struct str text)
{
    const char *end = memmem(text.s, text.len, CLOSE, strlen(CLOSE));
    if (end) {
        size_t n = (size_t)(end - text.s);
        struct str rest = {end + strlen(CLOSE), text.len - n - strlen(CLOSE)};
        emit(c, LLM_REASONING, (struct str){text.s, n});
        t->state = THINK_OVER;
        emit(c, LLM_TEXT, without_space(rest));
        strbuf_clear(&t->held);
        return;
    }
    size_t waits = unsure(text);
    emit(c, LLM_REASONING, (struct str){text.s, text.len - waits});
    char tail[sizeof CLOSE];
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
