#include "web/stream/feed_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "codec/sse.h"
#include "web/stream/event_render.h"

#define THOUGHT_MAX ((size_t)64 * 1024) /* bytes of reasoning kept for readers that come later */
#define HASHED_END  6                   /* characters of an id that select its bucket: 30 bits */

/* Runs for each token. The characters at the end of an id are random (base/id.h). */
static struct feed **bucket_of(struct feeds *f, const char *turn)
{
    struct str id = str_of(turn);
    size_t skip = id.len > HASHED_END ? id.len - HASHED_END : 0;
    return &f->buckets[str_hash(str_from(id, skip), 0) & (FEED_BUCKETS - 1)];
}

/* The next feed of the turn, from `at` on. */
static struct feed *of_turn(struct feed *at, const char *turn)
{
    while (at && strcmp(at->ids.turn, turn) != 0)
        at = at->next;
    return at;
}

static struct feed *first_of(struct feeds *f, const char *turn)
{
    return of_turn(*bucket_of(f, turn), turn);
}

static struct feed *next_of(const struct feed *d)
{
    return of_turn(d->next, d->ids.turn);
}

static struct feed *find(struct feeds *f, const char *turn, const struct lang *lang)
{
    struct feed *d = first_of(f, turn);
    while (d && d->lang != lang)
        d = next_of(d);
    return d;
}

struct feeds *feeds_new(const struct feeds_setup *s)
{
    struct feeds *f = xcalloc(1, sizeof *f);
    f->set = *s;
    strbuf_init(&f->scratch, EVENT_MAX);
    live_buffers_init(&f->inlined);
    return f;
}

static void feed_free(struct feed *d)
{
    struct feed **at = bucket_of(d->all, d->ids.turn);
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    readers_drop(d->readers);
    for (struct step_event *s = d->steps, *next; s; s = next) {
        next = s->next;
        event_texts_release(s->text);
        free(s);
    }
    live_answer_free(d->answer);
    answer_text_release(&d->text);
    strbuf_release(&d->thought);
    free(d);
}

void feeds_free(struct feeds *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < FEED_BUCKETS; i++)
        while (f->buckets[i])
            feed_free(f->buckets[i]);
    readers_drop(f->late);
    strbuf_release(&f->scratch);
    live_buffers_release(&f->inlined);
    free(f);
}

int feeds_readers(const struct feeds *f)
{
    return f->readers.n;
}

static void job_begins(void *arg)
{
    ((struct feeds *)arg)->renders++;
}

static void job_ends(void *arg)
{
    struct feeds *f = arg;
    if (--f->renders == 0 && f->quiet)
        f->quiet(f->quiet_arg);
}

static void new_answer(struct feed *d, int64_t reply_id)
{
    struct live_answer_setup s = {.message_id = reply_id,
        .data_dir = d->all->set.data_dir,
        .text_max = TURN_TEXT_MAX,
        .inline_max = d->all->set.inline_max,
        .pool = d->all->set.render_pool,
        .inlined = &d->all->inlined,
        .news = feed_on_news,
        .news_arg = d,
        .begins = job_begins,
        .ends = job_ends,
        .job_arg = d->all};
    memcpy(s.turn, d->ids.turn, sizeof s.turn);
    live_answer_free(d->answer);
    d->answer = live_answer_new(&s);
    d->reply_id = reply_id;
    d->too_long = d->wait_told = false;
    d->waiting = (struct turn_waiting){0};
    answer_text_begin(&d->text, reply_id);
    strbuf_clear(&d->thought);
    for (struct reader *r = d->readers; r; r = r->next)
        r->behind = false; /* the step contains the whole old answer */
}

/* ---- rendering on a worker ---- */

static struct event_render *render_new(
    struct feeds *f, const struct lang *lang, const char *turn, int64_t owner)
{
    return event_render_new(f, f->set.web, lang, turn, owner);
}

static void render_start(struct event_render *j, loop_fn *run, loop_fn *done)
{
    job_begins(j->feeds);
    thread_pool_submit(j->feeds->set.pool, run, done, j);
}

static void render_done(struct event_render *j)
{
    struct feeds *f = j->feeds;
    event_render_free(j);
    job_ends(f);
}

void feeds_when_quiet(struct feeds *f, loop_fn *fn, void *arg)
{
    f->quiet = fn;
    f->quiet_arg = arg;
    if (f->renders == 0)
        fn(arg);
}

static void submit_end(struct feed *d);

