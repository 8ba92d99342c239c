#include "app/turn/turn_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "app/account/settings.h"
#include "app/jobs/helper_notify.h"
#include "base/backoff.h"
#include "base/fs.h"
#include "base/local_socket.h"
#include "base/log.h"
#include "base/said.h"

#define SOCKET_NAME  "turns.sock"
#define DATAGRAM_MAX 128
#define LOOK         "look"  /* datagram: search for orders */
#define STOP         "stop " /* datagram: stop the turns of the session whose id follows */

void turn_order_notify(const char *data_dir)
{
    local_socket_send(data_dir, SOCKET_NAME, STR(LOOK));
}

void turn_stop_notify(const char *data_dir, const char *session)
{
    char datagram[sizeof STOP + ID_SIZE];
    int n = snprintf(datagram, sizeof datagram, STOP "%s", session);
    local_socket_send(data_dir, SOCKET_NAME, (struct str){datagram, (size_t)n});
}

/* The result of a search. The pool's thread writes it; the loop reads it after the search. It is not a part
 * of struct turn_orders, because compilers read neighbouring bools together, which TSan reports as a race. */
struct found {
    bool waits;
    enum rc rc;
    struct err why;
};

/* One search for orders, and their starts. Owned by the loop, except `arena`, `found`, `list` and `n` during
 * look(). */
struct turn_orders {
    struct turn_orders_setup set;
    int fd;
    struct loop_watch *watch;
    struct loop_timer *next; /* the next search: after a failure, or when no datagram comes */
    struct backoff backoff;
    struct log_repeat errors;
    struct arena *arena;
    struct found *found;
    struct turn_order *list;
    size_t n, left;      /* n: orders in `list`; left: those whose start has not ended */
    bool looking, again; /* a search runs; another one follows */
    bool waits;          /* the store has orders, perhaps behind a running turn */
    bool failed;         /* this search or one of its starts failed for a temporary reason */
    loop_fn *idle;       /* after turn_orders_stop() */
    void *idle_arg;
};

struct start {
    struct turn_orders *all;
    const struct turn_order *order;
    struct err why; /* of a failure */
    enum rc rc;     /* not RC_OK: it failed for a temporary reason */
    bool ended;     /* it ended without a turn, so the next order of its session can start */
};

/* ---- on the pool ---- */

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct turn_order *o = arg;
    enum rc rc =
        o->error ? store_turn_order_refuse(db, o->id, o->error, e) : store_turn_order_delete(db, o->id, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* withdrawn */
}

/* A send gets a conflict only while another turn begins, so the same order can start later. An order of a
 * disabled user waits. */
static bool is_temporary(const struct turn_order *o, enum rc rc)
{
    return rc_is_temporary(rc) || rc == RC_UNAUTHENTICATED || (rc == RC_CONFLICT && o->kind == ORDER_SEND);
}

/* Deletes the order, or stores the reason of its refusal. `why` NULL: its turn has started before. */
static enum rc end_order(struct turn_orders *all, struct turn_order o, const struct err *why, struct err *e)
{
    if (why)
        o.error = err_stored(why);
    AUTO(arena) a = arena_new();
    if (why && !o.error)
        o.error = said_new(a, "answer.server_problem", SAID_ARGS());
    enum rc rc = store_write(all->set.store, end_tx, &o, e);
    if (rc == RC_OK && why) {
        log_warn("order %lld is refused: %s: %s", (long long)o.id, rc_name(why->rc), why->text);
        helper_notify(all->set.data_dir);
    }
    return rc;
}

/* The end of the branch that the order names; 0: that of the session, also when the message is gone. */
static int64_t branch_end(struct store *s, const struct turn_order *o)
{
    int64_t leaf = 0;
    if (!o->branch_id)
        return 0;
    struct db *db = store_read(s);
    enum rc rc = store_message_leaf(db, o->owner, o->branch_id, &leaf, NULL);
    store_read_done(s, db);
    return rc == RC_OK ? leaf : 0;
}

static void start(void *arg)
{
    static const enum turn_kind kinds[] = {
        [ORDER_SEND] = TURN_SEND, [ORDER_REGENERATE] = TURN_REGENERATE, [ORDER_CONTINUE] = TURN_CONTINUE};
    struct start *s = arg;
    const struct turn_order *o = s->order;
    struct store *store = s->all->set.store;
    struct err why = ERR_INIT;
    struct turn_ticket ticket;
    struct turn_request r = {.kind = kinds[o->kind],
        .owner = o->owner,
        .session = o->session,
        .message_id = o->message_id,
        .parent_id = branch_end(store, o),
        .text = o->text,
        .pictures = str_of(o->pictures ? o->pictures : ""),
        .client_id = o->client_id,
        .channel = o->channel,
        .order_id = o->id,
        .sets_pasted = o->sets_pasted,
        .pasted_from = o->pasted_from,
        .lang = settings_lang(store, o->owner)};
    enum rc rc = turn_send(s->all->set.engine, &r, &ticket, &why);
    if (rc == RC_OK && !ticket.repeated)
        return;
    if (is_temporary(o, rc)) {
        s->rc = rc;
        s->why = why;
        return;
    }
    s->rc = end_order(s->all, *o, rc == RC_OK ? NULL : &why, &s->why);
    s->ended = s->rc == RC_OK;
}

