/*
 * The reasoning of ChatGPT's models. It is in messages between the question and the answer: "thoughts"
 * {thoughts: [{summary, content}]} and "reasoning_recap", whose metadata.finished_duration_sec is its time.
 * ChatGPT does not show these as messages. Here they are left out, and the answer below gets their text.
 */
#include "app/import/format/import_chatgpt_private.h"

#include "base/clock.h"

void chatgpt_read_thoughts(struct import_conversation *c, struct import_message *m, const json_t *message)
{
    const json_t *list = json_object_get(json_object_get(message, "content"), "thoughts"), *one;
    double seconds =
        json_number_value(json_object_get(json_object_get(message, "metadata"), "finished_duration_sec"));
    size_t i;
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    json_array_foreach(list, i, one)
    {
        struct str text = STR("");
        const char *summary = import_line_of(c->a, one, "summary", IMPORT_WORD_MAX);
        json_get_str(one, "content", &text);
        if (summary)
            import_paragraph(&b, str_of(arena_printf(c->a, "**%s**", summary)));
        import_paragraph(&b, str_trim(text));
    }
    m->reasoning = import_text(c, strbuf_str(&b));
    m->reasoning_ms = import_reasoning_ms(seconds * (double)MS_PER_S);
}

/* Each message that is left out gives its reasoning once, so that a long row of them above many answers is
 * walked once. */
void chatgpt_give_thoughts(struct import_conversation *c, const json_t *mapping)
{
    size_t *walk = ARENA_ARRAY(c->a, size_t, c->n + 1);
    bool *given = ARENA_ARRAY(c->a, bool, c->n + 1);
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    for (size_t i = 0; i < c->n; i++) {
        struct import_message *m = &c->messages[i];
        size_t n = 0, at = chatgpt_place_above(mapping, m);
        if (m->dropped || m->role != ROLE_ASSISTANT)
            continue;
        for (; at != IMPORT_NONE && c->messages[at].dropped && !given[at];
             at = chatgpt_place_above(mapping, &c->messages[at])) {
            given[at] = true;
            walk[n++] = at;
        }
        strbuf_clear(&b);
        while (n > 0) {
            const struct import_message *from = &c->messages[walk[--n]];
            import_paragraph(&b, from->reasoning);
            m->reasoning_ms += from->reasoning_ms;
        }
        m->reasoning = import_text(c, strbuf_str(&b));
    }
}
