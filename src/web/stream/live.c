#include "web/stream/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "assets.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/local_socket.h"
#include "base/log.h"
#include "codec/sse.h"
#include "web/http/resource.h"

#define EVENT_BYTES_MAX 1024
#define SENDERS         32 /* programs and commands whose numbers are compared */

struct event {
    int64_t position, owner; /* owner 0: all users */
    char *text;              /* with its id */
};

struct sender {
    uint64_t id, number;
    int64_t heard_ms;
};

struct live {
    struct live_setup set;
    int fd;
    struct loop_watch *watch;
    struct loop_timer *gather, *ping;
    bool gathering; /* the timer is set */
    struct changes_datagram waiting;
    struct reader *readers;
    struct readers all;
    struct event ring[LIVE_RING];
    size_t next;           /* slot of the next event */
    int64_t position;      /* of the last event */
    int64_t complete_from; /* the ring has every event after this position */
    struct sender senders[SENDERS];
};

/* Grows also when the wall clock is set back. */
static int64_t now_position(const struct live *l)
{
    int64_t now = clock_wall_ms() * US_PER_MS;
    return now > l->position ? now : l->position;
}

/* ---- events ---- */

static const char *const names[CHANGE_KINDS] = {
    [CHANGE_ALL] = "reload",
    [CHANGE_SESSION] = "session",
    [CHANGE_TASK] = "task",
    [CHANGE_SUGGESTION] = "suggestion",
    [CHANGE_TRANSFER] = "transfer",
    [CHANGE_MEMORY] = "memory",
    [CHANGE_INDEX] = "index",
    [CHANGE_REMINDER] = "reminder",
    [CHANGE_CHOICE] = "choice",
    [CHANGE_PERSONA] = "persona",
    [CHANGE_FILE] = "file",
};

static void write_event(struct strbuf *out, const char *name, int64_t position, const struct view *v)
{
    AUTO_STRBUF json;
    strbuf_init(&json, EVENT_BYTES_MAX);
    view_json(v, &json);
    char id[24];
    snprintf(id, sizeof id, "%lld", (long long)position);
    sse_write(out, name, position ? id : NULL, strbuf_str(&json));
}

/* Sends an event to the readers of `owner` (0: of all users) and keeps it in the ring. */
static void tell(struct live *l, int64_t owner, const char *name, const struct view *v)
{
    AUTO_STRBUF text;
    strbuf_init(&text, EVENT_BYTES_MAX);
    l->position = now_position(l) + 1;
    write_event(&text, name, l->position, v);
    struct event *slot = &l->ring[l->next];
    if (slot->text)
        l->complete_from = slot->position;
    free(slot->text);
    *slot = (struct event){l->position, owner, xstrdup(strbuf_str(&text).s)};
    l->next = (l->next + 1) % LIVE_RING;
    for (struct reader *r = l->readers, *next; r; r = next) {
        next = r->next;
        if (!owner || r->owner == owner)
            reader_send(r, strbuf_str(&text));
    }
}

static void tell_change(struct live *l, const struct change *c)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    if (c->pub[0])
        view_text(v, "id", c->pub);
    if (c->value == CHANGE_GONE)
        view_bool(v, "gone", true);
    else if (c->kind == CHANGE_SESSION)
        view_id(a, v, "head", c->value);
    tell(l, c->owner, names[c->kind], v);
}

void live_flush(struct live *l)
{
    struct changes_datagram *d = &l->waiting;
    bool logins = false, users = false, suggestions = false, all = false;
    for (uint32_t i = 0; i < d->n; i++) {
        all = all || d->list[i].kind == CHANGE_ALL;
        logins = logins || d->list[i].kind == CHANGE_LOGIN;
        suggestions = suggestions || d->list[i].kind == CHANGE_SUGGESTION;
        users = users || (d->list[i].kind == CHANGE_LOGIN && !d->list[i].id);
        if (d->list[i].kind != CHANGE_LOGIN)
            tell_change(l, &d->list[i]);
        if (d->list[i].kind == CHANGE_SESSION && d->list[i].value == CHANGE_GONE)
            l->set.session_gone(l->set.arg, d->list[i].id);
    }
    d->n = 0;
    if (logins || all)
        l->set.logins_changed(l->set.arg);
    if (users || all)
        l->set.check_turns(l->set.arg);
    if (suggestions || all)
        l->set.suggestion_changed(l->set.arg);
}

static void on_gather(void *arg)
{
    struct live *l = arg;
    l->gathering = false;
    live_flush(l);
}

static void add(struct live *l, const struct change *c)
{
    if (c->kind < 0 || c->kind >= CHANGE_KINDS)
        return;
    changes_add(&l->waiting, c);
    if (!l->gathering)
        loop_timer_set(l->gather, LIVE_GATHER_MS);
    l->gathering = true;
}