static void look(void *arg)
{
    struct turn_orders *o = arg;
    struct found *f = o->found;
    struct db *db = store_read(o->set.store);
    f->rc = store_turn_orders_ready(db, o->arena, TURN_ORDERS_AT_ONCE, &o->list, &o->n, &f->why);
    if (f->rc == RC_OK)
        f->rc = store_turn_orders_wait(db, &f->waits, &f->why);
    store_read_done(o->set.store, db);
}

/* ---- on the loop ---- */

static void failed(struct turn_orders *o, enum rc rc, const struct err *why)
{
    o->failed = true;
    log_repeat(&o->errors, LOG_WARN, "orders for turns wait: %s: %s", rc_name(rc), why->text);
}

static void look_now(struct turn_orders *o);

static void look_ended(struct turn_orders *o)
{
    bool more = o->again || o->n == TURN_ORDERS_AT_ONCE;
    o->looking = false;
    arena_free(o->arena);
    o->arena = NULL;
    if (o->idle) {
        o->idle(o->idle_arg);
        return;
    }
    if (o->failed) {
        loop_timer_set(o->next, backoff_next(&o->backoff));
        return;
    }
    log_repeat_end(&o->errors, "the start of ordered turns");
    backoff_reset(&o->backoff);
    if (more)
        look_now(o);
    else if (o->set.look_ms)
        loop_timer_set(o->next, o->set.look_ms);
}

static void on_started(void *arg)
{
    struct start *s = arg;
    struct turn_orders *o = s->all;
    if (s->rc != RC_OK)
        failed(o, s->rc, &s->why);
    o->again = o->again || s->ended;
    free(s);
    if (--o->left == 0)
        look_ended(o);
}

static void on_looked(void *arg)
{
    struct turn_orders *o = arg;
    o->failed = false;
    if (o->found->rc == RC_OK)
        o->waits = o->found->waits;
    else
        failed(o, o->found->rc, &o->found->why);
    size_t n = o->failed || o->idle ? 0 : o->n;
    o->left = n;
    if (n == 0)
        look_ended(o);
    for (size_t i = 0; i < n; i++) {
        struct start *s = xcalloc(1, sizeof *s);
        *s = (struct start){.all = o, .order = &o->list[i], .why = ERR_INIT};
        thread_pool_submit(o->set.pool, start, on_started, s);
    }
}

static void look_now(struct turn_orders *o)
{
    o->again = o->looking;
    if (o->looking || o->idle)
        return;
    o->looking = true;
    o->list = NULL;
    o->n = 0;
    o->arena = arena_new();
    o->found = ARENA_ARRAY(o->arena, struct found, 1);
    thread_pool_submit(o->set.pool, look, on_looked, o);
}

static void on_next(void *arg)
{
    look_now(arg);
}

void turn_orders_look(struct turn_orders *o)
{
    if (o->waits || o->looking)
        look_now(o);
}

static void on_datagrams(void *arg, uint32_t events)
{
    struct turn_orders *o = arg;
    char datagram[DATAGRAM_MAX + 1];
    bool wanted = false;
    (void)events;
    for (ssize_t n; (n = recv(o->fd, datagram, DATAGRAM_MAX, 0)) >= 0;) {
        datagram[n] = '\0';
        if (strncmp(datagram, STOP, strlen(STOP)) == 0)
            turn_stop_session_named(o->set.engine, datagram + strlen(STOP));
        else
            wanted = true;
    }
    if (wanted)
        look_now(o);
}

enum rc turn_orders_new(const struct turn_orders_setup *s, struct turn_orders **out, struct err *e)
{
    struct turn_orders *o = xcalloc(1, sizeof *o);
    o->set = *s;
    o->fd = -1;
    o->backoff = TURN_ORDER_RETRY;
    enum rc rc = local_socket_listen(s->data_dir, SOCKET_NAME, &o->fd, e);
    if (rc == RC_OK)
        rc = loop_watch_new(s->loop, o->fd, EPOLLIN, on_datagrams, o, &o->watch, e);
    if (rc != RC_OK) {
        turn_orders_free(o);
        return rc;
    }
    o->next = loop_timer_new(s->loop, on_next, o);
    loop_timer_set(o->next, 0); /* not now: a loop that never runs leaves no task that uses `o` */
    *out = o;
    return RC_OK;
}

void turn_orders_stop(struct turn_orders *o, loop_fn *idle, void *arg)
{
    o->idle = idle;
    o->idle_arg = arg;
    loop_timer_set(o->next, -1);
    if (!o->looking)
        idle(arg);
}

void turn_orders_free(struct turn_orders *o)
{
    if (!o)
        return;
    loop_watch_free(o->watch);
    loop_timer_free(o->next);
    arena_free(o->arena);
    fs_close(&o->fd);
    free(o);
}
