/* The feed alone, for its tests. Events are replaced by words, and a test runs the jobs of the pool in any
 * order. */
#ifndef ALFRED_TESTS_WEB_STREAM_FEED_RIG_H
#define ALFRED_TESTS_WEB_STREAM_FEED_RIG_H

#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "web/stream/feed.h"
#include "web/stream/turn_events.h"

#define TURN    "trn_1"
#define BACKLOG ((size_t)1024 * 1024)

/* ---- in place of net/thread_pool.c ---- */

static struct {
    loop_fn *run, *done;
    void *arg;
} submitted[16];
static size_t submitted_n, finished_n;

void thread_pool_submit(struct thread_pool *p, loop_fn *run, loop_fn *done, void *arg)
{
    (void)p;
    assert_true(submitted_n < sizeof submitted / sizeof *submitted);
    submitted[submitted_n].run = run;
    submitted[submitted_n].done = done;
    submitted[submitted_n++].arg = arg;
}

/* Runs the submission number `i` (from 0), and returns its end to the loop. */
static void finish(size_t i)
{
    assert_true(i < submitted_n);
    submitted[i].run(submitted[i].arg);
    submitted[i].done(submitted[i].arg);
    finished_n++;
}

/* ---- in place of web/stream/turn_events.c ---- */

static enum rc end_rc;

void event_texts_init(struct strbuf text[EVENT_FORMS])
{
    for (size_t i = 0; i < EVENT_FORMS; i++)
        strbuf_init(&text[i], EVENT_MAX);
}

void event_texts_release(struct strbuf text[EVENT_FORMS])
{
    for (size_t i = 0; i < EVENT_FORMS; i++)
        strbuf_release(&text[i]);
}

static const char *in(const struct lang *l)
{
    return l && l == lang_find(STR("de")) ? "de:" : "";
}

/* Events for programs are in capitals. */
enum rc event_step(const struct event_frame *f, const char *turn, const struct turn_step *s,
    struct strbuf out[EVENT_FORMS], struct err *e)
{
    (void)turn;
    (void)e;
    strbuf_addf(&out[EVENTS_PAGE], "%sstep%lld ", in(f->lang), (long long)s->called_id);
    strbuf_addf(&out[EVENTS_DATA], "STEP%lld ", (long long)s->called_id);
    return RC_OK;
}

enum rc event_end(
    const struct event_frame *f, const char *turn, struct strbuf out[EVENT_FORMS], struct err *e)
{
    (void)turn;
    strbuf_addf(&out[EVENTS_PAGE], "%send ", in(f->lang));
    strbuf_adds(&out[EVENTS_DATA], "END ");
    return end_rc == RC_OK ? RC_OK : err_set(e, end_rc, "no end");
}

void event_unsaved(const struct lang *l, enum event_form form, int64_t reply_id, struct strbuf *out)
{
    (void)l;
    strbuf_addf(out, "%s%lld ", form == EVENTS_PAGE ? "unsaved" : "UNSAVED", (long long)reply_id);
}

void event_think(enum event_form form, struct str text, enum think_extent extent, struct strbuf *out)
{
    strbuf_addf(out, "%s%s%.*s ", form == EVENTS_PAGE ? "think" : "THINK", extent == THINK_WHOLE ? "=" : "+",
        STR_FMT(text));
}

void event_wait(const struct lang *l, enum event_form form, const struct turn_waiting *w, struct strbuf *out)
{
    strbuf_addf(out, "%s%s%d ", in(l), form == EVENTS_PAGE ? "wait" : "WAIT", w->percent);
}

void event_text(int64_t reply_id, struct str piece, size_t text_pos, struct strbuf *out)
{
    strbuf_addf(out, "TEXT%lld.%zu:%.*s ", (long long)reply_id, text_pos, STR_FMT(piece));
}

void event_blocks_add(struct strbuf *blocks, const struct markdown_stream_block *b)
{
    strbuf_addstr(blocks, b->html);
}

