/* The pool of readers, with many threads at once. */
#include "crew.h"

#include "base/clock.h"
#include "store/reader_pool.h"

static void *read_in_turn(void *arg)
{
    struct crew *c = arg;
    for (int i = 0; i < EACH; i++) {
        struct db *db = store_read(c->store);
        assert_non_null(db);
        assert_int_equal(rig_int(db, "SELECT count(*) FROM user WHERE id > 0"), 1);
        assert_true(db_exec(db, "DELETE FROM user", NO_ARGS, NULL, NULL) != RC_OK);
        store_read_done(c->store, db);
    }
    return NULL;
}

TEST(few_readers_serve_many_threads)
{
    struct crew *c = crew_new(2);
    crew_run(c, read_in_turn);
    crew_free(c);
}

static enum rc count_users(struct db *db, void *arg, struct err *e)
{
    return store_user_count(db, arg, e);
}

TEST(a_reader_beyond_the_processors_is_opened_for_a_caller_that_has_waited)
{
    struct db *held[65];
    int n = reader_pool_at_once();
    struct crew *c = crew_new(n + 1);
    if (n > 63)
        skip();
    for (int i = 0; i < n; i++)
        held[i] = store_read(c->store);
    int64_t begun = clock_mono_ms();
    held[n] = store_read(c->store); /* none is returned meanwhile */
    assert_true(clock_mono_ms() - begun >= READER_WAIT_MS);
    for (int i = 0; i <= n; i++) {
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(held[i], held[k]);
        store_read_done(c->store, held[i]);
    }
    crew_free(c);
}

TEST(a_closure_runs_with_a_lent_reader)
{
    struct crew *c = crew_new(1);
    int64_t n = 0;
    for (int i = 0; i < 3; i++) /* it is given back */
        assert_ok(store_with_reader(c->store, count_users, &n, NULL));
    assert_int_equal(n, 1);
    crew_free(c);
}

static enum rc set_title(struct db *db, void *title, struct err *e)
{
    return store_session_rename(db, 1, "ses_1", title, e);
}

static const char *title_of(struct db *db, struct arena *a)
{
    struct session s;
    assert_ok(store_session_get(db, a, 1, "ses_1", &s, NULL));
    return s.title;
}

TEST(a_reader_of_one_state_sees_no_write_until_it_is_returned)
{
    struct crew *c = crew_new(1);
    AUTO(arena) a = arena_new();
    assert_ok(store_write(c->store, set_title, "Before", NULL));
    struct db *db = store_read_state(c->store);
    assert_string_equal(title_of(db, a), "Before");
    assert_ok(store_write(c->store, set_title, "After", NULL));
    assert_string_equal(title_of(db, a), "Before");
    store_read_done(c->store, db);
    db = store_read(c->store);
    assert_false(db_in_transaction(db));
    assert_string_equal(title_of(db, a), "After");
    store_read_done(c->store, db);
    crew_free(c);
}
