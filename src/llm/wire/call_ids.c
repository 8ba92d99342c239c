/*
 * The ids and names of tool calls in a request. A call in the history may come from another provider, whose
 * ids this one refuses. As of 2026-11, from the errors of the servers:
 *
 *     Anthropic    letters, digits, '_' and '-'; no two calls of a request with one id
 *     Mistral      exactly nine letters and digits, also through OpenRouter and in its models' templates
 *     OpenAI       at most 40 characters
 *
 * An id that the provider takes stays. Another one becomes nine letters and digits, which all of them take.
 * It is made from the old id, so that it is the same in the requests that follow (prompt caches).
 *
 * Models invent names of tools, such as "multi_tool_use.parallel". OpenAI and Anthropic refuse a name with
 * other characters than letters, digits, '_' and '-'. Each of those becomes '_'.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "llm/internal.h"

#define OPENAI_ID_MAX  40
#define MISTRAL_ID_LEN 9

enum rule { RULE_OPENAI, RULE_ANTHROPIC, RULE_MISTRAL };

/* The ids of a request so far: a table with open addressing. */
struct ids {
    struct arena *arena;
    enum rule rule;
    const char **taken;
    size_t room; /* a power of two, more than twice the number of calls */
};

static bool is_of_mistral(const char *model)
{
    static const char *const families[] = {
        "mistral", "ministral", "mixtral", "codestral", "devstral", "magistral", "pixtral"};
    for (size_t i = 0; i < ARRAY_LEN(families); i++)
        if (strcasestr(model, families[i]))
            return true;
    return false;
}

static enum rule rule_of(const struct llm_provider *p, const char *model)
{
    if (strcmp(p->ops->kind, "anthropic") == 0)
        return RULE_ANTHROPIC;
    return is_of_mistral(model) ? RULE_MISTRAL : RULE_OPENAI;
}

static bool fits(enum rule rule, const char *id)
{
    size_t n = strlen(id);
    for (const char *c = id; *c; c++)
        if (!isalnum((unsigned char)*c) &&
            (rule == RULE_MISTRAL || (rule == RULE_ANTHROPIC && *c != '_' && *c != '-')))
            return false;
    return n > 0 && (rule == RULE_MISTRAL ? n == MISTRAL_ID_LEN : rule != RULE_OPENAI || n <= OPENAI_ID_MAX);
}

/* Takes the id; false: another call has it. */
static bool take(struct ids *ids, const char *id)
{
    size_t at = str_hash(str_of(id), 0) & (ids->room - 1);
    for (; ids->taken[at]; at = (at + 1) & (ids->room - 1))
        if (strcmp(ids->taken[at], id) == 0)
            return false;
    ids->taken[at] = id;
    return true;
}

static const char *made_from(struct arena *a, const char *id, uint64_t n)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    uint64_t h = str_hash(str_of(id), n);
    char *made = arena_alloc(a, MISTRAL_ID_LEN + 1);
    for (int i = 0; i < MISTRAL_ID_LEN; i++, h /= sizeof digits - 1)
        made[i] = digits[h % (sizeof digits - 1)];
    made[MISTRAL_ID_LEN] = '\0';
    return made;
}

static const char *sendable(struct ids *ids, const char *id)
{
    if (fits(ids->rule, id) && take(ids, id))
        return id;
    for (uint64_t n = 1;; n++) {
        const char *made = made_from(ids->arena, id, n);
        if (take(ids, made))
            return made;
    }
}

static const char *sendable_name(struct arena *a, const char *name)
{
    size_t n = strnlen(name, LLM_NAME_MAX);
    char *to = arena_strndup(a, name, n);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)to[i]) && to[i] != '_' && to[i] != '-')
            to[i] = '_';
    return n ? to : "_";
}

/* Opaque data, which the provider wants back unchanged, names the ids itself. */
static void adapt_calls(struct ids *ids, struct llm_message *m)
{
    struct llm_tool_call *calls = ARENA_ARRAY(ids->arena, struct llm_tool_call, m->calls_n);
    for (size_t i = 0; i < m->calls_n; i++) {
        calls[i] = m->calls[i];
        calls[i].name = sendable_name(ids->arena, calls[i].name);
        if (m->opaque.len)
            (void)take(ids, calls[i].id);
        else
            calls[i].id = sendable(ids, calls[i].id);
    }
    m->calls = calls;
}

/* `asked` has the calls as they were, `sent` as they are sent. */
static const char *answered(const struct llm_message *asked, const struct llm_message *sent, const char *id)
{
    for (size_t i = 0; id && i < asked->calls_n; i++)
        if (strcmp(asked->calls[i].id, id) == 0)
            return sent->calls[i].id;
    return id;
}

static size_t count_calls(const struct llm_request *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->messages_n; i++)
        n += r->messages[i].calls_n;
    return n;
}

const struct llm_message *llm_sendable_calls(
    const struct llm_provider *p, const struct llm_request *r, struct arena *a)
{
    size_t n = count_calls(r);
    if (n == 0)
        return r->messages;
    struct ids ids = {.arena = a, .rule = rule_of(p, r->model), .room = 4};
    while (ids.room <= 2 * n)
        ids.room *= 2;
    ids.taken = ARENA_ARRAY(a, const char *, ids.room);
    struct llm_message *out = ARENA_ARRAY(a, struct llm_message, r->messages_n);
    size_t asked = 0; /* the message whose calls are answered */
    for (size_t i = 0; i < r->messages_n; i++) {
        out[i] = r->messages[i];
        if (out[i].calls_n) {
            asked = i;
            adapt_calls(&ids, &out[i]);
        } else if (out[i].role == LLM_TOOL) {
            out[i].call_id = answered(&r->messages[asked], &out[asked], out[i].call_id);
        }
    }
    return out;
}