void live_began(struct live *l, const struct turn_started *s)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_text(v, "turn", s->turn);
    view_text(v, "session", s->session);
    view_id(a, v, "asked", s->asked_id);
    view_id(a, v, "reply", s->reply_id);
    view_id(a, v, "parent", s->parent_id);
    tell(l, s->owner, "turn", v);
}

/* ---- datagrams ---- */

/* False: datagrams of this sender are missing. */
static bool in_order(struct live *l, const struct changes_datagram *d)
{
    struct sender *oldest = &l->senders[0];
    for (size_t i = 0; i < SENDERS; i++) {
        struct sender *s = &l->senders[i];
        if (s->id == d->sender) {
            bool next = d->number == s->number + 1;
            s->number = d->number;
            s->heard_ms = clock_mono_ms();
            return next;
        }
        if (s->heard_ms < oldest->heard_ms)
            oldest = s;
    }
    *oldest = (struct sender){d->sender, d->number, clock_mono_ms()};
    return true;
}

void live_take(struct live *l, const void *bytes, size_t len)
{
    struct changes_datagram d;
    bool known = changes_parse(bytes, len, &d);
    if (!known || !in_order(l, &d))
        add(l, &(struct change){.kind = CHANGE_ALL});
    for (uint32_t i = 0; known && i < d.n; i++)
        add(l, &d.list[i]);
}

static void on_datagrams(void *arg, uint32_t events)
{
    struct live *l = arg;
    struct changes_datagram d;
    (void)events;
    for (ssize_t n; (n = recv(l->fd, &d, sizeof d, MSG_TRUNC)) >= 0;)
        live_take(l, &d, (size_t)n);
}

/* ---- readers ---- */

bool live_position(struct str id, int64_t *out)
{
    return str_to_int(id, 0, INT64_MAX, out);
}

/* Sends the reader the events that it has missed. */
static void catch_up(struct live *l, struct reader *r)
{
    if (r->known < l->complete_from || r->known > now_position(l)) {
        AUTO(arena) a = arena_new();
        AUTO_STRBUF text;
        strbuf_init(&text, EVENT_BYTES_MAX);
        write_event(&text, names[CHANGE_ALL], now_position(l), view_new(a));
        reader_send(r, strbuf_str(&text));
        return;
    }
    for (size_t i = 0; i < LIVE_RING; i++) {
        const struct event *ev = &l->ring[(l->next + i) % LIVE_RING];
        if (ev->text && ev->position > r->known && (!ev->owner || ev->owner == r->owner))
            reader_send(r, str_of(ev->text));
    }
}

void live_attach(struct live *l, struct reader *r)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF hello;
    strbuf_init(&hello, EVENT_BYTES_MAX);
    struct view *v = view_new(a);
    view_id(a, v, "user", r->owner);
    view_text(v, "version", ASSET_VERSION);
    int64_t known = r->known;
    write_event(&hello, "hello", known ? 0 : now_position(l), v);
    if (!reader_open(r, l->set.loop, &l->readers, &l->all))
        return;
    reader_send(r, strbuf_str(&hello));
    if (known)
        catch_up(l, r);
    reader_begin(r);
}

struct reader *live_readers(const struct live *l)
{
    return l->readers;
}

int live_count(const struct live *l)
{
    return l->all.n;
}

/* A ping has an id, so that the reader's position moves on while nothing changes. */
static void on_ping(void *arg)
{
    struct live *l = arg;
    AUTO(arena) a = arena_new();
    AUTO_STRBUF text;
    strbuf_init(&text, EVENT_BYTES_MAX);
    write_event(&text, "ping", now_position(l), view_new(a));
    readers_send(l->readers, EVENTS_DATA, strbuf_str(&text));
    loop_timer_set(l->ping, LIVE_PING_MS);
}

/* ---- life ---- */

enum rc live_new(const struct live_setup *set, struct live **out, struct err *e)
{
    struct live *l = xcalloc(1, sizeof *l);
    l->set = *set;
    l->fd = -1;
    enum rc rc = local_socket_listen(set->data_dir, CHANGES_SOCKET, &l->fd, e);
    if (rc == RC_OK)
        rc = loop_watch_new(set->loop, l->fd, EPOLLIN, on_datagrams, l, &l->watch, e);
    if (rc != RC_OK) {
        live_free(l);
        return rc;
    }
    l->gather = loop_timer_new(set->loop, on_gather, l);
    l->ping = loop_timer_new(set->loop, on_ping, l);
    loop_timer_set(l->ping, LIVE_PING_MS);
    l->complete_from = now_position(l);
    *out = l;
    return RC_OK;
}

void live_free(struct live *l)
{
    if (!l)
        return;
    readers_drop(l->readers);
    loop_watch_free(l->watch);
    loop_timer_free(l->gather);
    loop_timer_free(l->ping);
    fs_close(&l->fd);
    for (size_t i = 0; i < LIVE_RING; i++)
        free(l->ring[i].text);
    free(l);
}
