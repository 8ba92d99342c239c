#include "web/chat/annotations.h"

#include "web/page/humanize.h"

enum rc notes_read(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    const struct message *messages, size_t messages_n, struct message_notes *out, struct err *e)
{
    *out = (struct message_notes){.answers = ARENA_ARRAY(a, struct answer_facts, messages_n)};
    enum rc rc = confirm_find(db, a, owner, session_id, now, &out->confirm, NULL);
    if (rc == RC_NOT_FOUND)
        out->confirm = (struct confirm){0};
    else if (rc != RC_OK)
        return err_set(e, rc, "look up of a pending question");
    rc = RC_OK;
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

static const struct answer_facts *facts_of(const struct message_notes *notes, int64_t message)
{
    for (size_t i = 0; notes && i < notes->n; i++)
        if (notes->answers[i].message_id == message)
            return &notes->answers[i];
    return NULL;
}

void notes_view(const struct message_notes *notes, struct arena *a, struct view *v, const struct message *m)
{
    const struct answer_facts *f = facts_of(notes, m->id);
    if (f) {
        struct view *remembered = view_obj(v, "remembered"), *list = view_list(remembered, "facts");
        view_text(remembered, "words", words_count(a, (int64_t)f->n, "thing", "things"));
        for (size_t i = 0; i < f->n; i++) {
            struct view *fact = view_item(list);
            long long id = (long long)f->facts[i].id;
            view_text(fact, "memory_id", arena_printf(a, "%lld", id));
            view_str(fact, "fact", f->facts[i].text);
            view_text(fact, "url", arena_printf(a, "/memory?after=%lld#memory-%lld", id + 1, id));
        }
    } else {
        view_null(v, "remembered");
    }
    const struct confirm *c = notes && notes->confirm.pending.message_id == m->id ? &notes->confirm : NULL;
    if (c && c->pending.id) {
        struct view *confirm = view_obj(v, "confirm");
        view_text(confirm, "id", arena_printf(a, "%lld", (long long)c->pending.id));
        /* a model may have said anything; the offline one's words are just this question */
        view_bool(confirm, "said", m->provider && strcmp(m->provider, "offline") == 0);
        view_text(confirm, "question", c->question);
        view_str(confirm, "subject", c->subject);
        view_text(confirm, "yes_label", c->yes_label);
        view_text(confirm, "no_label", c->no_label);
    } else {
        view_null(v, "confirm");
    }
    view_text(v, "settled", notes && notes->settled_id == m->id ? notes->settled : NULL);
}
