/* The feed alone. Events are replaced by words, and the test runs the jobs of the pool in any order. */
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

/* All that has been submitted and what follows from it. */
static void finish_from(size_t i)
{
    for (; i < submitted_n; i++)
        finish(i);
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

void event_think(enum event_form form, struct str text, bool whole, struct strbuf *out)
{
    strbuf_addf(out, "%s%s%.*s ", form == EVENTS_PAGE ? "think" : "THINK", whole ? "=" : "+", STR_FMT(text));
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

/* A program that has seen the text of `message` up to `pos`. */
static int watch_data(struct place *p, int64_t message, size_t pos)
{
    return watch_as(p, &(struct reader){.form = EVENTS_DATA, .from = {message, pos}}, "");
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

TEST(steps_go_out_in_their_order_whichever_is_rendered_first)
{
    struct place p = place();
    int early = watch(&p, READER_EVENTS, "turn ");
    text(&p, "One.");
    finish(0);
    step(&p, 1);
    step(&p, 2);
    text(&p, "Three.");
    assert_string_equal(heard(early), "turn blocks1.4 ");
    finish(2);
    int late = watch(&p, READER_EVENTS, "turn ");
    assert_string_equal(heard(early), "");
    assert_string_equal(heard(late), "turn ");
    finish(1);
    finish(3);
    assert_string_equal(heard(early), "step1 step2 blocks3.6 ");
    assert_string_equal(heard(late), "step1 step2 blocks3.6 ");
    int last = watch(&p, READER_EVENTS, "turn ");
    finish(4);
    assert_string_equal(heard(last), "turn step1 step2 blocks3.6 ");
    close(early);
    close(late);
    close(last);
    leave(&p);
}

static int watch_in(struct place *p, const char *lang)
{
    return watch_as(p, &(struct reader){.lang = lang_find(str_of(lang))}, "");
}

TEST(readers_get_events_in_their_own_language)
{
    struct place p = place();
    int german = watch_in(&p, "de");
    struct turnlog_record wait = {.kind = TURNLOG_WAIT, .content = STR("40 reading")};
    p.turn.on_record(p.turn.arg, TURN, &wait);
    text(&p, "One.");
    step(&p, 1);
    text(&p, "Two.");
    finish_from(0);
    assert_int_equal(submitted_n, 3); /* rendered in one language */
    assert_string_equal(heard(german), "de:wait40 de:step1 blocks2.4 ");
    struct turnlog_record thought = {.kind = TURNLOG_THINK, .content = STR("hm")};
    p.turn.on_record(p.turn.arg, TURN, &thought);
    int english = watch_in(&p, "en"), same = watch_in(&p, "de");
    finish_from(3);
    assert_string_equal(heard(english), "step1 think=hm blocks2.4 ");
    assert_string_equal(heard(same), "de:step1 think=hm blocks2.4 ");
    assert_string_equal(heard(german), "think+hm ");
    size_t before = submitted_n;
    step(&p, 2);
    assert_int_equal(submitted_n, before + 2); /* once per language */
    finish_from(before);
    before = submitted_n;
    p.turn.on_ended(p.turn.arg, TURN);
    assert_int_equal(submitted_n, before + 2);
    finish_from(before);
    assert_string_equal(heard(english), "step2 end |");
    assert_string_equal(heard(german), "de:step2 de:end |");
    assert_string_equal(heard(same), "de:step2 de:end |");
    close(german);
    close(english);
    close(same);
    leave(&p);
}

TEST(text_that_arrives_during_rendering_is_sent_together)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    text(&p, " Two.");
    text(&p, " Three.");
    assert_int_equal(submitted_n, 1);
    finish(0);
    assert_string_equal(heard(fd), "blocks1.4 ");
    finish(1);
    assert_string_equal(heard(fd), "blocks1.16 ");
    assert_int_equal(submitted_n, 2);
    close(fd);
    leave(&p);
}

TEST(a_reader_that_joins_during_rendering_gets_older_blocks_first)
{
    struct place p = place();
    int early = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    int late = watch(&p, READER_EVENTS, "");
    text(&p, " Two.");
    finish(0);
    assert_string_equal(heard(early), "blocks1.4 ");
    assert_string_equal(heard(late), "");
    finish(1);
    assert_string_equal(heard(early), "blocks1.9 ");
    assert_string_equal(heard(late), "blocks1.9 ");
    text(&p, " Three.");
    finish(2);
    assert_string_equal(heard(early), "blocks1.16 ");
    assert_string_equal(heard(late), "blocks1.16 ");
    close(early);
    close(late);
    leave(&p);
}

TEST(a_late_reader_gets_finished_blocks_from_the_log)
{
    struct place p = place_inline(1000);
    int early = watch(&p, READER_EVENTS, "");
    text(&p, "One.\n\nTwo.\n\nThree");
    assert_string_equal(heard(early), "blocks1.17 ");
    int late = watch(&p, READER_EVENTS, "");
    assert_string_equal(heard(late), "blocks1.17 ");
    assert_int_equal(turnlog_remove(unit_tmp(), TURN, NULL), RC_OK); /* the turn has ended */
    int last = watch(&p, READER_EVENTS, "");
    assert_string_equal(heard(last), "");
    p.turn.on_ended(p.turn.arg, TURN);
    finish(0);
    assert_string_equal(heard(last), "end |");
    assert_string_equal(heard(late), "end |");
    close(early);
    close(late);
    close(last);
    leave(&p);
}

TEST(a_step_brings_a_reader_that_waits_for_older_blocks_up_to_date)
{
    struct place p = place();
    text(&p, "One.");
    int fd = watch(&p, READER_EVENTS, "");
    step(&p, 1);
    text(&p, "Two.");
    finish(0);
    assert_string_equal(heard(fd), "");
    finish(1);
    finish(2);
    assert_string_equal(heard(fd), "step1 blocks2.4 ");
    close(fd);
    leave(&p);
}

TEST(without_readers_nothing_is_rendered)
{
    struct place p = place();
    int form = watch(&p, READER_WAITS, "redirect ");
    text(&p, "One.");
    assert_int_equal(submitted_n, 0);
    int fd = watch(&p, READER_EVENTS, "");
    close(form);
    finish(0);
    assert_string_equal(heard(fd), "blocks1.4 ");
    close(fd);
    leave(&p);
}

TEST(few_bytes_are_rendered_at_once)
{
    struct place p = place_inline(20);
    int fd = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    assert_string_equal(heard(fd), "blocks1.4 ");
    text(&p, "\n\nTwo.\n\n");
    assert_string_equal(heard(fd), "blocks1.12 ");
    assert_int_equal(submitted_n, 0);
    text(&p, "Three, after settled text.");
    assert_int_equal(submitted_n, 1);
    finish(0);
    assert_string_equal(heard(fd), "blocks1.38 ");
    text(&p, "\n\nx");
    finish(1);
    heard(fd);
    text(&p, "y");
    assert_int_equal(submitted_n, 2);
    int late = watch(&p, READER_EVENTS, "");
    finish(2);
    assert_string_equal(heard(late), "blocks1.42 ");
    close(fd);
    close(late);
    leave(&p);
}

TEST(programs_get_text_at_once_and_missing_text_after_a_reconnect)
{
    struct place p = place();
    int early = watch_data(&p, 0, 0);
    text(&p, "Gr\xC3\xBC");
    text(&p, "n.");
    assert_string_equal(heard(early), "TEXT1.4:Gr\xC3\xBC TEXT1.6:n. ");
    assert_int_equal(submitted_n, 0); /* nothing is rendered for programs */
    int late = watch_data(&p, 0, 0), back = watch_data(&p, 1, 4), inside = watch_data(&p, 1, 3);
    int ahead = watch_data(&p, 1, 99);
    assert_string_equal(heard(late), "TEXT1.6:Gr\xC3\xBCn. ");
    assert_string_equal(heard(back), "TEXT1.6:n. ");
    assert_string_equal(heard(inside), "TEXT1.6:\xC3\xBCn. ");
    assert_string_equal(heard(ahead), "");
    int page = watch(&p, READER_EVENTS, "");
    text(&p, " Yes.");
    finish_from(0);
    assert_string_equal(heard(page), "blocks1.6 blocks1.11 ");
    for (const int *fd = (const int[]){early, late, back, inside, ahead, -1}; *fd >= 0; fd++) {
        assert_string_equal(heard(*fd), "TEXT1.11: Yes. ");
        close(*fd);
    }
    close(page);
    leave(&p);
}

TEST(programs_get_the_steps_between_the_texts_and_the_end_last)
{
    struct place p = place();
    int fd = watch_data(&p, 0, 0);
    text(&p, "One.");
    step(&p, 1);
    text(&p, "Two.");
    assert_string_equal(heard(fd), "TEXT1.4:One. ");
    finish(0);
    assert_string_equal(heard(fd), "STEP1 TEXT2.4:Two. ");
    int late = watch_data(&p, 1, 4);
    assert_string_equal(heard(late), "STEP1 TEXT2.4:Two. ");
    p.turn.on_unsaved(p.turn.arg, TURN);
    p.turn.on_ended(p.turn.arg, TURN);
    finish(1);
    assert_string_equal(heard(fd), "UNSAVED2 END |");
    assert_string_equal(heard(late), "UNSAVED2 END |");
    close(fd);
    close(late);
    leave(&p);
}

static void note_quiet(void *arg)
{
    *(bool *)arg = true;
}

TEST(a_turn_may_end_and_a_reader_may_leave_while_the_answer_is_rendered)
{
    struct place p = place();
    bool quiet = false;
    int fd = watch(&p, READER_EVENTS, ""), second = watch(&p, READER_EVENTS, "");
    text(&p, "One.");
    close(second);
    text(&p, " Two.");
    p.turn.on_ended(p.turn.arg, TURN);
    feeds_when_quiet(p.feeds, note_quiet, &quiet);
    finish(1);
    assert_false(quiet);
    assert_string_equal(heard(fd), "end |");
    finish(0);
    assert_true(quiet);
    assert_string_equal(heard(fd), "");
    close(fd);
    leave(&p);
}

TEST(the_end_comes_after_the_last_step)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    step(&p, 1);
    step(&p, 2);
    p.turn.on_ended(p.turn.arg, TURN);
    finish(1);
    assert_int_equal(submitted_n, 2);
    finish(0);
    finish(2);
    assert_string_equal(heard(fd), "step1 step2 end |");
    assert_int_equal(feeds_readers(p.feeds), 0);
    close(fd);
    leave(&p);
}

TEST(readers_of_an_unsaved_answer_stay_and_get_its_end)
{
    struct place p = place();
    int before = watch(&p, READER_EVENTS, ""), form = watch(&p, READER_WAITS, "redirect ");
    text(&p, "All.");
    for (int i = 0; i < 3; i++)
        p.turn.on_unsaved(p.turn.arg, TURN);
    assert_string_equal(heard(before), "");
    finish(0);
    assert_string_equal(heard(before), "blocks1.4 unsaved1 ");
    assert_string_equal(heard(form), "redirect |");
    int after = watch(&p, READER_EVENTS, "turn "), again = watch(&p, READER_WAITS, "redirect ");
    finish(1);
    assert_string_equal(heard(after), "turn blocks1.4 unsaved1 ");
    assert_string_equal(heard(again), "");
    p.turn.on_unsaved(p.turn.arg, TURN);
    assert_string_equal(heard(again), "redirect |");
    p.turn.on_ended(p.turn.arg, TURN);
    finish(2);
    assert_string_equal(heard(before), "end |");
    assert_string_equal(heard(after), "end |");
    close(before);
    close(form);
    close(after);
    close(again);
    leave(&p);
}

TEST(unsaved_is_sent_after_the_steps)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    step(&p, 1);
    p.turn.on_unsaved(p.turn.arg, TURN);
    assert_string_equal(heard(fd), "");
    finish(0);
    assert_string_equal(heard(fd), "step1 unsaved2 ");
    close(fd);
    leave(&p);
}

TEST(readers_of_a_deleted_turn_are_let_go_without_an_end)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, "");
    end_rc = RC_NOT_FOUND;
    p.turn.on_ended(p.turn.arg, TURN);
    finish(0);
    assert_string_equal(heard(fd), "|");
    close(fd);
    leave(&p);
}

TEST(a_text_that_cannot_be_shown_is_logged_once_for_its_message)
{
    struct place p = place();
    int fd = watch(&p, READER_EVENTS, ""), kept = dup(STDERR_FILENO), lines = 0;
    FILE *log = tmpfile();
    dup2(fileno(log), STDERR_FILENO);
    char *big = malloc(TURN_TEXT_MAX + 2);
    memset(big, 'x', TURN_TEXT_MAX + 1);
    big[TURN_TEXT_MAX + 1] = 0;
    for (int message = 1; message <= 2; message++) {
        for (int i = 0; i < 5; i++)
            text(&p, big);
        step(&p, message);
    }
    dup2(kept, STDERR_FILENO);
    rewind(log);
    for (int c; (c = fgetc(log)) != EOF;)
        lines += c == '\n';
    assert_int_equal(lines, 2);
    free(big);
    fclose(log);
    close(kept);
    close(fd);
    finish_from(0);
    leave(&p);
}
