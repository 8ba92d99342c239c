/* How long a job waits for what is not its fault: a provider that limits its requests, a locked database. */
#include "app/store_rig.h"

#include <sqlite3.h>

#include "base/clock.h"
#include "helper/worker.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/session/session.h"

#define SETTINGS                                                                                     \
    "[models]\ndiscover = \"no\"\n[provider.busy]\nkind = \"openai\"\nmodels = [\"m\"]\nbase_url = " \
    "\"http://localhost:1/v1\"\n"

static struct place {
    struct store *store;
    struct config *config;
    struct providers *providers;
    struct provider_pause pauses[4];
    struct helper helper;
    struct worker worker;
} place;

/* The title of a session is wanted. The job was planned long before it is due, as an import plans it. */
static enum rc fill(struct db *db, void *arg, struct err *e)
{
    int64_t user, session, asked, now = clock_wall_ms();
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", now, &user, e);
    if (rc == RC_OK)
        rc = store_session_add(db, user, "ses_a", "busy", "m", now, &session, e);
    if (rc == RC_OK)
        rc = rig_add_message(db, user, session, 0, ROLE_USER, "Where do walruses sleep?", now, &asked, e);
    return rc == RC_OK
               ? store_job_add(db, JOB_TITLE, user, session, now, now - HELPER_PATIENCE_MS - MS_PER_H, e)
               : rc;
}

static void start(void)
{
    struct err e = ERR_INIT;
    place = (struct place){.store = rig_store(fill, NULL)};
    assert_int_equal(config_parse("test", unit_tmp(), STR(SETTINGS), &place.config, NULL), RC_OK);
    if (providers_new(place.config, &place.providers, &e) != RC_OK)
        fail_msg("%s", e.text);
    for (size_t i = 0; i < ARRAY_LEN(place.pauses); i++)
        place.pauses[i].until_ms = clock_mono_ms() + MS_PER_H;
    place.helper = (struct helper){.config = place.config,
        .providers = place.providers,
        .store = place.store,
        .pauses = place.pauses,
        .signal_fd = -1};
    place.worker = (struct worker){.helper = &place.helper, .lane = LANE_SESSIONS};
}

static void end(void)
{
    store_free(place.store);
    providers_free(place.providers);
    config_free(place.config);
}

static enum rc execute(struct db *db, void *sql, struct err *e)
{
    return db_exec(db, sql, NO_ARGS, NULL, e);
}

static void change(const char *sql)
{
    assert_int_equal(store_write(place.store, execute, (void *)(uintptr_t)sql, NULL), RC_OK);
}

static enum rc revive(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return store_job_revive(db, 1, clock_wall_ms(), e);
}

static struct job job_now(struct arena *a)
{
    struct job *list;
    size_t n;
    struct db *db = store_read(place.store);
    assert_int_equal(store_job_list(db, a, NULL, 1, &list, &n, NULL), RC_OK);
    store_read_done(place.store, db);
    assert_int_equal(n, 1);
    return list[0];
}

static void run_times(int n)
{
    for (int i = 0; i < n; i++) {
        change("UPDATE job SET run_at = 0");
        assert_int_equal(worker_run_one(&place.worker, NULL), RC_OK);
    }
}

TEST(a_job_that_was_planned_long_before_waits_for_a_busy_provider)
{
    AUTO(arena) a = arena_new();
    start();
    run_times(HELPER_ATTEMPTS + 1);
    struct job j = job_now(a);
    assert_string_equal(j.state, "ready");
    assert_int_equal(j.attempts, 0);
    end();
}

TEST(a_job_stops_waiting_a_day_after_its_first_run)
{
    AUTO(arena) a = arena_new();
    start();
    run_times(1);
    change("UPDATE job SET tried_at = tried_at - 25 * 3600000");
    run_times(2);
    assert_int_equal(job_now(a).attempts, 2);
    end();
}

TEST(a_job_that_an_admin_retries_waits_again)
{
    AUTO(arena) a = arena_new();
    start();
    change("UPDATE job SET state = 'dead', attempts = 5, tried_at = 1");
    assert_int_equal(store_write(place.store, revive, NULL, NULL), RC_OK);
    run_times(2);
    assert_string_equal(job_now(a).state, "ready");
    assert_int_equal(job_now(a).attempts, 0);
    end();
}

static void fail_busy(sqlite3_context *c, int n, sqlite3_value **values)
{
    (void)n;
    (void)values;
    sqlite3_result_error_code(c, SQLITE_BUSY);
}

/* The SQL function busy() fails as a write to a locked database does, but at once. */
static int add_busy(sqlite3 *db, char **error, const void *api)
{
    (void)error;
    (void)api;
    return sqlite3_create_function(
        db, "busy", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL, fail_busy, NULL, NULL);
}

/* Starts with a title that is made by rule and cannot be stored. */
static void start_locked(void)
{
    assert_int_equal(sqlite3_auto_extension((void (*)(void))add_busy), SQLITE_OK);
    start();
    change("UPDATE session SET provider = NULL");
    change("CREATE TRIGGER locked BEFORE UPDATE ON session BEGIN SELECT busy(); END");
}

TEST(a_job_that_the_disk_refuses_waits_longer_each_time_up_to_ten_minutes)
{
    static const struct {
        const char *sql;
        int64_t least_ms, most_ms;
    } waits[] = {
        {"UPDATE job SET tried_at = NULL", 0, 10 * MS_PER_S},
        {"UPDATE job SET tried_at = tried_at - 3600000", 7 * MS_PER_MIN, 8 * MS_PER_MIN},
        {"UPDATE job SET tried_at = tried_at - 20 * 3600000", 10 * MS_PER_MIN - MS_PER_S, 11 * MS_PER_MIN},
    };
    AUTO(arena) a = arena_new();
    start_locked();
    for (size_t i = 0; i < ARRAY_LEN(waits); i++) {
        change(waits[i].sql);
        run_times(1);
        int64_t wait = job_now(a).run_at - clock_wall_ms();
        assert_in_range(wait + MS_PER_MIN, waits[i].least_ms + MS_PER_MIN, waits[i].most_ms + MS_PER_MIN);
    }
    end();
}

TEST(a_locked_database_costs_no_attempt)
{
    AUTO(arena) a = arena_new();
    start_locked();
    run_times(HELPER_ATTEMPTS + 1);
    struct job j = job_now(a);
    assert_string_equal(j.state, "ready");
    assert_int_equal(j.attempts, 0);
    assert_non_null(strstr(j.error, "error.database_busy"));
    change("DROP TRIGGER locked");
    run_times(1);
    struct db *db = store_read(place.store);
    int64_t jobs;
    assert_int_equal(
        db_one_int(db, "SELECT count(*) FROM job WHERE state <> 'done'", NO_ARGS, &jobs, NULL), RC_OK);
    store_read_done(place.store, db);
    assert_int_equal(jobs, 0);
    end();
}
