#include "unit.h"

#include "net/awaited.h"

static int started, cancelled, done;

static void start(struct awaited *w)
{
    (void)w;
    started++;
}

static void cancel(struct awaited *w)
{
    cancelled++;
    awaited_fail(w, RC_CANCELLED, AWAITED_STOPPED);
}

static void on_done(void *arg)
{
    (void)arg;
    done++;
}

static struct awaited_client client_of(struct loop *l)
{
    started = cancelled = done = 0;
    return (struct awaited_client){.loop = l,
        .running = {.max = 2, .max_per_user = 1},
        .busy = "Too much.",
        .start = start,
        .cancel = cancel};
}

TEST(work_ends_once_and_on_the_loop)
{
    AUTO(loop) l = NULL;
    assert_ok(loop_new(&l, NULL));
    struct awaited_client c = client_of(l);
    struct awaited w = {.owner = 1, .wanted = true};
    assert_true(awaited_waits(&w));
    awaited_start(&c, &w, on_done, NULL);
    awaited_end(&w, RC_OK);
    assert_int_equal(done, 0);
    loop_run_posted(l);
    assert_int_equal(done, 1);
    assert_false(awaited_waits(&w));
    awaited_cancel(&w); /* it has ended */
    assert_int_equal(cancelled, 0);
    awaited_release(&w);
}

TEST(work_above_a_limit_is_refused_without_a_start)
{
    AUTO(loop) l = NULL;
    struct err e = ERR_INIT;
    assert_ok(loop_new(&l, NULL));
    struct awaited_client c = client_of(l);
    struct awaited first = {.owner = 1, .wanted = true}, second = first, other = {.owner = 2, .wanted = true};
    awaited_start(&c, &first, on_done, NULL);
    awaited_start(&c, &second, on_done, NULL);
    assert_rc(awaited_failed(&second, &e), RC_RATE_LIMITED);
    assert_string_equal(e.text, "Too much.");
    awaited_start(&c, &other, on_done, NULL);
    assert_int_equal(started, 2);
    awaited_cancel(&first);
    awaited_cancel(&other);
    loop_run_posted(l);
    assert_int_equal(done, 3);
    assert_rc(awaited_failed(&first, NULL), RC_CANCELLED);
    awaited_release(&first);
    awaited_release(&second);
    awaited_release(&other);
}

TEST(work_that_was_never_started_is_refused_without_a_call)
{
    struct awaited w = {.wanted = true};
    awaited_refuse(&w, "Enough.");
    assert_false(awaited_waits(&w));
    assert_int_equal(w.rc, RC_RATE_LIMITED);
    awaited_release(&w);
    awaited_client_free(NULL);
}
