/* Shared by the tests of the router. */
#ifndef ALFRED_TESTS_APP_CHANNEL_ROUTER_RIG_H
#define ALFRED_TESTS_APP_CHANNEL_ROUTER_RIG_H

#include "updates_rig.h"

static struct router *router;
static struct routed routed;
static int64_t seen;

static enum rc claim_tx(struct db *db, void *arg, struct err *e)
{
    struct inbox_row *rows;
    size_t n;
    enum rc rc = store_inbox_claim(db, arena, seen, 1, &rows, &n, e);
    if (rc == RC_OK && n)
        *(struct inbox_row *)arg = rows[0];
    return rc;
}

static struct incoming *claim(void)
{
    struct incoming *in = ARENA_NEW(arena, struct incoming);
    assert_ok(store_write(store, claim_tx, &in->row, NULL));
    seen = in->row.id;
    in->driver = &door_driver;
    assert_true(door_read(NULL, arena, in->row.body, &in->u));
    return in;
}

/* Receives one update and processes it. */
static enum rc take(const char *chat, const char *thread, const char *sender, const char *message,
    const char *flags, const char *text)
{
    door_receive(clock_wall_ms(), chat, thread, sender, message, flags, text);
    struct incoming *in = claim();
    return router_run(router, &in, 1, arena, &routed, NULL);
}

static void start_with(const char *settings, bool group_context)
{
    door_open(settings);
    seen = 0;
    router =
        router_new(&(struct router_setup){.store = store, .config = config, .group_context = group_context});
}

static void start(void)
{
    start_with("", false);
}

static void stop(void)
{
    router_free(router);
    door_close();
}

static const char *last_post(void)
{
    return door_text("SELECT markdown FROM outbox ORDER BY id DESC LIMIT 1");
}

static int64_t orders(void)
{
    return door_int("SELECT count(*) FROM turn_order");
}

#endif
