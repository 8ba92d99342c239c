/* Bodies of /v1/chat/completions. An accepted request ends with a question or results, has its system message
 * first and a call for every result. A refused one has a sentence. */
#include <stdlib.h>

#include "base/utf8.h"
#include "web/stream/completions_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct completion_request *c)
{
    if (!c->model || c->messages_n == 0)
        abort();
    for (size_t i = 0; i < c->messages_n; i++) {
        const struct llm_message *m = &c->messages[i];
        if ((m->role == LLM_SYSTEM && i > 0) || !utf8_valid_text(m->text))
            abort();
        if (m->role == LLM_TOOL && (i == 0 || !m->call_id))
            abort();
    }
    enum llm_role last = c->messages[c->messages_n - 1].role;
    if (last != LLM_USER && last != LLM_TOOL)
        abort();
    for (size_t i = 0; i < c->tools_n; i++)
        if (!c->tools[i].name[0] || !c->tools[i].schema[0])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) a = arena_new();
    struct completion_request c;
    struct err e = ERR_INIT;
    const char *param;
    if (completion_parse(a, (struct str){(const char *)data, size}, &c, &param, &e) == RC_OK)
        check(&c);
    else if (!e.for_user)
        abort();
    return 0;
}
