#include "llm/llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm/internal.h"

static const struct llm_ops *const kinds[] = {&llm_openai_ops, &llm_anthropic_ops, &llm_offline_ops};

enum rc llm_provider_new(const char *kind, const struct llm_settings *s, struct loop *l,
    struct http_client *c, struct llm_provider **out, struct err *e)
{
    const struct llm_ops *ops = NULL;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i]->kind, kind) == 0)
            ops = kinds[i];
    if (!ops)
        return err_say(e, RC_BAD_INPUT, "provider.unknown_kind", arg_text("kind", kind));
    bool offline = ops == &llm_offline_ops;
    if (!offline && (!c || !s->base_url))
        return err_set(e, RC_BAD_INPUT, "provider %s has no base_url", s->name);
    struct llm_provider *p = xcalloc(1, sizeof *p);
    *p = (struct llm_provider){.ops = ops, .s = *s, .loop = l, .http = c};
    p->s.base_url = s->base_url ? xstrdup(s->base_url) : NULL;
    p->s.key = s->key && *s->key ? xstrdup(s->key) : NULL;
    *out = p;
    return RC_OK;
}

void llm_provider_free(struct llm_provider *p)
{
    if (!p)
        return;
    free((char *)p->s.base_url); /* owned here, const for all others */
    free((char *)p->s.key);
    free(p);
}

enum rc llm_start(struct llm_provider *p, const struct llm_request *r, llm_event_fn *fn, void *arg,
    struct llm_call **out, struct err *e)
{
    struct llm_call *c = xcalloc(1, sizeof *c);
    *c = (struct llm_call){.p = p, .fn = fn, .arg = arg};
    strbuf_init(&c->out, 2 * LLM_LINE_MAX);
    enum rc rc = p->ops->start(p, r, c, e);
    if (rc) {
        llm_call_free(c);
        return rc;
    }
    *out = c;
    return RC_OK;
}

static void destroy(struct llm_call *c)
{
    if (c->state)
        c->p->ops->cancel(c);
    strbuf_release(&c->out);
    free(c);
}

void llm_call_free(struct llm_call *c)
{
    if (!c)
        return;
    if (c->depth > 0)
        c->freed = true; /* llm_leave() frees it */
    else
        destroy(c);
}

void llm_enter(struct llm_call *c)
{
    c->depth++;
}

bool llm_leave(struct llm_call *c)
{
    bool freed = c->freed;
    if (--c->depth == 0 && freed)
        destroy(c);
    return !freed;
}

/* ---- events ---- */

static void emit(struct llm_call *c, const struct llm_event *ev)
{
    if (!c->freed && !c->ended)
        c->fn(c->arg, ev);
}

/* Emits the text that was collected since the last event. */
void llm_emit_gathered(struct llm_call *c)
{
    if (c->out.len == 0)
        return;
    emit(c, &(struct llm_event){.kind = c->gathered, .text = strbuf_str(&c->out)});
    strbuf_clear(&c->out);
}

static struct utf8_stitch *gather(struct llm_call *c, enum llm_event_kind kind)
{
    if (c->gathered != kind || c->out.len > LLM_LINE_MAX)
        llm_emit_gathered(c);
    c->gathered = kind;
    return kind == LLM_TEXT ? &c->text : &c->reasoning;
}

/* Models that do not think begin with blank reasoning, which is none. */
static struct str without_blank_start(struct llm_call *c, struct str reasoning)
{
    while (!c->reasoned && reasoning.len && strchr(" \t\r\n", reasoning.s[0]))
        reasoning = str_from(reasoning, 1);
    c->reasoned |= reasoning.len > 0;
    return reasoning;
}

void llm_emit_text(struct llm_call *c, enum llm_event_kind kind, struct str raw)
{
    if (kind == LLM_REASONING)
        raw = without_blank_start(c, raw);
    utf8_stitch_text(gather(c, kind), raw, &c->out);
    c->spoke |= c->out.len > 0;
    if (!c->gathers)
        llm_emit_gathered(c);
}

void llm_emit_call(struct llm_call *c, const struct llm_tool_call *t)
{
    c->spoke = true;
    llm_emit_gathered(c);
    emit(c, &(struct llm_event){.kind = LLM_CALL, .call = *t});
}

void llm_emit_search(struct llm_call *c, struct str query)
{
    c->spoke = true;
    llm_emit_gathered(c);
    emit(c, &(struct llm_event){.kind = LLM_SEARCH, .text = query});
}

void llm_emit_opaque(struct llm_call *c, struct str json)
{
    llm_emit_gathered(c);
    emit(c, &(struct llm_event){.kind = LLM_OPAQUE, .text = json});
}

void llm_emit_reading(struct llm_call *c, int percent)
{
    llm_emit_gathered(c);
    emit(c, &(struct llm_event){.kind = LLM_READING, .percent = percent});
}

void llm_emit_usage(struct llm_call *c, const struct llm_tokens *tokens)
{
    llm_emit_gathered(c);
    emit(c, &(struct llm_event){.kind = LLM_USAGE, .tokens = *tokens});
}

void llm_emit_retry(struct llm_call *c, int wait_ms)
{
    llm_emit_gathered(c);
    emit(c, &(struct llm_event){.kind = LLM_RETRY, .wait_ms = wait_ms, .problem = c->verdict.problem});
}

/* Emits incomplete characters of the last pieces before the last event. */
static void flush_texts(struct llm_call *c)
{
    utf8_stitch_end(gather(c, LLM_REASONING), &c->out);
    utf8_stitch_end(gather(c, LLM_TEXT), &c->out);
    llm_emit_gathered(c);
}

void llm_emit_end(struct llm_call *c, enum llm_stop stop)
{
    flush_texts(c);
    emit(c, &(struct llm_event){.kind = LLM_END, .stop = stop});
    c->ended = true;
}

void llm_emit_error(struct llm_call *c, const struct err *e)
{
    flush_texts(c);
    emit(c, &(struct llm_event){.kind = LLM_ERROR,
                .err = e,
                .problem = c->verdict.problem,
                .window = c->verdict.window,
                .prompt_tokens = c->verdict.prompt_tokens,
                .limit = c->verdict.limit});
    c->ended = true;
}