/* Sends the next steps in order, then the blocks that waited for them. */
static void send_steps(struct feed *d)
{
    for (; d->unsent && d->unsent->rendered; d->unsent = d->unsent->next)
        for (enum event_form form = 0; form < EVENT_FORMS; form++)
            readers_send(d->readers, form, strbuf_str(&d->unsent->text[form]));
    if (d->unsent)
        return;
    if (d->replays)
        feed_tell_all_thought(d);
    d->replays = false;
    feed_send_new(d);
    feed_tell_wait(d);
    if (d->ended)
        submit_end(d);
    else
        feed_tell_unsaved(d);
}

static void step_rendered(void *arg)
{
    struct event_render *j = arg;
    struct feed *d = find(j->feeds, j->turn, j->frame.lang);
    struct step_event *s = d ? d->unsent : NULL;
    while (s && s->called_id != j->step.called_id)
        s = s->next;
    if (s) {
        memcpy(s->text, j->text, sizeof s->text);
        event_texts_init(j->text);
        s->rendered = true;
        send_steps(d);
    }
    render_done(j);
}

/* Sends the last event and ends the reader. A form post that waits gets its redirect instead (r->first). */
static void end_reader(struct reader *r, const struct strbuf event[EVENT_FORMS])
{
    if (reader_send(r, strbuf_str(r->kind == READER_WAITS ? &r->first : &event[r->form])))
        reader_close(r);
}

static void end_feed(struct feed *d, const struct strbuf event[EVENT_FORMS])
{
    for (struct reader *r = d->readers, *next; r; r = next) {
        next = r->next;
        end_reader(r, event);
    }
    feed_free(d);
}

static void end_rendered(void *arg)
{
    struct event_render *j = arg;
    struct feed *d = find(j->feeds, j->turn, j->frame.lang);
    if (d)
        end_feed(d, j->text);
    render_done(j);
}

static void submit_end(struct feed *d)
{
    render_start(render_new(d->all, d->lang, d->ids.turn, d->ids.owner), event_render_end, end_rendered);
}

/* ---- the observer ---- */

static struct feed *feed_new(struct feeds *f, const struct turn_started *s, const struct lang *lang)
{
    struct feed *d = xcalloc(1, sizeof *d), **at = bucket_of(f, s->turn);
    d->all = f;
    d->ids = *s;
    d->lang = lang;
    answer_text_init(&d->text, TURN_TEXT_MAX);
    strbuf_init(&d->thought, THOUGHT_MAX);
    new_answer(d, s->reply_id);
    d->last_step = &d->steps;
    d->next = *at;
    *at = d;
    return d;
}

static void on_started(void *arg, const struct turn_started *s)
{
    struct feeds *f = arg;
    feed_new(f, s, lang_english()); /* the first reader brings its language */
    f->set.began(f->set.arg, s);
}

static void take_record(struct feed *d, const struct turnlog_record *r)
{
    struct err e = ERR_INIT;
    if (r->kind == TURNLOG_WAIT || r->kind == TURNLOG_TOOL || r->kind == TURNLOG_ASK) {
        d->waiting = turn_wait_read(r);
        d->wait_told = false;
        feed_tell_wait(d);
        return;
    }
    d->wait_told = false;
    d->waiting = (struct turn_waiting){0};
    if (r->kind == TURNLOG_TEXT) {
        if (live_answer_add(d->answer, r->content, &e) == RC_OK) {
            answer_text_add(&d->text, r->content);
            feed_send_new(d);
        } else if (!d->too_long) {
            log_warn("turn %s: message %lld is not shown until its end: %s", d->ids.turn,
                (long long)d->reply_id, e.text);
        }
        d->too_long = d->too_long || e.rc != RC_OK;
        return;
    }
    feed_tell_thought(d, r->content);
}

static void on_record(void *arg, const char *turn, const struct turnlog_record *r)
{
    for (struct feed *d = first_of(arg, turn); d; d = next_of(d))
        take_record(d, r);
}

static void take_step(struct feed *d, const struct turn_step *s)
{
    new_answer(d, s->reply_id);
    struct step_event *event = xcalloc(1, sizeof *event);
    event->called_id = s->called_id;
    event->reply_id = s->reply_id;
    *d->last_step = event;
    d->last_step = &event->next;
    if (!d->unsent)
        d->unsent = event;
    struct event_render *j = render_new(d->all, d->lang, d->ids.turn, d->ids.owner);
    j->step = *s;
    render_start(j, event_render_step, step_rendered);
}

static void on_step(void *arg, const char *turn, const struct turn_step *s)
{
    for (struct feed *d = first_of(arg, turn); d; d = next_of(d))
        take_step(d, s);
}

