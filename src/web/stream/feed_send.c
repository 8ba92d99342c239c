/* Sends the readers of a feed new text and blocks, states, and the events that a reader lacks. */
#include "base/log.h"
#include "web/stream/feed_private.h"

/* Sends to the readers that have all blocks. */
static void send_after_blocks(struct feed *d, struct str event)
{
    for (struct reader *r = d->readers, *next; r; r = next) {
        next = r->next;
        if (r->kind == READER_EVENTS && r->form == EVENTS_PAGE && !r->behind)
            reader_send(r, event);
    }
}

/* Renders the new text once for all readers. */
static void render_new_blocks(struct feed *d)
{
    if (!d->unsent && readers_any(d->readers, EVENTS_PAGE))
        live_answer_update(d->answer);
}

void feed_send_new(struct feed *d)
{
    if (!d->unsent)
        answer_text_send(&d->text, d->readers, &d->all->scratch);
    render_new_blocks(d);
}

static struct str unsaved_event(const struct feed *d, enum event_form form)
{
    strbuf_clear(&d->all->scratch);
    event_unsaved(d->lang, form, d->reply_id, &d->all->scratch);
    return strbuf_str(&d->all->scratch);
}

void feed_tell_unsaved(struct feed *d)
{
    if (!d->unsaved || d->unsent)
        return;
    if (!d->unsaved_told[EVENTS_DATA]) {
        d->unsaved_told[EVENTS_DATA] = true;
        readers_send(d->readers, EVENTS_DATA, unsaved_event(d, EVENTS_DATA));
    }
    if (!d->unsaved_told[EVENTS_PAGE] && live_answer_is_idle(d->answer)) {
        d->unsaved_told[EVENTS_PAGE] = true;
        send_after_blocks(d, unsaved_event(d, EVENTS_PAGE));
    }
}

static struct str wait_event(const struct feed *d, enum event_form form)
{
    strbuf_clear(&d->all->scratch);
    event_wait(d->lang, form, &d->waiting, &d->all->scratch);
    return strbuf_str(&d->all->scratch);
}

void feed_tell_wait(struct feed *d)
{
    if (!d->waiting.why || d->wait_told || d->unsent)
        return;
    d->wait_told = true;
    for (enum event_form form = 0; form < EVENT_FORMS; form++)
        readers_send(d->readers, form, wait_event(d, form));
}

/* Moves a reader that is up to date to the broadcast. */
static void caught_up(struct feed *d, struct reader *r)
{
    r->behind = false;
    if (d->wait_told && !reader_send(r, wait_event(d, r->form)))
        return;
    if (d->unsaved_told[r->form])
        reader_send(r, unsaved_event(d, r->form));
}

/* A reader whose blocks cannot be rendered waits for the end. */
static void send_caught_up(struct feed *d, const struct live_catch_up *c)
{
    struct reader *r = d->readers;
    while (r && r->serial != c->reader)
        r = r->next;
    if (r && !c->failed && (c->event.len == 0 || reader_send(r, strbuf_str(&c->event))))
        caught_up(d, r);
}

void feed_on_news(void *arg, const struct live_news *news)
{
    struct feed *d = arg;
    if (news->failed)
        log_warn("turn %s: message %lld is not shown until its end: %s", d->ids.turn, (long long)d->reply_id,
            news->failed);
    if (news->update.len)
        send_after_blocks(d, news->update);
    feed_tell_unsaved(d);
    for (size_t i = 0; i < news->caught_up_n; i++)
        send_caught_up(d, &news->caught_up[i]);
    render_new_blocks(d); /* for text that arrived meanwhile */
}

static struct str think_event(
    const struct feed *d, enum event_form form, struct str text, enum think_extent extent)
{
    strbuf_clear(&d->all->scratch);
    event_think(form, text, extent, &d->all->scratch);
    return strbuf_str(&d->all->scratch);
}

void feed_tell_thought(struct feed *d, struct str piece)
{
    strbuf_addstr(&d->thought, piece);
    d->thought.failed = false; /* a reader that comes later sees the beginning */
    for (enum event_form form = 0; form < EVENT_FORMS; form++)
        readers_send(d->readers, form, think_event(d, form, piece, THINK_PIECE));
}

void feed_tell_all_thought(struct feed *d)
{
    for (enum event_form form = 0; d->thought.len && form < EVENT_FORMS; form++)
        readers_send(d->readers, form, think_event(d, form, strbuf_str(&d->thought), THINK_WHOLE));
}

void feed_send_missing(struct feed *d, struct reader *r)
{
    bool lacks = r->from.message == 0;
    for (struct step_event *s = d->steps; s != d->unsent; s = s->next) {
        lacks = lacks || s->called_id == r->from.message;
        if (lacks)
            reader_send(r, strbuf_str(&s->text[r->form]));
    }
    if (d->unsent)
        return;
    if (d->thought.len && r->from.message != d->reply_id)
        reader_send(r, think_event(d, r->form, strbuf_str(&d->thought), THINK_WHOLE));
    if (r->form == EVENTS_DATA) {
        answer_text_catch_up(&d->text, r, &d->all->scratch);
        caught_up(d, r);
    } else if (live_answer_is_unread(d->answer)) {
        caught_up(d, r);
        render_new_blocks(d);
    } else {
        r->behind = true;
        live_answer_catch_up(d->answer, r->serial, r->from.message == d->reply_id ? r->from.text_pos : 0);
    }
}
