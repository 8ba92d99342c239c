/*
 * Data that OpenAI-compatible servers want back with an answer, as one JSON object in LLM_OPAQUE:
 *
 * - reasoning_content or reasoning: the reasoning of an answer that calls tools, under the name that the
 *   server used (vLLM, llama.cpp and others). For answers without calls servers ignore or refuse it, except
 *   those of llm_request.sends_reasoning (DeepSeek, Kimi).
 * - reasoning_details: OpenRouter's list, with its pieces joined.
 * - thinking_blocks: LiteLLM's list of the same kind, of an answer that calls tools; Claude refuses blocks
 *   without their signature.
 * - extra_content, by call id: the thought signature of a call (Gemini).
 */
#include "codec/json/json.h"
#include "llm/internal.h"

#define REASONING_MAX ((size_t)2 * LLM_LINE_MAX)
#define DETAILS_MAX   1024

void llm_kept_release(struct llm_kept *k)
{
    strbuf_release(&k->reasoning);
    json_decref(k->details);
    json_decref(k->blocks);
    *k = (struct llm_kept){0};
}

void llm_kept_reasoning(struct llm_kept *k, const char *key, struct str text)
{
    if (!k->reasoning.cap)
        strbuf_init(&k->reasoning, REASONING_MAX);
    k->key = key;
    strbuf_addstr(&k->reasoning, text);
}

/* Pieces of one entry follow each other and have the same type and index, or no index until the signature. */
static bool continues(const json_t *last, const json_t *piece)
{
    struct str type = llm_json_str(piece, "type");
    const json_t *index = json_object_get(piece, "index");
    bool same = index ? json_equal(json_object_get(last, "index"), index) != 0
                      : llm_json_str(last, "signature").len == 0;
    return last && str_eq(llm_json_str(last, "type"), type) && same && !str_is(type, "reasoning.encrypted") &&
           !str_is(type, "redacted_thinking");
}

static void join(json_t *last, const json_t *piece)
{
    static const char *const texts[] = {"text", "summary", "thinking"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)piece, key, value)
    {
        bool grows = STR_IN(str_of(key), texts) && json_is_string(value);
        if (grows) {
            AUTO_STRBUF both;
            strbuf_init(&both, REASONING_MAX);
            strbuf_addstr(&both, llm_json_str(last, key));
            strbuf_adds(&both, json_string_value(value));
            json_object_set_new(last, key, json_stringn(both.s, both.len));
        } else if (!json_is_null(value)) {
            json_object_set(last, key, value);
        }
    }
}

static void add_pieces(json_t **list, const json_t *pieces)
{
    size_t i;
    json_t *piece;
    json_array_foreach(pieces, i, piece)
    {
        if (!*list)
            *list = json_array();
        size_t n = json_array_size(*list);
        json_t *last = n ? json_array_get(*list, n - 1) : NULL;
        if (!json_is_object(piece) || n == DETAILS_MAX)
            continue;
        if (continues(last, piece))
            join(last, piece);
        else
            json_array_append_new(*list, json_deep_copy(piece));
    }
}

void llm_kept_details(struct llm_kept *k, const json_t *pieces)
{
    add_pieces(&k->details, pieces);
}

void llm_kept_blocks(struct llm_kept *k, const json_t *pieces)
{
    add_pieces(&k->blocks, pieces);
}

static bool are_signed(const json_t *blocks)
{
    size_t i;
    json_t *block;
    json_array_foreach(blocks, i, block)
    {
        if (str_is(llm_json_str(block, "type"), "thinking") && llm_json_str(block, "signature").len == 0)
            return false;
    }
    return blocks != NULL;
}

static json_t *extras_of(const struct llm_calls *calls)
{
    json_t *all = NULL;
    for (size_t i = 0; i < calls->n; i++) {
        if (!calls->list[i].extra)
            continue;
        if (!all)
            all = json_object();
        json_object_set(all, calls->list[i].id, calls->list[i].extra);
    }
    return all;
}

void llm_kept_emit(const struct llm_kept *k, const struct llm_calls *calls, struct llm_call *c)
{
    AUTO(json_t) all = json_object();
    json_t *extras = extras_of(calls);
    if (k->details)
        json_object_set(all, "reasoning_details", k->details);
    else if ((calls->n || k->always) && k->key && k->reasoning.len && !k->reasoning.failed)
        json_object_set_new(all, k->key, json_stringn(k->reasoning.s, k->reasoning.len));
    if (calls->n && are_signed(k->blocks))
        json_object_set(all, "thinking_blocks", k->blocks);
    if (extras)
        json_object_set_new(all, "extra_content", extras);
    if (json_object_size(all) == 0)
        return;
    AUTO_FREE char *text = json_dumps(all, JSON_COMPACT);
    if (text)
        llm_emit_opaque(c, str_of(text));
}