static void keep_text(struct feed *d)
{
    answer_text_keep(&d->text, d->all->set.data_dir, d->ids.turn, !d->unsent);
}

/* A feed of the same turn in another language. */
static struct feed *feed_copy(struct feed *from, const struct lang *lang)
{
    keep_text(from);
    struct feed *d = feed_new(from->all, &from->ids, lang);
    for (const struct step_event *s = from->steps; s; s = s->next)
        take_step(d, &(struct turn_step){.called_id = s->called_id, .reply_id = s->reply_id});
    struct str text = strbuf_str(&from->text.text);
    d->too_long = from->too_long || live_answer_add(d->answer, text, NULL) != RC_OK;
    keep_text(d);
    strbuf_addstr(&d->thought, strbuf_str(&from->thought));
    d->waiting = from->waiting;
    d->wait_told = !d->unsent && from->wait_told;
    d->unsaved = from->unsaved;
    d->ended = from->ended;
    d->replays = true;
    if (d->ended && !d->unsent)
        submit_end(d);
    return d;
}

/* Pages without script do not wait for disk space: they show the running answer. */
static void on_unsaved(void *arg, const char *turn)
{
    for (struct feed *d = first_of(arg, turn); d; d = next_of(d)) {
        for (struct reader *r = d->readers, *next; r; r = next) {
            next = r->next;
            if (r->kind == READER_WAITS)
                end_reader(r, NULL);
        }
        d->unsaved = true;
        feed_tell_unsaved(d);
    }
}

static void on_ended(void *arg, const char *turn)
{
    const struct feeds *f = arg;
    for (struct feed *d = first_of(arg, turn); d; d = next_of(d)) {
        d->ended = true;
        if (!d->unsent)
            submit_end(d);
    }
    f->set.ended(f->set.arg);
}

struct turn_observer feeds_observer(struct feeds *f)
{
    return (struct turn_observer){.on_started = on_started,
        .on_record = on_record,
        .on_step = on_step,
        .on_unsaved = on_unsaved,
        .on_ended = on_ended,
        .arg = f};
}

/* ---- readers ---- */

static void late_rendered(void *arg)
{
    struct event_render *j = arg;
    /* The reader may have left, and another one may have its address. That one gets the end if it reads the
     * same turn. */
    for (struct reader *r = j->feeds->late; r; r = r->next)
        if (r == j->late && strcmp(r->turn, j->turn) == 0) {
            end_reader(r, j->text);
            break;
        }
    render_done(j);
}

/* The feed of the reader's turn in its language; NULL: the turn does not run here. A feed that nobody has
 * read takes the language of its first reader. */
static struct feed *feed_for(struct feeds *f, const struct reader *r)
{
    struct feed *any = first_of(f, r->turn), *d = find(f, r->turn, r->lang);
    if (d || !any || r->kind == READER_WAITS)
        return d ? d : any;
    if (any->readers || any->steps || any->ended || next_of(any))
        return feed_copy(any, r->lang);
    any->lang = r->lang;
    return any;
}

void feeds_attach(struct feeds *f, struct reader *r)
{
    struct feed *d = feed_for(f, r);
    if (d) {
        r->serial = ++f->serial;
        if (r->kind == READER_EVENTS && r->form == EVENTS_DATA)
            keep_text(d);
        if (!reader_open(r, f->set.loop, &d->readers, &f->readers))
            return;
        if (r->kind == READER_EVENTS)
            feed_send_missing(d, r);
        reader_begin(r);
        return;
    }
    struct event_render *j = render_new(f, r->lang, r->turn, r->owner);
    j->late = r;
    if (!reader_open(r, f->set.loop, &f->late, &f->readers)) {
        event_render_free(j);
        return;
    }
    reader_begin(r);
    render_start(j, event_render_end, late_rendered);
}

void feeds_ping(struct feeds *f)
{
    for (size_t i = 0; i < FEED_BUCKETS; i++)
        for (struct feed *d = f->buckets[i]; d; d = d->next)
            for (enum event_form form = 0; form < EVENT_FORMS; form++)
                readers_send(d->readers, form, SSE_PING);
}

void feeds_credentials(const struct feeds *f, struct credential *out, size_t *n)
{
    for (size_t i = 0; i < FEED_BUCKETS; i++)
        for (const struct feed *d = f->buckets[i]; d; d = d->next)
            readers_credentials(d->readers, out, n);
}

void feeds_drop_credential(struct feeds *f, struct credential by)
{
    for (size_t i = 0; i < FEED_BUCKETS; i++)
        for (struct feed *d = f->buckets[i]; d; d = d->next)
            readers_drop_credential(d->readers, by);
}
