/*
 * The original content blocks of an answer, for providers that want some of them back unchanged: thinking
 * with its signature, redacted thinking, uses of the server's own tools and their results, citations.
 */
#include <stdlib.h>

#include "codec/json/json.h"
#include "llm/internal.h"

#define BLOCKS_MAX      256
#define BLOCK_BYTES_MAX ((size_t)LLM_LINE_MAX)
#define ROOM_MIN        8
#define CITATIONS_MAX   64 /* of a block */

void llm_blocks_release(struct llm_blocks *b)
{
    for (size_t i = 0; i < b->n; i++) {
        json_decref(b->list[i].start);
        strbuf_release(&b->list[i].text);
        strbuf_release(&b->list[i].signature);
        json_decref(b->list[i].citations);
    }
    free(b->list);
    *b = (struct llm_blocks){0};
}

static struct llm_block *find(struct llm_blocks *b, int64_t index)
{
    for (size_t i = b->n; i > 0; i--)
        if (b->list[i - 1].index == index)
            return &b->list[i - 1];
    return NULL;
}

void llm_blocks_start(struct llm_blocks *b, int64_t index, const json_t *block)
{
    if (b->n == BLOCKS_MAX) {
        b->failed = true;
        return;
    }
    if (b->n == b->room) {
        b->room = b->room ? b->room * 2 : ROOM_MIN;
        b->list = xrealloc(b->list, b->room * sizeof *b->list);
    }
    struct llm_block *to = &b->list[b->n++];
    *to = (struct llm_block){.index = index, .start = json_deep_copy(block)};
    strbuf_init(&to->text, BLOCK_BYTES_MAX);
    strbuf_init(&to->signature, BLOCK_BYTES_MAX);
    struct str type = llm_json_str(block, "type");
    b->special |= type.len && !str_is(type, "text") && !str_is(type, "tool_use");
}

void llm_blocks_text(struct llm_blocks *b, int64_t index, const char *key, struct str piece)
{
    struct llm_block *to = find(b, index);
    if (!to)
        return;
    to->key = key;
    strbuf_addstr(&to->text, piece);
}

void llm_blocks_signature(struct llm_blocks *b, int64_t index, struct str piece)
{
    struct llm_block *to = find(b, index);
    if (to)
        strbuf_addstr(&to->signature, piece);
}

void llm_blocks_citation(struct llm_blocks *b, int64_t index, const json_t *citation)
{
    struct llm_block *to = find(b, index);
    if (!to)
        return;
    if (!to->citations)
        to->citations = json_array();
    if (json_array_size(to->citations) < CITATIONS_MAX)
        json_array_append_new(to->citations, json_deep_copy(citation));
}

/* The text of the start with the pieces after it. Pieces of an input are JSON when joined. */
static bool set_text(const struct llm_block *from, json_t *to)
{
    if (str_is(str_of(from->key), "input")) {
        json_t *input = json_loadb(from->text.s, from->text.len, 0, NULL);
        return input && json_object_set_new(to, "input", input) == 0;
    }
    struct str begun = llm_json_str(to, from->key);
    AUTO_STRBUF all;
    strbuf_init(&all, 2 * BLOCK_BYTES_MAX);
    strbuf_addstr(&all, begun);
    strbuf_addstr(&all, strbuf_str(&from->text));
    json_t *text = all.failed ? NULL : json_stringn(all.s, all.len);
    return text && json_object_set_new(to, from->key, text) == 0;
}

static json_t *whole_of(const struct llm_block *from)
{
    json_t *to = json_deep_copy(from->start);
    bool good = !from->text.failed && !from->signature.failed;
    if (good && from->text.len)
        good = set_text(from, to);
    if (good && from->signature.len)
        good =
            json_object_set_new(to, "signature", json_stringn(from->signature.s, from->signature.len)) == 0;
    if (good && from->citations)
        good = json_object_set(to, "citations", from->citations) == 0;
    if (good)
        return to;
    json_decref(to);
    return NULL;
}

json_t *llm_blocks_whole(struct llm_blocks *b, int64_t index)
{
    const struct llm_block *from = find(b, index);
    return from ? whole_of(from) : NULL;
}

void llm_blocks_emit(const struct llm_blocks *b, struct llm_call *c)
{
    if (!b->special || b->failed)
        return;
    AUTO(json_t) all = json_array();
    for (size_t i = 0; i < b->n; i++) {
        json_t *one = whole_of(&b->list[i]);
        if (!one)
            return; /* an incomplete block would be refused with all others */
        struct str type = llm_json_str(one, "type");
        if (str_is(type, "thinking") && llm_json_str(one, "signature").len == 0) {
            json_decref(one); /* cut before its signature: the API refuses it */
            return;
        }
        bool blank = str_is(type, "text") && str_trim(llm_json_str(one, "text")).len == 0;
        if (blank) /* Anthropic sends no blank text block, and refuses one in a request */
            json_decref(one);
        else
            json_array_append_new(all, one);
    }
    AUTO_FREE char *text = json_dumps(all, JSON_COMPACT);
    if (text)
        llm_emit_opaque(c, str_of(text));
}
