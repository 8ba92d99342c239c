/* Orders of other programs for turns: each starts one turn, in order per session, also after a restart. */
#include <pthread.h> /* the Makefile runs files that name it under TSan too */

#include <poll.h>

#include "engine.h"

#include "app/jobs/helper_notify.h"
#include "app/turn/turn_order.h"
#include "base/clock.h"
#include "store/message/picture.h"
#include "store/session/session.h"

#define SESSION "ses_00000000000000000000000001"
#define WAITING "SELECT count(*) FROM turn_order WHERE error IS NULL"
#define REFUSED "SELECT count(*) FROM turn_order WHERE error IS NOT NULL"

static struct turn_orders *orders;
static int64_t look_ms;

static void open_orders(void *arg)
{
    struct place *p = arg;
    struct turn_orders_setup s = {p->engine, p->loop, p->pool, p->store, p->config->server.data_dir, look_ms};
    assert_ok(turn_orders_new(&s, &orders, NULL));
    note(p, &p->steps);
}

static void wake(struct place *p)
{
    turn_order_notify(p->config->server.data_dir);
}

static enum rc add_session(struct db *db, void *arg, struct err *e)
{
    int64_t id;
    return store_session_add(db, 1, arg, NULL, NULL, 1, &id, e);
}

static void orders_place(struct place *p)
{
    new_place(p, "", SOON);
    assert_ok(store_write(p->store, add_session, SESSION, NULL));
    loop_post(p->loop, open_orders, p);
    await(p, &p->steps, 1);
}

static void on_no_orders(void *arg)
{
    drain(arg);
}

static void stop_orders(void *arg)
{
    turn_orders_stop(orders, on_no_orders, arg);
}

static void end_orders(struct place *p)
{
    loop_post(p->loop, stop_orders, p);
    pthread_join(p->thread, NULL);
    turn_orders_free(orders);
}

static void leave_orders(struct place *p)
{
    end_orders(p);
    close_place(p);
}

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    return store_turn_order_add(db, arg, e);
}

static void add_order(struct place *p, const char *client_id, const char *text)
{
    struct turn_order o = {.owner = 1,
        .session = SESSION,
        .text = str_of(text),
        .client_id = client_id,
        .channel = "telegram",
        .purpose = ORDER_CHANNEL,
        .purpose_id = 7,
        .created_at = 1};
    assert_ok(store_write(p->store, add_tx, &o, NULL));
}

static void order(struct place *p, const char *client_id, const char *text)
{
    add_order(p, client_id, text);
    wake(p);
}

TEST(an_order_starts_one_turn_and_disappears)
{
    struct place p;
    orders_place(&p);
    order(&p, "telegram:1:1", "Hello");
    order(&p, "telegram:1:1", "Hello"); /* while it waits, or when its turn exists */
    await(&p, &p.ended, 1);
    order(&p, "telegram:1:1", "Hello");
    order(&p, "telegram:1:2", "again");
    await(&p, &p.ended, 2);
    assert_int_equal(number(&p, "SELECT count(*) FROM turn"), 2);
    assert_int_equal(number(&p, "SELECT count(*) FROM message WHERE channel = 'telegram'"), 4);
    assert_int_equal(number(&p, "SELECT count(*) FROM session WHERE channel = 'telegram'"), 1);
    leave_orders(&p);
}

TEST(an_order_starts_also_when_its_notice_is_lost)
{
    struct place p;
    look_ms = 20;
    orders_place(&p);
    look_ms = 0;
    for (int i = 1; i <= 2; i++) {
        add_order(&p, i == 1 ? "a" : "b", "Hello");
        await(&p, &p.ended, i);
    }
    assert_int_equal(number(&p, WAITING), 0);
    leave_orders(&p);
}

TEST(an_order_that_ends_without_a_turn_is_followed_by_the_next)
{
    struct place p;
    orders_place(&p);
    order(&p, "a", "one");
    await(&p, &p.ended, 1);
    add_order(&p, "a", "one"); /* was started before */
    add_order(&p, "b", "");    /* is refused */
    add_order(&p, "c", "two");
    wake(&p);
    await(&p, &p.ended, 2);
    assert_int_equal(number(&p, WAITING), 0);
    assert_int_equal(number(&p, "SELECT count(*) FROM turn"), 2);
    leave_orders(&p);
}

static void look_on_loop(void *arg)
{
    (void)arg;
    turn_orders_look(orders);
}

TEST(orders_of_a_session_wait_for_its_turn_and_keep_their_order)
{
    struct place p;
    orders_place(&p);
    model.waits = true;
    order(&p, "a", "one");
    await(&p, &p.started, 1);
    order(&p, "b", "two");
    order(&p, "c", "three");
    assert_int_equal(number(&p, WAITING), 2);
    for (int i = 1; i <= 3; i++) {
        await(&p, &p.started, i);
        say(&p);
        await(&p, &p.ended, i);
        loop_post(p.loop, look_on_loop, NULL);
    }
    assert_int_equal(number(&p, "SELECT count(*) FROM message a JOIN message b ON b.id > a.id "
                                "WHERE a.text = 'one' AND b.text = 'two'"),
        1);
    assert_int_equal(number(&p, "SELECT count(*) FROM message a JOIN message b ON b.id > a.id "
                                "WHERE a.text = 'two' AND b.text = 'three'"),
        1);
    assert_int_equal(number(&p, WAITING), 0);
    leave_orders(&p);
}