void event_blocks_end(int64_t reply_id, size_t from, struct str blocks, size_t text_pos, struct strbuf *out)
{
    (void)from;
    (void)blocks;
    strbuf_addf(out, "blocks%lld.%zu ", (long long)reply_id, text_pos);
}

/* ---- a turn and its readers ---- */

struct place {
    struct turnlogs *logs;
    struct turnlog *log; /* as the engine writes it */
    struct loop *loop;
    struct feeds *feeds;
    struct turn_observer turn;
};

static int began_n, ended_n;

static void count_begun(void *arg, const struct turn_started *s)
{
    assert_string_equal(s->turn, TURN);
    ++*(int *)arg;
}

static void count_ended(void *arg)
{
    (void)arg;
    ended_n++;
}

static struct place place_inline(size_t inline_max)
{
    struct place p = {0};
    submitted_n = finished_n = 0;
    end_rc = RC_OK;
    assert_int_equal(loop_new(&p.loop, NULL), RC_OK);
    began_n = 0;
    p.feeds = feeds_new(&(struct feeds_setup){.loop = p.loop,
        .data_dir = unit_tmp(),
        .inline_max = inline_max,
        .began = count_begun,
        .ended = count_ended,
        .arg = &began_n});
    p.turn = feeds_observer(p.feeds);
    assert_int_equal(turnlog_remove(unit_tmp(), TURN, NULL), RC_OK);
    p.logs = turnlogs_new(unit_tmp());
    assert_int_equal(turnlog_create(p.logs, TURN, &p.log, NULL), RC_OK);
    struct turn_started s = {.turn = TURN, .owner = 1, .reply_id = 1};
    p.turn.on_started(p.turn.arg, &s);
    assert_int_equal(began_n, 1);
    return p;
}

static struct place place(void)
{
    return place_inline(0);
}

static void leave(struct place *p)
{
    assert_int_equal(finished_n, submitted_n);
    feeds_free(p->feeds);
    turnlog_free(p->log);
    turnlogs_free(p->logs);
    loop_free(p->loop);
}

static void text(struct place *p, const char *s)
{
    struct turnlog_record r = {.kind = TURNLOG_TEXT, .content = str_of(s)};
    assert_int_equal(turnlog_append(p->log, r.kind, r.content, NULL), RC_OK);
    p->turn.on_record(p->turn.arg, TURN, &r);
}

/* Message `called` calls a tool; the next one comes after it. */
static void step(struct place *p, int64_t called)
{
    struct turn_step s = {.called_id = called, .reply_id = called + 1};
    char id[24];
    snprintf(id, sizeof id, "%lld", (long long)s.reply_id);
    assert_int_equal(turnlog_append(p->log, TURNLOG_MESSAGE, str_of(id), NULL), RC_OK);
    p->turn.on_step(p->turn.arg, TURN, &s);
}

/* A new reader; gives the browser's end of its connection. */
static int watch_as(struct place *p, const struct reader *like, const char *first)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    struct reader *r = reader_new(like->kind, (struct fcgi_conn){fds[0], 1}, str_of(first), BACKLOG);
    snprintf(r->turn, sizeof r->turn, TURN);
    r->form = like->form;
    r->from = like->from;
    r->lang = like->lang;
    feeds_attach(p->feeds, r);
    return fds[1];
}

static int watch(struct place *p, enum reader_kind kind, const char *first)
{
    return watch_as(p, &(struct reader){.kind = kind}, first);
}

/* The text since the last call, without the framing; "|" is the end of the answer. */
static const char *heard(int fd)
{
    static char out[4096];
    unsigned char raw[4096];
    size_t n = 0;
    ssize_t got = read(fd, raw, sizeof raw);
    for (ssize_t at = 0; at + 8 <= got;) {
        size_t len = (size_t)raw[at + 4] << 8 | raw[at + 5];
        if (raw[at + 1] == 6) {
            memcpy(out + n, raw + at + 8, len);
            n += len;
        } else {
            out[n++] = '|';
        }
        at += (ssize_t)(8 + len);
    }
    out[n] = 0;
    return out;
}

#endif
