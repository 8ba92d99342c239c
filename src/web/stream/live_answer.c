#include "web/stream/live_answer.h"

#include <stdlib.h>

#include "app/turn/turnlog.h"
#include "base/log.h"
#include "codec/markdown/growing/markdown_stream.h"
#include "web/stream/turn_events.h"

struct catch_ups {
    struct live_catch_up *at;
    size_t n, room;
};

struct live_answer {
    struct live_answer_setup set;
    struct strbuf fresh; /* text that came while a job runs */
    size_t text_len;     /* length of all text */
    bool grown;          /* text came since the start of the last job */
    struct catch_ups asked;
    bool busy, orphan; /* busy: a job runs; orphan: its result is no longer needed */
    bool failed;

    /* Used by the running job, otherwise by the loop. */
    struct markdown_stream *live;
    struct catch_ups serving;
    struct live_buffers own, *out; /* out: those of this job */
    struct err *error;             /* NULL: none */
};

void live_buffers_init(struct live_buffers *b)
{
    strbuf_init(&b->blocks, EVENT_MAX);
    strbuf_init(&b->update, EVENT_MAX);
}

void live_buffers_release(struct live_buffers *b)
{
    strbuf_release(&b->blocks);
    strbuf_release(&b->update);
}

struct live_answer *live_answer_new(const struct live_answer_setup *s)
{
    struct live_answer *a = xcalloc(1, sizeof *a);
    a->set = *s;
    a->live = markdown_stream_new(s->text_max);
    strbuf_init(&a->fresh, s->text_max);
    live_buffers_init(&a->own);
    return a;
}

static void catch_ups_clear(struct catch_ups *c)
{
    while (c->n)
        strbuf_release(&c->at[--c->n].event);
}

static void release(struct live_answer *a)
{
    catch_ups_clear(&a->asked);
    catch_ups_clear(&a->serving);
    free(a->asked.at);
    free(a->serving.at);
    markdown_stream_free(a->live);
    strbuf_release(&a->fresh);
    live_buffers_release(&a->own);
    err_drop(&a->error);
    free(a);
}

void live_answer_free(struct live_answer *a)
{
    if (a && a->busy)
        a->orphan = true;
    else if (a)
        release(a);
}

/* On the pool. */

static void add_block(void *arg, const struct markdown_stream_block *b)
{
    event_blocks_add(arg, b);
}

static enum rc render_update(struct live_answer *a)
{
    struct err e = ERR_INIT;
    enum rc rc = markdown_stream_update(a->live, add_block, &a->out->blocks, &e);
    if (rc != RC_OK)
        *err_kept(&a->error) = e;
    if (rc == RC_OK && a->out->blocks.len)
        event_blocks_end(a->set.message_id, BLOCKS_FROM_NONE, strbuf_str(&a->out->blocks),
            markdown_stream_pos(a->live), &a->out->update);
    return rc;
}

/* The text so far. `read` is a buffer for the log's part, which is read once per job. */
static bool whole_text(const struct live_answer *a, struct strbuf *read, struct str *text)
{
    struct err e = ERR_INIT;
    if (markdown_stream_whole(a->live, text))
        return true;
    if (!read->len && turnlog_text(a->set.data_dir, a->set.turn, a->set.message_id, read, &e) != RC_OK)
        log_debug("turn %s: its text so far is not read: %s", a->set.turn, e.text);
    *text = strbuf_str(read);
    return read->len >= markdown_stream_pos(a->live);
}

static enum rc render_catch_up(struct live_answer *a, struct live_catch_up *c, struct strbuf *read)
{
    size_t from = 0;
    struct err e = ERR_INIT;
    struct str text;
    strbuf_clear(&a->out->blocks);
    c->failed = !whole_text(a, read, &text);
    if (c->failed)
        return RC_OK;
    enum rc rc = markdown_stream_from(a->live, text, c->known, &from, add_block, &a->out->blocks, &e);
    if (rc != RC_OK)
        *err_kept(&a->error) = e;
    if (rc == RC_OK && a->out->blocks.len)
        event_blocks_end(
            a->set.message_id, from, strbuf_str(&a->out->blocks), markdown_stream_pos(a->live), &c->event);
    return rc;
}

static void render(void *arg)
{
    struct live_answer *a = arg;
    AUTO_STRBUF read;
    strbuf_init(&read, a->set.text_max);
    enum rc rc = render_update(a);
    for (size_t i = 0; i < a->serving.n && rc == RC_OK; i++)
        rc = render_catch_up(a, &a->serving.at[i], &read);
    a->failed = rc != RC_OK;
}

/* On the loop. */

static void take_fresh(struct live_answer *a)
{
    struct err e = ERR_INIT;
    if (markdown_stream_add(a->live, strbuf_str(&a->fresh), &e) != RC_OK) {
        *err_kept(&a->error) = e;
        a->failed = true;
    }
    strbuf_release(&a->fresh);
}

static void rendered(void *arg)
{
    struct live_answer *a = arg;
    struct live_answer_setup set = a->set;
    a->busy = false;
    if (a->orphan) {
        release(a);
    } else {
        if (a->fresh.len)
            take_fresh(a);
        struct live_news news = {.update = strbuf_str(&a->out->update),
            .caught_up = a->serving.at,
            .caught_up_n = a->serving.n,
            .failed = a->failed ? a->error->text : NULL};
        set.news(set.news_arg, &news);
    }
    set.ends(set.job_arg);
}

static void start(struct live_answer *a)
{
    if (a->busy || a->failed)
        return;
    a->grown = false;
    struct catch_ups served = a->serving;
    catch_ups_clear(&served);
    a->serving = a->asked;
    a->asked = served;
    a->busy = true;
    a->set.begins(a->set.job_arg);
    size_t work = a->serving.n ? a->text_len : markdown_stream_work(a->live);
    bool pooled = work > a->set.inline_max;
    a->out = pooled ? &a->own : a->set.inlined;
    if (!pooled)
        live_buffers_release(&a->own);
    strbuf_clear(&a->out->blocks);
    strbuf_clear(&a->out->update);
    if (pooled) {
        thread_pool_submit(a->set.pool, render, rendered, a);
    } else {
        render(a);
        rendered(a);
    }
}

enum rc live_answer_add(struct live_answer *a, struct str text, struct err *e)
{
    if (text.len > a->set.text_max - a->text_len)
        return err_set(e, RC_TOO_BIG, "more than %zu bytes of text", a->set.text_max);
    a->text_len += text.len;
    a->grown |= text.len > 0;
    if (!a->busy)
        return markdown_stream_add(a->live, text, e);
    strbuf_addstr(&a->fresh, text);
    return RC_OK;
}

bool live_answer_is_unread(const struct live_answer *a)
{
    return !a->busy && !a->failed && markdown_stream_pos(a->live) == 0;
}

bool live_answer_is_idle(const struct live_answer *a)
{
    return !a->busy && (a->failed || !a->grown);
}

void live_answer_update(struct live_answer *a)
{
    if (a->grown || a->asked.n)
        start(a);
}

void live_answer_catch_up(struct live_answer *a, uint64_t reader, size_t known)
{
    struct catch_ups *c = &a->asked;
    if (c->n == c->room) {
        c->room = c->room ? c->room * 2 : 4;
        c->at = xrealloc(c->at, c->room * sizeof *c->at);
    }
    c->at[c->n] = (struct live_catch_up){.reader = reader, .known = known};
    strbuf_init(&c->at[c->n++].event, EVENT_MAX);
    start(a);
}