TEST(a_stop_ends_the_turns_of_its_session)
{
    struct place p;
    orders_place(&p);
    model.waits = true;
    order(&p, "a", "one");
    await(&p, &p.started, 1);
    turn_stop_notify(p.config->server.data_dir, "ses_00000000000000000000000009");
    turn_stop_notify(p.config->server.data_dir, SESSION);
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM turn WHERE status = 'stopped'"), 1);
    leave_orders(&p);
}

static enum rc order_of_bert(struct db *db, void *arg, struct err *e)
{
    int64_t bert, id;
    struct turn_order o = {.session = arg, .text = STR("of bert"), .client_id = "b", .channel = "telegram"};
    o.purpose = ORDER_CHANNEL;
    enum rc rc = store_user_add(db, "bert", USER_MEMBER, "x", 1, &bert, e);
    o.owner = bert;
    if (rc == RC_OK)
        rc = store_session_add(db, bert, o.session, NULL, NULL, 1, &id, e);
    return rc == RC_OK ? store_turn_order_add(db, &o, e) : rc;
}

TEST(an_order_of_a_disabled_user_waits_until_the_user_is_enabled)
{
    struct place p;
    orders_place(&p);
    char session[] = "ses_00000000000000000000000002";
    assert_ok(store_write(p.store, order_of_bert, session, NULL));
    sql(&p, "UPDATE user SET disabled_at = 5 WHERE name = 'bert'");
    order(&p, "a", "one"); /* one search finds both */
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM turn WHERE owner = 1"), 1);
    assert_int_equal(number(&p, WAITING), 1);
    sql(&p, "UPDATE user SET disabled_at = NULL");
    loop_post(p.loop, look_on_loop, NULL);
    await(&p, &p.ended, 2);
    assert_int_equal(number(&p, WAITING), 0);
    leave_orders(&p);
}

TEST(an_order_whose_user_is_disabled_when_it_starts_is_not_refused)
{
    struct place p;
    orders_place(&p);
    sql(&p, "CREATE TRIGGER late AFTER DELETE ON turn_order BEGIN UPDATE user SET disabled_at = 5; END");
    unit_log_begin();
    order(&p, "a", "one");
    unit_log_await(1);
    assert_int_equal(number(&p, WAITING), 1);
    sql(&p, "DROP TRIGGER late");
    await(&p, &p.ended, 1);
    leave_orders(&p);
}

TEST(what_cannot_be_sent_is_refused_with_its_reason)
{
    struct place p;
    orders_place(&p);
    AUTO_FD told = -1;
    assert_ok(helper_listen(p.config->server.data_dir, &told, NULL));
    order(&p, "a", "   ");
    assert_int_equal(poll(&(struct pollfd){.fd = told, .events = POLLIN}, 1, PATIENCE_S * 1000), 1);
    assert_int_equal(number(&p, REFUSED), 1);
    assert_int_equal(
        number(&p, "SELECT count(*) FROM turn_order WHERE error LIKE '%chat.empty_message%'"), 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM turn"), 0);
    order(&p, "b", "Hello"); /* the refused one holds up nothing */
    await(&p, &p.ended, 1);
    leave_orders(&p);
}

static enum rc add_picture_order(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    AUTO(arena) a = arena_new();
    struct picture picture = {.media_type = "image/png", .width = 1, .height = 1, .bytes = 1};
    struct turn_order o = {.owner = 1,
        .session = SESSION,
        .text = STR(""),
        .client_id = "a",
        .channel = "telegram",
        .purpose = ORDER_CHANNEL,
        .created_at = 1};
    enum rc rc = store_picture_add(db, a, 1, &picture, STR("x"), clock_wall_ms(), e);
    o.pictures = picture.pub;
    return rc == RC_OK ? store_turn_order_add(db, &o, e) : rc;
}

TEST(an_order_brings_its_pictures)
{
    struct place p;
    orders_place(&p);
    AUTO_FD told = -1;
    assert_ok(helper_listen(p.config->server.data_dir, &told, NULL));
    assert_ok(store_write(p.store, add_picture_order, NULL, NULL));
    wake(&p);
    assert_int_equal(poll(&(struct pollfd){.fd = told, .events = POLLIN}, 1, PATIENCE_S * 1000), 1);
    assert_int_equal(number(&p, "SELECT count(*) FROM turn_order WHERE error LIKE '%picture.offline%'"), 1);
    leave_orders(&p);
}

TEST(an_order_waits_while_nothing_can_be_written)
{
    struct place p;
    orders_place(&p);
    sql(&p, "CREATE TRIGGER full BEFORE INSERT ON turn BEGIN SELECT raise(FAIL, 'no'); END");
    unit_log_begin();
    order(&p, "a", "Hello");
    unit_log_await(1);
    sql(&p, "CREATE TRIGGER other BEFORE INSERT ON message BEGIN SELECT raise(FAIL, 'no'); END");
    unit_log_await(2); /* a later attempt has another cause */
    sql(&p, "DROP TRIGGER full");
    sql(&p, "DROP TRIGGER other");
    await(&p, &p.ended, 1);
    unit_log_await(4); /* the turn, and the end of the failures */
    assert_int_equal(unit_log_lines(), 4);
    assert_int_equal(number(&p, WAITING), 0);
    leave_orders(&p);
}

TEST(an_order_of_before_a_restart_starts_after_it)
{
    struct place p;
    orders_place(&p);
    const char *dir = strdup(p.config->server.data_dir);
    end_orders(&p);
    order(&p, "a", "Hello");
    close_place(&p);

    open_place(&p, dir, "", SOON);
    run_place(&p);
    loop_post(p.loop, open_orders, &p);
    await(&p, &p.ended, 1);
    assert_int_equal(number(&p, WAITING), 0);
    leave_orders(&p);
    free_charp(&dir);
}
