#include "web/stream/reader.h"

#include <stdlib.h>
#include <sys/epoll.h>

#define REWRITTEN_MAX ((size_t)16 * 1024 * 1024)

bool reader_parse_position(struct str id, struct reader_position *out)
{
    struct str rest = id, message = str_cut(&rest, '.');
    int64_t m, pos;
    if (!str_to_int(message, 1, INT64_MAX, &m) || !str_to_int(rest, 0, INT32_MAX, &pos))
        return false;
    *out = (struct reader_position){.message = m, .text_pos = (size_t)pos};
    return true;
}

struct reader *reader_new(enum reader_kind kind, struct fcgi_conn conn, struct str first, size_t backlog_max)
{
    struct reader *r = xcalloc(1, sizeof *r);
    r->kind = kind;
    r->backlog_max = backlog_max;
    r->out = fcgi_stream_new(conn, backlog_max + READERS_EXCESS_MAX);
    strbuf_init(&r->first, READERS_EXCESS_MAX);
    strbuf_addstr(&r->first, first);
    return r;
}

static void unlink_reader(struct reader *r)
{
    if (!r->list)
        return;
    if (r->prev)
        r->prev->next = r->next;
    else
        *r->list = r->next;
    if (r->next)
        r->next->prev = r->prev;
    r->list = NULL;
    r->prev = r->next = NULL;
}

/* Counts unsent bytes above the reader's limit. False: all readers together exceed theirs. */
static bool count_excess(struct reader *r)
{
    size_t unsent = fcgi_stream_unsent(r->out);
    size_t excess = unsent > r->backlog_max ? unsent - r->backlog_max : 0;
    r->all->excess = r->all->excess - r->excess + excess;
    r->excess = excess;
    return !excess || r->all->excess <= READERS_EXCESS_MAX;
}

void reader_drop(struct reader *r)
{
    unlink_reader(r);
    if (r->rewrite.fn && !r->ending)
        r->rewrite.gone(r->rewrite.web, r->turn);
    if (r->rewrite.fn)
        r->rewrite.release(r->rewrite.arg);
    if (r->all) {
        r->all->n--;
        r->all->excess -= r->excess;
    }
    loop_watch_free(r->watch);
    fcgi_stream_free(r->out);
    strbuf_release(&r->first);
    free(r);
}

static void on_ready(void *arg, uint32_t events)
{
    struct reader *r = arg;
    if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) {
        reader_drop(r); /* the turn continues without the reader */
        return;
    }
    if (fcgi_stream_flush(r->out) != RC_OK) {
        reader_drop(r);
        return;
    }
    count_excess(r);
    if (fcgi_stream_waiting(r->out))
        return;
    if (r->ending)
        reader_drop(r);
    else
        loop_watch_events(r->watch, EPOLLRDHUP);
}

bool reader_open(struct reader *r, struct loop *l, struct reader **list, struct readers *all)
{
    struct err e = ERR_INIT;
    r->loop = l;
    r->all = all;
    all->n++;
    r->list = list;
    r->next = *list;
    if (r->next)
        r->next->prev = r;
    *list = r;
    if (loop_watch_new(l, fcgi_stream_fd(r->out), EPOLLRDHUP, on_ready, r, &r->watch, &e) == RC_OK)
        return true;
    reader_drop(r);
    return false;
}

static bool send_bytes(struct reader *r, struct str data)
{
    bool waited = fcgi_stream_waiting(r->out);
    if (!r->begun) {
        strbuf_addstr(&r->first, data);
        return true;
    }
    if (r->excess || fcgi_stream_send(r->out, data) != RC_OK || !count_excess(r)) {
        reader_drop(r);
        return false;
    }
    if (!waited && fcgi_stream_waiting(r->out))
        loop_watch_events(r->watch, EPOLLRDHUP | EPOLLOUT);
    return true;
}

bool reader_send(struct reader *r, struct str data)
{
    if (!r->rewrite.fn)
        return send_bytes(r, data);
    AUTO_STRBUF out;
    strbuf_init(&out, REWRITTEN_MAX);
    r->rewrite.fn(r->rewrite.arg, data, &out);
    return out.len == 0 || send_bytes(r, strbuf_str(&out));
}

void reader_begin(struct reader *r)
{
    r->begun = true;
    if (r->kind == READER_WAITS)
        return;
    if (r->first.failed)
        reader_drop(r);
    else if (send_bytes(r, strbuf_str(&r->first)))
        strbuf_release(&r->first);
}

void reader_close(struct reader *r)
{
    unlink_reader(r);
    r->ending = true;
    if (fcgi_stream_end(r->out) != RC_OK || !fcgi_stream_waiting(r->out)) {
        reader_drop(r);
        return;
    }
    loop_watch_events(r->watch, EPOLLRDHUP | EPOLLOUT);
}

bool readers_any(const struct reader *list, enum event_form form)
{
    while (list && (list->kind != READER_EVENTS || list->form != form))
        list = list->next;
    return list != NULL;
}

void readers_send(struct reader *list, enum event_form form, struct str event)
{
    for (struct reader *r = list, *next; r; r = next) {
        next = r->next;
        if (r->kind == READER_EVENTS && r->form == form)
            reader_send(r, event);
    }
}

void readers_drop(struct reader *list)
{
    while (list) {
        struct reader *next = list->next;
        list->ending = true;
        reader_drop(list);
        list = next;
    }
}

static bool same(struct credential a, struct credential b)
{
    return a.login_id == b.login_id && a.token_id == b.token_id;
}

void readers_credentials(const struct reader *list, struct credential *out, size_t *n)
{
    for (const struct reader *r = list; r; r = r->next) {
        size_t at = 0;
        while (at < *n && !same(out[at], r->by))
            at++;
        if (at == *n)
            out[(*n)++] = r->by;
    }
}

void readers_drop_credential(struct reader *list, struct credential by)
{
    for (struct reader *r = list, *next; r; r = next) {
        next = r->next;
        if (same(r->by, by))
            reader_drop(r);
    }
}
