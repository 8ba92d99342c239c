/*
 * Messages for models without a system message. Gemma at Gemini's API refuses one, and so do the templates of
 * Gemma 2, Mistral 7B and others. Its text becomes the beginning of the first question, because these models
 * also want the user and the assistant in turns.
 */
#include "llm/internal.h"

void llm_without_system(struct llm_request *r, struct arena *a)
{
    if (!r->form.no_system || r->messages_n == 0 || r->messages[0].role != LLM_SYSTEM)
        return;
    struct llm_message *out = ARENA_ARRAY(a, struct llm_message, r->messages_n);
    const struct llm_message *system = &r->messages[0];
    bool asked = r->messages_n > 1 && r->messages[1].role == LLM_USER;
    size_t n = 1;
    out[0] = *system;
    if (asked) {
        out[0] = r->messages[1];
        out[0].text =
            str_of(arena_printf(a, "%.*s\n\n%.*s", STR_FMT(system->text), STR_FMT(r->messages[1].text)));
    }
    out[0].role = LLM_USER;
    for (size_t i = asked ? 2 : 1; i < r->messages_n; i++)
        out[n++] = r->messages[i];
    r->messages = out;
    r->messages_n = n;
}
