#include "web/stream/answer_text.h"

#include "app/turn/turnlog.h"
#include "base/log.h"
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
    if (t->kept)
        strbuf_addstr(&t->text, piece);
}

void answer_text_keep(struct answer_text *t, const char *data_dir, const char *turn, bool sent)
{
    if (t->kept)
        return;
    struct err e = ERR_INIT;
    t->kept = true;
    if (turnlog_text(data_dir, turn, t->message_id, &t->text, &e) != RC_OK)
        log_debug("turn %s: its text so far is not read: %s", turn, e.text);
    t->text.failed = false; /* the part that fits */
    t->sent = sent ? t->text.len : 0;
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
void answer_text_catch_up(const struct answer_text *t, struct reader *r, struct strbuf *scratch)
{
    size_t from = r->from.message == t->message_id ? r->from.text_pos : 0;
    if (from < t->sent)
        reader_send(r, event_from(t, utf8_cut_bytes(strbuf_str(&t->text), from), scratch));
}
