#include "web/chat/annotations.h"

#include "web/http/resource.h"

enum rc annotations_read(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    const struct message *messages, size_t messages_n, struct message_annotations *out, struct err *e)
{
    *out = (struct message_annotations){.answers = ARENA_ARRAY(a, struct answer_facts, messages_n)};
    struct suggestion *rows;
    size_t n;
    if (messages_n == 0)
        return RC_OK;
    const struct message_range shown = {session_id, messages[0].id, messages[messages_n - 1].id};
    enum rc rc = store_suggestion_shown(db, a, owner, shown, now, &rows, &n, e);
    if (rc == RC_OK)
        rc = suggestions_look(db, a, owner, rows, n, now, &out->suggestions, e);
    for (size_t i = 0; rc == RC_OK && i < messages_n; i++) {
        struct answer_facts *f = &out->answers[out->n];
        if (messages[i].role != ROLE_ASSISTANT || messages[i].status == MESSAGE_RUNNING)
            continue;
        f->message_id = messages[i].id;
        rc = store_memory_of_message(db, a, owner, f->message_id, now, &f->facts, &f->n, e);
        out->n += f->n > 0;
    }
    return rc;
}

static const struct answer_facts *facts_of(const struct message_annotations *annotations, int64_t message)
{
    for (size_t i = 0; annotations && i < annotations->n; i++)
        if (annotations->answers[i].message_id == message)
            return &annotations->answers[i];
    return NULL;
}

void annotations_resource(const struct message_annotations *annotations, struct arena *a,
    const struct lang *l, struct view *v, const struct message *m)
{
    const struct answer_facts *f = facts_of(annotations, m->id);
    struct view *list = view_list(v, "facts");
    for (size_t i = 0; f && i < f->n; i++) {
        struct view *fact = view_item(list);
        view_id(a, fact, "id", f->facts[i].id);
        view_str(fact, "text", f->facts[i].text);
        view_text(fact, "url", memory_url(a, f->facts[i].id));
    }
    list = view_list(v, "suggestions");
    for (size_t i = 0; annotations && i < annotations->suggestions.n; i++)
        if (annotations->suggestions.rows[i].message_id == m->id)
            suggestion_resource(a, l, view_item(list), &annotations->suggestions, i);
}

void annotations_view(const struct message_annotations *annotations, struct arena *a, const struct lang *l,
    struct view *v, const struct message *m)
{
    const struct answer_facts *f = facts_of(annotations, m->id);
    if (f) {
        struct view *remembered = view_obj(v, "remembered"), *list = view_list(remembered, "facts");
        view_text(remembered, "words", lang_count(a, l, "count.facts", (int64_t)f->n, NULL));
        for (size_t i = 0; i < f->n; i++) {
            struct view *fact = view_item(list);
            view_str(fact, "fact", f->facts[i].text);
            view_text(fact, "url", memory_url(a, f->facts[i].id));
        }
    } else {
        view_null(v, "remembered");
    }
    struct view *list = view_list(v, "suggestions");
    for (size_t i = 0; annotations && i < annotations->suggestions.n; i++)
        if (annotations->suggestions.rows[i].message_id == m->id)
            suggestion_view(a, l, view_item(list), &annotations->suggestions, i, SUGGESTION_IN_ANSWER);
}
