/*
 * Continues an answer that ended early. If the model supports it (llm_model_prefill()), the request ends in
 * the answer so far. Otherwise, or if the model refuses that (turn_adapt.c), an instruction asks for the
 * rest. The instruction is in the request only.
 *
 * The text of the turn begins with the old text, so its log, its readers and its row always have the whole
 * answer.
 */
#include "app/turn/seam.h"
#include "app/turn/turn_private.h"

/* For the model, not for people. */
static const char instruction[] =
    "Your last message was cut off before its end. Go on with it now. Begin by repeating exactly its last "
    "words, which are between the two lines below, and write on from there in the same language and format. "
    "Do not begin again, and say nothing about the interruption.\n---\n%.*s\n---";

static struct llm_message said(struct turn *t)
{
    struct str text = {t->answer.text.s, t->old.text_n};
    return (struct llm_message){.role = LLM_ASSISTANT, .text = arena_str(t->arena, text)};
}

/* The API of Anthropic refuses blanks at the end. */
static void add_open_end(struct turn *t)
{
    struct llm_message *m = turn_add_message(t);
    *m = said(t);
    while (m->text.len && strchr(" \t\r\n", m->text.s[m->text.len - 1]))
        m->text.len--;
}

static void add_instruction(struct turn *t)
{
    struct str words = seam_last_words((struct str){t->answer.text.s, t->old.text_n});
    *turn_add_message(t) = said(t);
    *turn_add_message(t) = (struct llm_message){
        .role = LLM_USER, .text = str_of(arena_printf(t->arena, instruction, STR_FMT(words)))};
}

struct llm_tokens turn_tokens_of(const struct message *m)
{
    return (struct llm_tokens){.in = m->tokens_in,
        .out = m->tokens_out,
        .cached = m->tokens_cached,
        .reasoning = m->tokens_reasoning};
}

/* Adds the messages of the continuation before the context is built; turn_read_context() puts it before them.
 */
static void add_messages(struct turn *t)
{
    t->context.messages = NULL;
    t->context.messages_n = t->context.messages_room = t->context.built_n = 0;
    if (t->model.prefill != LLM_PREFILL_NONE)
        add_open_end(t);
    else
        add_instruction(t);
}

void turn_continue_begin(struct turn *t, const struct message *m)
{
    strbuf_addstr(&t->answer.text, m->text);
    strbuf_addstr(&t->answer.reasoning, m->reasoning);
    t->old.text_n = t->answer.call_from = t->answer.text.len;
    t->old.reasoning_n = t->answer.reasoning.len;
    t->answer.thought_us = m->reasoning_ms * US_PER_MS;
    t->tokens = turn_tokens_of(m);
    t->model.prefill = t->model.responses ? LLM_PREFILL_NONE : t->model.choice->prefill;
    t->old.joining = true;
    add_messages(t);
}

void turn_continue_by_instruction(struct turn *t)
{
    t->model.prefill = LLM_PREFILL_NONE;
    add_messages(t);
}

static void join(struct turn *t, bool over)
{
    struct str old = {t->answer.text.s, t->old.text_n}, fresh = strbuf_str(&t->old.held);
    struct seam s = seam_find(old, fresh, t->model.prefill == LLM_PREFILL_NONE, over);
    if (!s.known)
        return;
    t->old.joining = false;
    strbuf_adds(&t->answer.text, s.needs_blank ? " " : "");
    strbuf_addstr(&t->answer.text, str_from(fresh, s.skip));
    strbuf_release(&t->old.held);
}

void turn_continue_text(struct turn *t, struct str text)
{
    strbuf_addstr(t->old.joining ? &t->old.held : &t->answer.text, text);
    if (t->old.joining && t->old.held.len)
        join(t, false);
}

void turn_continue_over(struct turn *t)
{
    if (t->old.joining && t->old.held.len)
        join(t, true);
}

void turn_continue_said(struct turn *t)
{
    if (!t->old.text_n)
        return;
    if (t->model.prefill != LLM_PREFILL_NONE) {
        t->context.messages_n = t->context.built_n;
        t->answer.call_from = 0;
        t->answer.opaque = STR("");
    }
    t->model.prefill = LLM_PREFILL_NONE;
}

bool turn_said_nothing(const struct turn *t)
{
    return t->answer.text.len == t->old.text_n && t->old.held.len == 0;
}
