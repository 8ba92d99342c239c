/* Acknowledged data survives kill -9, a full disk and two processes on one file. The children report over
 * pipes and exit codes, because cmocka's assertions belong to the parent. */
#include "rig.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define THREADS 8

struct child {
    struct store *store;
    int64_t session;
    int report; /* acknowledged numbers go here */
    int each;   /* writes per thread; 0: for ever */
};

struct worker {
    struct child *child;
    int number; /* of the next message */
    int failed;
};

static enum rc new_session(struct db *db, void *arg, struct err *e)
{
    struct child *c = arg;
    char pub[ID_SIZE];
    id_new(ID_SESSION, pub);
    return store_session_add(db, 1, pub, NULL, NULL, NOW, &c->session, e);
}

static enum rc write_number(struct db *db, void *arg, struct err *e)
{
    const struct worker *w = arg;
    char client_id[32];
    snprintf(client_id, sizeof client_id, "%d-%d", (int)getpid(), w->number);
    struct message m = {.session_id = w->child->session,
        .channel = "web",
        .text = str_of(client_id),
        .client_id = client_id,
        .created_at = NOW};
    return store_message_add(db, 1, &m, e);
}

static void *write_numbers(void *arg)
{
    struct worker *w = arg;
    for (int i = 0; !w->child->each || i < w->child->each; i++, w->number += THREADS) {
        struct err e = ERR_INIT;
        if (store_write_within(w->child->store, PATIENCE_MS, write_number, w, &e) != RC_OK) {
            fprintf(stderr, "%s\n", e.text);
            w->failed++;
        } else if (w->child->report >= 0) {
            (void)!write(w->child->report, &w->number, sizeof w->number);
        }
    }
    return NULL;
}

/* In the child. */
static int work(const char *path, int report, int each)
{
    struct child c = {.report = report, .each = each};
    if (store_open(path, 2, &c.store, NULL) != RC_OK || store_write(c.store, new_session, &c, NULL) != RC_OK)
        return 1;
    struct worker w[THREADS];
    pthread_t t[THREADS];
    int failed = 0;
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct worker){.child = &c, .number = i};
        if (pthread_create(&t[i], NULL, write_numbers, &w[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        failed += w[i].failed;
    }
    store_free(c.store);
    return failed ? 2 : 0;
}

static void prepare(char path[128])
{
    int64_t id;
    struct db *db = rig_open(rig_path(path));
    assert_ok(store_user_add(db, "ann", USER_ADMIN, "x", NOW, &id, NULL));
    db_close(db);
}

static struct db *open_checked(const char *path)
{
    struct db *db = rig_open(path);
    assert_int_equal(
        rig_int(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
    rig_check_index(db);
    return db;
}

TEST(acknowledged_writes_survive_a_kill)
{
    enum { ROUNDS = 5, ENOUGH = 300, MAX = 200000 };
    for (int round = 0; round < ROUNDS; round++) {
        char path[128];
        int pipes[2];
        prepare(path);
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            close(pipes[0]);
            _exit(work(path, pipes[1], 0));
        }
        close(pipes[1]);
        static bool told[MAX];
        memset(told, 0, sizeof told);
        int n, got = 0;
        while (
            read(pipes[0], &n, sizeof n) == (ssize_t)sizeof n) { /* to the end: its output before it died */
            assert_in_range(n, 0, MAX - 1);
            told[n] = true;
            if (++got == ENOUGH + 37 * round)
                kill(child, SIGKILL);
        }
        close(pipes[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_true(got >= ENOUGH);

        struct db *db = open_checked(path);
        int64_t stored = rig_int(db, "SELECT count(*) FROM message");
        assert_true(stored >= got);
        assert_true(stored <= got + THREADS); /* at most one unacknowledged write each */
        assert_int_equal(rig_int(db, "SELECT message_count FROM session"), stored);
        for (int i = 0; i < MAX; i++) {
            AUTO(arena) a = arena_new();
            char client_id[32];
            struct message m;
            if (!told[i])
                continue;
            snprintf(client_id, sizeof client_id, "%d-%d", (int)child, i);
            assert_ok(store_message_by_client(db, a, 1, client_id, &m, NULL));
        }
        db_close(db);
    }
}

TEST(two_processes_write_one_file_and_neither_is_ever_refused)
{
    enum { PROCESSES = 2, EACH = 150 };
    char path[128];
    pid_t child[PROCESSES];
    prepare(path);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(work(path, -1, EACH));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    struct db *db = open_checked(path);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), PROCESSES * THREADS * EACH);
    assert_int_equal(rig_int(db, "SELECT message_seq FROM user WHERE id > 0"), PROCESSES * THREADS * EACH);
    db_close(db);
}

/* In the child: files may not grow beyond a limit, as on a full disk; then they may again. */
static int meet_the_limit(const char *path, int report)
{
    enum { LIMIT = 400 * 1024, MORE = 50 };
    struct child c = {.report = report, .each = 1};
    struct worker w = {.child = &c};
    struct err e = ERR_INIT;
    signal(SIGXFSZ, SIG_IGN);
    if (store_open(path, 2, &c.store, NULL) != RC_OK || store_write(c.store, new_session, &c, NULL) != RC_OK)
        return 1;
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){LIMIT, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    enum rc rc;
    while ((rc = store_write(c.store, write_number, &w, &e)) == RC_OK) {
        (void)!write(report, &w.number, sizeof w.number);
        w.number++;
    }
    if (rc != RC_UNAVAILABLE || strcmp(e.text, "The disk of this server is full. Nothing was saved.") != 0) {
        fprintf(stderr, "%s: %s\n", rc_name(rc), e.text);
        return 3;
    }
    setrlimit(RLIMIT_FSIZE, &old);
    for (int i = 0; i < MORE; i++, w.number++) {
        if (store_write(c.store, write_number, &w, &e) != RC_OK)
            return 4;
        (void)!write(report, &w.number, sizeof w.number);
    }
    store_free(c.store);
    return 0;
}

TEST(a_disk_that_is_full_for_a_while_costs_nothing_that_was_acknowledged)
{
    char path[128];
    int pipes[2], status, n, got = 0;
    prepare(path);
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        _exit(meet_the_limit(path, pipes[1]));
    }
    close(pipes[1]);
    while (read(pipes[0], &n, sizeof n) == (ssize_t)sizeof n)
        assert_int_equal(n, got++);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct db *db = open_checked(path);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), got);
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), got);
    db_close(db);
}

/* ---- checkpoints ---- */

#define LARGE (5 * 1024 * 1024) /* more than 1,000 pages */

static enum rc write_large(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    enum rc rc = db_exec(db, "CREATE TABLE IF NOT EXISTS large (value BLOB)", NO_ARGS, NULL, e);
    return rc == RC_OK ? db_exec(db, "INSERT INTO large VALUES (zeroblob(?))", ARGS(v_int(LARGE)), NULL, e)
                       : rc;
}

static off_t size_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

TEST(a_program_that_answers_requests_leaves_the_checkpoint_to_the_next_one)
{
    char path[128];
    struct store *serving, *helper;
    assert_ok(store_open(unit_migrated(rig_path(path)), 1, &serving, NULL));
    store_checkpoints_later(serving);
    assert_ok(store_open(path, 1, &helper, NULL));
    off_t before = size_of(path);
    assert_ok(store_write(serving, write_large, NULL, NULL));
    assert_true(size_of(path) < before + LARGE);
    assert_ok(store_write(helper, write_large, NULL, NULL));
    assert_true(size_of(path) > before + LARGE); /* both values, but for pages that were free before */
    store_free(helper);
    store_free(serving);
}
