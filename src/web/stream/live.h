/*
 * The events of GET /api/events. They tell the pages and devices of a user about changes made elsewhere.
 *
 * The programs report their commits (store/changes.h), and the turn engine reports the turns that begin. Each
 * change becomes a small event: its kind and the id of the row. The reader fetches what it shows. Changes of
 * the same row within LIVE_GATHER_MS are one event.
 *
 * An event's id is a position: microseconds of the wall clock at which it was made, always growing. A reader
 * names the position up to which it knows everything (Last-Event-ID, or `from`: the time of the page) and
 * gets what came later from a ring of the newest events. When the ring does not reach back that far, or
 * changes were lost, it gets `reload`: everything may have changed.
 *
 * Events: `hello` (user, and the version of the pages' files) first, then `session` (id, head, or gone),
 * `turn` (a turn has begun: turn, session, asked, reply, parent), `task`, `suggestion`, `transfer`, `memory`,
 * `reminder` (id), `index`, `reload`, and `ping` in silence.
 *
 * Loop thread only, except live_count().
 */
#ifndef ALFRED_WEB_STREAM_LIVE_H
#define ALFRED_WEB_STREAM_LIVE_H

#include "app/turn/turn.h"
#include "base/clock.h"
#include "store/changes.h"
#include "web/stream/reader.h"

#define LIVE_RING      1024 /* events of all users */
#define LIVE_GATHER_MS 100
#define LIVE_PING_MS   (45 * MS_PER_S) /* Debian's haproxy.cfg allows 50 s of silence, nginx 60 s */

struct live;

struct live_setup {
    struct loop *loop;
    const char *data_dir;
    void (*logins_changed)(void *arg);                   /* a login may have become invalid */
    void (*session_gone)(void *arg, int64_t session_id); /* it was deleted */
    /* A user was disabled or enabled, or changes were lost: any session may have been deleted. */
    void (*check_turns)(void *arg);
    void (*suggestion_changed)(void *arg); /* or changes were lost */
    void *arg;
};

/* Opens the socket of store/changes.h. RC_IO. */
enum rc live_new(const struct live_setup *set, struct live **out, struct err *e);
void live_free(struct live *l); /* drops the readers; NULL is fine */

/* Takes ownership of the reader, which has all changes up to r->known (0: it wants changes from now on). */
void live_attach(struct live *l, struct reader *r);
void live_began(struct live *l, const struct turn_started *s);
/* A datagram as it came from the socket. */
void live_take(struct live *l, const void *bytes, size_t len);
/* Sends the gathered changes now. */
void live_flush(struct live *l);

struct reader *live_readers(const struct live *l);
int live_count(const struct live *l); /* its readers; any thread */

/* The position in a Last-Event-ID. False: the text is no position. */
bool live_position(struct str id, int64_t *out);

#endif
