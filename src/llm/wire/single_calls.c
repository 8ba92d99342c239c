/*
 * Messages with one call each. The templates of Llama 3, which vLLM and LM Studio use, refuse a message with
 * several calls ("This model only supports single tool-calls at once!"), although the models write such
 * answers. Each call becomes a message of its own, with its result behind it; the text stands before the
 * first.
 */
#include <string.h>
#include <strings.h>

#include "llm/internal.h"

static bool is_llama_3(const char *model)
{
    return strcasestr(model, "llama-3") || strcasestr(model, "llama3");
}

static bool answers(const struct llm_message *m, const char *id)
{
    return m->call_id && strcmp(m->call_id, id) == 0;
}

/* Adds the calls of message i, each with its result. */
static size_t add_apart(const struct llm_request *r, size_t i, size_t end, struct llm_message *out)
{
    const struct llm_message *m = &r->messages[i];
    size_t n = 0;
    for (size_t k = 0; k < m->calls_n; k++) {
        size_t j = i + 1;
        out[n] = (struct llm_message){.role = LLM_ASSISTANT};
        if (k == 0)
            out[n] = *m;
        out[n].calls = &m->calls[k];
        out[n++].calls_n = 1;
        while (j < end && !answers(&r->messages[j], m->calls[k].id))
            j++;
        if (j < end)
            out[n++] = r->messages[j];
    }
    return n;
}

void llm_single_calls(struct llm_request *r, struct arena *a)
{
    size_t more = 0, n = 0;
    for (size_t i = 0; i < r->messages_n; i++)
        more += r->messages[i].calls_n > 1 ? r->messages[i].calls_n - 1 : 0;
    if (more == 0 || !is_llama_3(r->model))
        return;
    /* two messages for each further call: results with the same id are added for each of them */
    struct llm_message *out = ARENA_ARRAY(a, struct llm_message, r->messages_n + 2 * more);
    for (size_t i = 0, end; i < r->messages_n; i = end) {
        end = i + 1;
        if (r->messages[i].calls_n < 2) {
            out[n++] = r->messages[i];
            continue;
        }
        while (end < r->messages_n && r->messages[end].role == LLM_TOOL)
            end++;
        n += add_apart(r, i, end, out + n);
    }
    r->messages = out;
    r->messages_n = n;
}
