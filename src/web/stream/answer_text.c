#include "web/stream/answer_text.h"

#include "base/utf8.h"
#include "web/stream/turn_events.h"

void answer_text_init(struct answer_text *t, size_t text_max)
{
    *t = (struct answer_text){0};
    strbuf_init(&t->text, text_max);
}

void answer_text_release(struct answer_text *t)
{
    strbuf_release(&t->text);
}

void answer_text_begin(struct answer_text *t, int64_t message_id)
{
    t->message_id = message_id;
    t->sent = 0;
    strbuf_clear(&t->text);
}

void answer_text_add(struct answer_text *t, struct str piece)
{
    strbuf_addstr(&t->text, piece);
}

static struct str event_from(const struct answer_text *t, size_t from, struct strbuf *scratch)
{
    strbuf_clear(scratch);
    event_text(t->message_id, (struct str){t->text.s + from, t->sent - from}, t->sent, scratch);
    return strbuf_str(scratch);
}

void answer_text_send(struct answer_text *t, struct reader *list, struct strbuf *scratch)
{
    size_t from = t->sent;
    t->sent = t->text.len;
    if (from < t->sent && readers_any(list, EVENTS_DATA))
        readers_send(list, EVENTS_DATA, event_from(t, from, scratch));
}

/* The position comes from the reader, so it may be any number. */
bool answer_text_catch_up(const struct answer_text *t, struct reader *r, struct strbuf *scratch)
{
    size_t from = r->from.message == t->message_id ? r->from.text_pos : 0;
    if (from >= t->sent)
        return true;
    from = utf8_cut_bytes(strbuf_str(&t->text), from);
    return reader_send(r, event_from(t, from, scratch));
}
