/*
 * The words of recordings. The provider is asked on the loop, so a slow one holds neither a thread of the
 * pool nor the queues of other chats. After a failure that may pass, the recording is fetched again, because
 * it is not kept. A provider that is silent for [speech] timeout_seconds is not asked again: later messages
 * of the chat wait meanwhile.
 */
#include "app/channel/intake_private.h"

#include <stdio.h>

#include "base/clock.h"

static void take_words(struct queue *q, const struct llm_transcript *t)
{
    struct incoming *in = &q->with->in;
    struct str words = t->text;
    in->voice = router_voice_usage(q->all->set.router, t);
    struct arena *a = q->with->arena;
    if (words.len == 0) {
        in->file_problem = said_new(a, "channel.voice_silent", SAID_ARGS());
        return;
    }
    in->file = arena_str(a, words);
    struct str caption = str_trim(in->u.text);
    in->u.text =
        caption.len ? str_of(arena_printf(a, "%.*s\n\n%.*s", STR_FMT(caption), STR_FMT(words))) : in->file;
}

/* Telegram records in one format only. */
static const char *with_advice(struct arena *a, const char *problem)
{
    char said[SAID_MAX];
    snprintf(said, sizeof said, "%s", problem);
    said_add(said, "channel.voice_format", SAID_ARGS());
    return arena_strdup(a, said);
}

static void not_heard(struct queue *q, enum rc rc, const struct err *e)
{
    struct incoming *in = &q->with->in;
    const char *problem = err_stored(e);
    problem = problem ? arena_strdup(q->with->arena, problem)
                      : said_new(q->with->arena, "channel.failed", SAID_ARGS());
    if (rc == RC_UNAVAILABLE || rc == RC_RATE_LIMITED || rc == RC_IO) {
        intake_file_later(
            q, "a recording is not written down", e->text, (int64_t)e->retry_after_s * MS_PER_S, problem);
        return;
    }
    if (err_is(e, "speech.format_refused"))
        problem = with_advice(q->with->arena, problem);
    log_warn("a recording of update %s of %s is not written down: %s", in->row.update_id, in->row.channel,
        e->text);
    in->file_problem = problem;
}

static void heard(void *arg, enum rc rc, const struct llm_transcript *t, const struct err *e)
{
    struct queue *q = arg;
    struct intake *i = q->all;
    q->listening = NULL;
    loop_timer_set(q->timer, -1);
    i->voices--;
    if (i->stopping)
        return;
    if (rc == RC_OK)
        take_words(q, t);
    else
        not_heard(q, rc, e);
    if (q->rc == RC_OK)
        q->unreachable_since = 0;
    intake_queue_advance(q);
    intake_files_continue(i);
}

/* The place is that of an item, which a sign that is under way may outlive. */
void intake_voice_typing(struct queue *q)
{
    const struct incoming *in = &q->with->in;
    const struct channel_place *p = &in->u.place;
    struct arena *a = arena_new();
    const struct channel_action act = {.kind = ACTION_TYPING,
        .place = {.chat = arena_strdup(a, p->chat), .thread = arena_strdup(a, p->thread)}};
    notice_send(&q->all->notices, in->driver, &act, a);
    if (in->driver->typing_ms > 0)
        loop_timer_set(q->timer, in->driver->typing_ms);
}

void intake_voice_listen(struct queue *q)
{
    struct intake *i = q->all;
    struct llm_transcribe r;
    struct err why = ERR_INIT;
    enum rc rc = router_voice_request(i->set.router, strbuf_str(&q->data), &r, &why);
    if (rc == RC_OK && !i->http)
        i->http = http_client_new(i->set.loop, r.allowed, r.allowed_n);
    if (rc == RC_OK)
        rc = llm_transcribe_start(i->http, &r, heard, q, &q->listening, &why);
    strbuf_release(&q->data);
    if (rc != RC_OK)
        heard(q, rc, NULL, &why);
    else
        intake_voice_typing(q);
}
