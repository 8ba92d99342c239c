#include "web/stream/feed.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/turn/turn_private.h"
#include "base/log.h"
#include "codec/sse.h"
#include "web/stream/turn_events.h"

#define BUCKETS 1024 /* of the table of feeds, by turn id; a power of two */

struct step_event {
    struct step_event *next;
    int64_t called_id;
    struct strbuf text;
};

struct feed {
    struct feed *next; /* in its bucket */
    struct feeds *all;
    struct turn_started ids;
    int64_t reply_id;
    struct live *live;
    struct step_event *steps, **last_step; /* as sent */
    int steps_pending;                     /* being rendered: blocks wait */
    bool ended;                            /* `end` is kept until no step is pending */
    struct turn_ended end;
    struct reader *readers;
};

struct feeds {
    struct feeds_setup set;
    struct feed *buckets[BUCKETS];
    struct reader *late;           /* readers of turns that have ended: their end is being rendered */
    struct strbuf scratch, blocks; /* of the event being built */
    int readers;
    int renders;    /* on the pool now */
    loop_fn *quiet; /* once there are none */
    void *quiet_arg;
};

static struct feed **bucket_of(struct feeds *f, const char *turn)
{
    unsigned h = 2166136261u; /* FNV-1a */
    for (const char *p = turn; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    return &f->buckets[h & (BUCKETS - 1)];
}

static struct feed *find(struct feeds *f, const char *turn)
{
    struct feed *at = *bucket_of(f, turn);
    while (at && strcmp(at->ids.turn, turn) != 0)
        at = at->next;
    return at;
}

struct feeds *feeds_new(const struct feeds_setup *s)
{
    struct feeds *f = xcalloc(1, sizeof *f);
    f->set = *s;
    strbuf_init(&f->scratch, EVENT_MAX);
    strbuf_init(&f->blocks, EVENT_MAX);
    return f;
}

static void drop_all(struct reader *list)
{
    while (list) {
        struct reader *next = list->next;
        reader_drop(list);
        list = next;
    }
}

static void feed_free(struct feed *d)
{
    struct feed **at = bucket_of(d->all, d->ids.turn);
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    drop_all(d->readers);
    for (struct step_event *s = d->steps, *next; s; s = next) {
        next = s->next;
        strbuf_release(&s->text);
        free(s);
    }
    live_free(d->live);
    free(d);
}

void feeds_free(struct feeds *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        while (f->buckets[i])
            feed_free(f->buckets[i]);
    drop_all(f->late);
    strbuf_release(&f->scratch);
    strbuf_release(&f->blocks);
    free(f);
}

int feeds_readers(const struct feeds *f)
{
    return f->readers;
}

static void broadcast(struct reader *list, struct str event)
{
    for (struct reader *r = list, *next; r; r = next) {
        next = r->next;
        if (r->kind == READER_EVENTS)
            reader_send(r, event);
    }
}

/* Blocks */

static void add_block(void *arg, const struct live_block *b)
{
    event_blocks_add(arg, b);
}

/* What is new since the last time, to everybody. */
static void send_new_blocks(struct feed *d)
{
    struct feeds *f = d->all;
    struct err e = ERR_INIT;
    if (!d->readers || d->steps_pending)
        return;
    strbuf_clear(&f->blocks);
    strbuf_clear(&f->scratch);
    if (live_update(d->live, add_block, &f->blocks, &e) != RC_OK) {
        log_warn("turn %s: %s", d->ids.turn, e.text); /* the end brings the whole answer */
        return;
    }
    if (f->blocks.len == 0)
        return;
    event_blocks_end(d->reply_id, BLOCKS_FROM_NONE, strbuf_str(&f->blocks), live_pos(d->live), &f->scratch);
    broadcast(d->readers, strbuf_str(&f->scratch));
}

/* What one reader lacks: the steps after the message it knows, then the blocks. */
static void send_missing(struct feed *d, struct reader *r)
{
    struct feeds *f = d->all;
    struct err e = ERR_INIT;
    bool lacks = r->from.message == 0;
    for (struct step_event *s = d->steps; s; s = s->next) {
        lacks = lacks || s->called_id == r->from.message;
        if (lacks && !reader_send(r, strbuf_str(&s->text)))
            return;
    }
    if (d->steps_pending)
        return;
    size_t known = r->from.message == d->reply_id ? r->from.text_pos : 0, from = 0;
    strbuf_clear(&f->blocks);
    strbuf_clear(&f->scratch);
    if (live_from(d->live, known, &from, add_block, &f->blocks, &e) != RC_OK || f->blocks.len == 0)
        return;
    event_blocks_end(d->reply_id, from, strbuf_str(&f->blocks), live_pos(d->live), &f->scratch);
    reader_send(r, strbuf_str(&f->scratch));
}

/* Rendering on a worker */

struct render {
    struct feeds *all;
    struct event_frame frame;
    char turn[ID_SIZE];
    struct turn_step step;
    struct strbuf text;
    struct reader *late; /* the reader that came after the end */
};

static struct render *render_new(struct feeds *f, const char *turn, int64_t owner)
{
    struct render *j = xcalloc(1, sizeof *j);
    j->all = f;
    j->frame = (struct event_frame){.web = f->set.web, .owner = owner, .csrf = ""};
    snprintf(j->turn, sizeof j->turn, "%s", turn);
    strbuf_init(&j->text, EVENT_MAX);
    return j;
}

static void render_free(struct render *j)
{
    strbuf_release(&j->text);
    free(j);
}

static void render_start(struct render *j, loop_fn *run, loop_fn *done)
{
    j->all->renders++;
    work_submit(j->all->set.pool, run, done, j);
}

static void render_done(struct render *j)
{
    struct feeds *f = j->all;
    render_free(j);
    if (--f->renders == 0 && f->quiet)
        f->quiet(f->quiet_arg);
}

void feeds_when_quiet(struct feeds *f, loop_fn *fn, void *arg)
{
    f->quiet = fn;
    f->quiet_arg = arg;
    if (f->renders == 0)
        fn(arg);
}

static void submit_end(struct feed *d);

static void render_step(void *arg)
{
    struct render *j = arg;
    struct err e = ERR_INIT;
    if (event_step(&j->frame, j->turn, &j->step, &j->text, &e) != RC_OK)
        log_error("turn %s: step: %s", j->turn, e.text); /* readers see it when the answer has ended */
}

static void step_rendered(void *arg)
{
    struct render *j = arg;
    struct feed *d = find(j->all, j->turn);
    if (d) {
        struct step_event *s = xcalloc(1, sizeof *s);
        s->called_id = j->step.called_id;
        s->text = j->text;
        strbuf_init(&j->text, EVENT_MAX);
        *d->last_step = s;
        d->last_step = &s->next;
        d->steps_pending--;
        broadcast(d->readers, strbuf_str(&s->text));
        send_new_blocks(d);
        if (d->ended && !d->steps_pending)
            submit_end(d);
    }
    render_done(j);
}

static void render_end(void *arg)
{
    struct render *j = arg;
    struct err e = ERR_INIT;
    enum rc rc = event_end(&j->frame, j->turn, &j->text, &e);
    if (rc ==
        RC_CONFLICT) /* not saved yet, or not begun: the stream closes without an end, and they come again */
        strbuf_clear(&j->text);
    else if (rc != RC_OK)
        log_error("turn %s: end: %s", j->turn, e.text);
}

/* A form post without script goes on to the answer, in the finished page. */
static void end_reader(struct reader *r, struct str event)
{
    if (reader_send(r, r->kind == READER_WAITS ? strbuf_str(&r->first) : event))
        reader_close(r);
}

static void end_feed(struct feed *d, struct str event)
{
    for (struct reader *r = d->readers, *next; r; r = next) {
        next = r->next;
        end_reader(r, event);
    }
    feed_free(d);
}

static void end_rendered(void *arg)
{
    struct render *j = arg;
    struct feed *d = find(j->all, j->turn);
    if (d)
        end_feed(d, strbuf_str(&j->text));
    render_done(j);
}

static void submit_end(struct feed *d)
{
    if (d->end.saved) {
        render_start(render_new(d->all, d->ids.turn, d->ids.owner), render_end, end_rendered);
    } else {
        strbuf_clear(&d->all->scratch);
        event_end_unsaved(d->end.reply_id, &d->all->scratch);
        end_feed(d, strbuf_str(&d->all->scratch));
    }
}

/* The observer */

static void on_started(void *arg, const struct turn_started *s)
{
    struct feeds *f = arg;
    struct feed *d = xcalloc(1, sizeof *d), **at = bucket_of(f, s->turn);
    d->all = f;
    d->ids = *s;
    d->reply_id = s->reply_id;
    d->last_step = &d->steps;
    d->live = live_new(TURN_TEXT_MAX);
    d->next = *at;
    *at = d;
}

static void on_record(void *arg, const char *turn, const struct turnlog_record *r)
{
    struct feeds *f = arg;
    struct feed *d = find(f, turn);
    struct err e = ERR_INIT;
    if (!d)
        return;
    if (r->kind == TURNLOG_TEXT) {
        if (live_add(d->live, r->content, &e) != RC_OK)
            log_warn("turn %s: %s", turn, e.text);
        else
            send_new_blocks(d);
        return;
    }
    strbuf_clear(&f->scratch);
    if (r->kind == TURNLOG_THINK) {
        event_think(&f->scratch);
    } else {
        int64_t ms = 0;
        str_to_int(r->content, 0, INT32_MAX, &ms);
        event_retry((int)ms, &f->scratch);
    }
    broadcast(d->readers, strbuf_str(&f->scratch));
}

static void on_step(void *arg, const char *turn, const struct turn_step *s)
{
    struct feeds *f = arg;
    struct feed *d = find(f, turn);
    if (!d)
        return;
    d->reply_id = s->reply_id;
    live_free(d->live);
    d->live = live_new(TURN_TEXT_MAX);
    d->steps_pending++;
    struct render *j = render_new(f, turn, d->ids.owner);
    j->step = *s;
    render_start(j, render_step, step_rendered);
}

static void on_ended(void *arg, const char *turn, const struct turn_ended *end)
{
    struct feeds *f = arg;
    struct feed *d = find(f, turn);
    if (!d)
        return;
    d->ended = true;
    d->end = *end;
    if (!d->steps_pending)
        submit_end(d);
}

struct turn_observer feeds_observer(struct feeds *f)
{
    return (struct turn_observer){
        .on_started = on_started, .on_record = on_record, .on_step = on_step, .on_ended = on_ended, .arg = f};
}

/* Readers */

static void late_rendered(void *arg)
{
    struct render *j = arg;
    /* The reader may have gone meanwhile; another one at its address that wants the same turn is as good. */
    for (struct reader *r = j->all->late; r; r = r->next)
        if (r == j->late && strcmp(r->turn, j->turn) == 0) {
            end_reader(r, strbuf_str(&j->text));
            break;
        }
    render_done(j);
}

static void ignore_block(void *arg, const struct live_block *b)
{
    (void)arg;
    (void)b;
}

void feeds_attach(struct feeds *f, struct reader *r)
{
    struct feed *d = find(f, r->turn);
    if (d) {
        if (!d->readers && !d->steps_pending)
            live_update(d->live, ignore_block, NULL, NULL); /* nobody watched: bring it up to date */
        if (reader_open(r, f->set.loop, &d->readers, &f->readers) && r->kind == READER_EVENTS)
            send_missing(d, r);
        return;
    }
    struct render *j = render_new(f, r->turn, r->owner);
    j->late = r;
    if (!reader_open(r, f->set.loop, &f->late, &f->readers)) {
        render_free(j);
        return;
    }
    render_start(j, render_end, late_rendered);
}

void feeds_ping(struct feeds *f)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct feed *d = f->buckets[i]; d; d = d->next)
            broadcast(d->readers, SSE_PING);
}

int64_t *feeds_logins(const struct feeds *f, size_t *n)
{
    int64_t *out = xcalloc((size_t)f->readers + 1, sizeof *out);
    *n = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct feed *d = f->buckets[i]; d; d = d->next)
            for (const struct reader *r = d->readers; r; r = r->next) {
                size_t at = 0;
                while (at < *n && out[at] != r->login_id)
                    at++;
                if (at == *n)
                    out[(*n)++] = r->login_id;
            }
    return out;
}

void feeds_drop_login(struct feeds *f, int64_t login_id)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct feed *d = f->buckets[i]; d; d = d->next)
            for (struct reader *r = d->readers, *next; r; r = next) {
                next = r->next;
                if (r->login_id == login_id)
                    reader_drop(r);
            }
}
