/* Packs of vectors: they are found like rows, follow edits and deletions, and survive a kill. */
#include "migrated.h"
#include "vectors.h"

#include <signal.h>
#include <sys/wait.h>

#define WIDE   1024
#define A_PACK (VECTOR_PACK_BYTES / WIDE)
#define MANY   (VECTOR_PACK_LEAVE + 3 * A_PACK + 40)

/* The expected results by number of the message; 0 when it is absent. */
struct truth {
    float scores[2 * MANY];
    size_t twice;
};

static void make_vector(uint32_t seed, int8_t v[WIDE])
{
    for (size_t i = 0; i < WIDE; i++) {
        seed = seed * 1664525U + 1013904223U;
        v[i] = (int8_t)(seed >> 24);
    }
}

static void on_truth(void *arg, int64_t id, float score)
{
    struct truth *t = arg;
    size_t n = (size_t)(id & 0xFFFFFFFF);
    assert_int_equal(id >> 32, 1);
    t->twice += t->scores[n] != 0;
    t->scores[n] = score;
}

static struct truth *found_by_scan(struct db *db, int64_t model)
{
    int8_t q[WIDE];
    struct truth *t = xcalloc(1, sizeof *t);
    make_vector(4711, q);
    assert_ok(store_vector_scan(
        db, messages_of(model, 1), &(struct vector_set){q, 1, WIDE, 0.01F}, on_truth, t, NULL));
    assert_int_equal(t->twice, 0);
    return t;
}

static void assert_found(struct db *db, int64_t model, const struct truth *want)
{
    struct truth *t = found_by_scan(db, model);
    for (size_t i = 0; i < ARRAY_LEN(t->scores); i++)
        assert_true(t->scores[i] == want->scores[i]);
    free(t);
}

static void put_wide(struct db *db, int64_t model, int64_t owner, int64_t id, const char *text, uint32_t seed)
{
    int8_t v[WIDE];
    struct vector_lack row = {id, str_of(text)};
    make_vector(seed, v);
    assert_ok(store_vector_put(db, messages_of(model, owner), &row,
        &(struct vector_set){v, 1, WIDE, 0.001F * (float)(1 + seed % 7)}, NULL));
}

/* Many messages of user 1 with their vectors, some of user 2. */
static void fill(struct db *db, int64_t model, int64_t *session)
{
    assert_ok(db_begin(db, NULL));
    int64_t bobs = rig_session(db, 2, "ses_b"), last = 0;
    *session = rig_session(db, 1, "ses_a");
    for (uint32_t i = 1; i <= MANY; i++) {
        last = rig_message(db, 1, *session, 0, i % 9 ? ROLE_USER : ROLE_TOOL, "text");
        if (i % 9)
            put_wide(db, model, 1, last, "text", i);
        if (i % 50 == 0)
            put_wide(db, model, 2, rig_message(db, 2, bobs, 0, ROLE_USER, "bob"), "bob", i);
    }
    assert_ok(store_vector_advance(db, messages_of(model, 1), NULL));
    assert_ok(store_vector_advance(db, messages_of(model, 2), NULL));
    assert_ok(db_commit(db, NULL));
}

static int pack_all(struct db *db, int64_t model)
{
    bool more = true;
    int n = -1;
    for (; more; n++)
        assert_ok(store_vector_pack(db, messages_of(model, 1), &more, NULL));
    return n;
}

static void purge_all(struct db *db)
{
    bool more = true;
    while (more)
        assert_ok(store_vector_purge(db, &more, NULL));
}

#define PACKED "SELECT coalesce(sum(length(ids)) / 4, 0) FROM pack_message_1"
#define ROWS   "SELECT count(*) FROM vector_message_1 WHERE id >> 32 = 1"

TEST(packs_are_found_like_rows)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", WIDE), s;
    fill(db, m, &s);
    int64_t all = rig_int(db, ROWS);
    struct truth *want = found_by_scan(db, m);
    assert_int_equal(pack_all(db, m), (all - VECTOR_PACK_LEAVE) / A_PACK);
    assert_int_equal(rig_int(db, PACKED) % A_PACK, 0);
    assert_int_equal(rig_int(db, PACKED) + rig_int(db, ROWS), all);
    assert_true(rig_int(db, PACKED) > 0 && rig_int(db, ROWS) >= VECTOR_PACK_LEAVE);
    assert_found(db, m, want);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1 WHERE id >> 32 = 2"), MANY / 50);
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    /* of another dimension: nothing */
    struct truth none = {.twice = 0};
    int8_t q[WIDE] = {1};
    assert_ok(store_vector_scan(
        db, messages_of(m, 1), &(struct vector_set){q, 1, WIDE - 4, 1}, on_truth, &none, NULL));
    for (size_t i = 0; i < ARRAY_LEN(none.scores); i++)
        assert_true(none.scores[i] == 0);
    free(want);
}

TEST(packs_give_single_vectors_too)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t m = add_model(db, "a", WIDE), s, first = INT64_C(1) << 32 | 1;
    fill(db, m, &s);
    pack_all(db, m);
    int8_t v[WIDE];
    struct vector_set got;
    for (uint32_t i = 1; i <= MANY; i += 97) {
        enum rc rc = store_vector_get(db, a, messages_of(m, 1), first + i - 1, WIDE, &got, NULL);
        assert_rc(rc, i % 9 ? RC_OK : RC_NOT_FOUND);
        make_vector(i, v);
        if (rc == RC_OK)
            assert_true(got.n == 1 && memcmp(got.v, v, WIDE) == 0);
    }
    assert_rc(store_vector_get(db, a, messages_of(m, 2), first, WIDE, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_vector_get(db, a, messages_of(m, 1), first, 4, &got, NULL), RC_NOT_FOUND);
}

#define PASSAGES(i) (1 + (size_t)(i) % 5)

/* Messages of 1 to 5 passages each; `v` has room for 5 vectors. */
static void make_passages(uint32_t i, int8_t *v)
{
    for (size_t k = 0; k < PASSAGES(i); k++)
        make_vector(i * 8 + (uint32_t)k, v + k * WIDE);
}

TEST(packs_keep_the_passages_of_a_row_together)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", WIDE), s = rig_session(db, 1, "ses_a"), last = 0;
    int8_t *v = xmalloc(5 * WIDE);
    assert_ok(db_begin(db, NULL));
    for (uint32_t i = 1; i <= MANY; i++) {
        last = rig_message(db, 1, s, 0, ROLE_USER, "text");
        struct vector_lack row = {last, STR("text")};
        struct vector_set set = {v, PASSAGES(i), WIDE, 0.001F};
        make_passages(i, v);
        assert_ok(store_vector_put(db, messages_of(m, 1), &row, &set, NULL));
    }
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    assert_ok(db_commit(db, NULL));
    int64_t vectors = rig_int(db, "SELECT sum(length(v)) / 1024 FROM vector_message_1");
    assert_true(pack_all(db, m) >= 7);
    assert_int_equal(
        rig_int(db, PACKED) + rig_int(db, "SELECT sum(length(v)) / 1024 FROM vector_message_1"), vectors);
    assert_true(rig_int(db, "SELECT max(length(v)) FROM pack_message_1") <= VECTOR_PACK_BYTES);
    assert_true(rig_int(db, "SELECT min(length(v)) FROM pack_message_1") > VECTOR_PACK_BYTES - 5 * WIDE);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i <= MANY; i++) {
            AUTO(arena) a = arena_new();
            struct vector_set got;
            make_passages(i, v);
            assert_ok(store_vector_get(db, a, messages_of(m, 1), INT64_C(1) << 32 | i, WIDE, &got, NULL));
            assert_int_equal(got.n, PASSAGES(i));
            assert_memory_equal(got.v, v, got.n * WIDE);
            if (round == 0 && i % 40 == 1) { /* turns its pack into rows */
                struct vector_lack row = {INT64_C(1) << 32 | i, STR("text")};
                assert_ok(store_vector_put(
                    db, messages_of(m, 1), &row, &(struct vector_set){v, PASSAGES(i), WIDE, 0.001F}, NULL));
            }
        }
    }
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    free(v);
}

TEST(packs_let_a_row_be_tried_again_that_was_skipped)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", WIDE), s, one = INT64_C(1) << 32 | 3;
    fill(db, m, &s);
    struct truth *want = found_by_scan(db, m);
    assert_ok(store_vector_forget(db, VECTOR_MESSAGE, 1, one, NULL));
    mark(db, m, one, "text", SKIP_TOO_LONG);
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    pack_all(db, m);
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    assert_int_equal(skipped(db, SKIP_TOO_LONG), 1);
    assert_ok(store_vector_skip_retry(db, NULL));
    struct vector_lack first = {0};
    assert_int_equal(lacking(db, m, 1, &first), 1);
    assert_int_equal(first.id, one);
    assert_int_equal(skipped(db, SKIP_TOO_LONG), 0);
    put_wide(db, m, 1, one, "text", 3);
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    assert_found(db, m, want);
    pack_all(db, m);
    assert_found(db, m, want);
    free(want);
}

TEST(packs_follow_edits_and_deletions)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", WIDE), s, first = INT64_C(1) << 32;
    fill(db, m, &s);
    pack_all(db, m);
    struct truth *want = found_by_scan(db, m);
    srand(7);
    for (int round = 0; round < 30; round++) {
        int64_t n = 1 + rand() % MANY;
        if (round % 3 == 0) {
            assert_ok(db_exec(db, "DELETE FROM message WHERE id = ?", ARGS(v_int(first | n)), NULL, NULL));
            want->scores[n] = 0;
        } else if (want->scores[n] != 0) {
            assert_ok(store_message_set_text(db, 1, s, first | n, STR("new"), MESSAGE_TYPED, NULL));
            want->scores[n] = 0;
            assert_found(db, m, want);
            struct vector_lack lack = {0};
            assert_int_equal(lacking(db, m, 1, &lack), 1);
            assert_int_equal(lack.id, first | n);
            put_wide(db, m, 1, first | n, "new", (uint32_t)(5000 + round));
            assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
            free(want);
            want = found_by_scan(db, m);
            assert_true(want->scores[n] != 0);
        }
        assert_found(db, m, want);
        if (round % 4 == 1)
            purge_all(db);
        if (round % 5 == 2)
            pack_all(db, m);
        assert_found(db, m, want);
        assert_int_equal(lacking(db, m, 1, NULL), 0);
    }
    purge_all(db);
    pack_all(db, m);
    assert_found(db, m, want);
    free(want);
}

/* A deleted vector is removed from the file, not only from the results. */
TEST(packs_let_go_of_deleted_vectors)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", WIDE), s, first = INT64_C(1) << 32;
    fill(db, m, &s);
    pack_all(db, m);
    int64_t before = rig_int(db, PACKED);
    assert_ok(db_exec(db, "DELETE FROM message WHERE id > ? AND id <= ?",
        ARGS(v_int(first), v_int(first + 90)), NULL, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_gone"), 90);
    assert_int_equal(rig_int(db, PACKED), before);
    purge_all(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_gone"), 0);
    assert_int_equal(rig_int(db, PACKED), before - 80);
    /* a newest message has no pack, and leaves no note */
    assert_ok(db_exec(db, "DELETE FROM message WHERE id = ?", ARGS(v_int(first + MANY)), NULL, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_gone"), 0);
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    purge_all(db);
    assert_int_equal(rig_int(db, PACKED), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1 WHERE id >> 32 = 2"), MANY / 50);
}

TEST(packs_that_cannot_be_read_are_embedded_anew)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", WIDE), s, first = INT64_C(1) << 32;
    fill(db, m, &s);
    pack_all(db, m);
    assert_ok(db_exec(
        db, "UPDATE pack_message_1 SET scales = x'00' WHERE first = ?", ARGS(v_int(first + 1)), NULL, NULL));
    struct truth *t = found_by_scan(db, m);
    assert_true(t->scores[1] == 0 && t->scores[MANY] != 0);
    free(t);
    assert_ok(store_message_set_text(db, 1, s, first + 5, STR("new"), MESSAGE_TYPED, NULL));
    struct vector_lack lack = {0};
    assert_int_equal(lacking(db, m, 1, &lack), 100); /* the page of them that was asked for */
    assert_int_equal(lack.id, first + 1);
}

TEST(packing_that_is_killed_leaves_all_as_it_was)
{
    char path[128];
    struct db *db = rig_open(rig_path(path));
    int64_t id, s;
    assert_ok(store_user_add(db, "ann", USER_ADMIN, "h", NOW, &id, NULL));
    assert_ok(store_user_add(db, "bob", USER_MEMBER, "h", NOW, &id, NULL));
    int64_t m = add_model(db, "a", WIDE);
    fill(db, m, &s);
    struct truth *want = found_by_scan(db, m);
    int64_t rows = rig_int(db, ROWS);
    db_close(db);
    pid_t child = fork();
    if (child == 0) {
        bool more = true;
        if (db_open(path, DB_READ_WRITE, &db, NULL) == RC_OK && db_begin(db, NULL) == RC_OK &&
            store_vector_pack(db, messages_of(m, 1), &more, NULL) == RC_OK && more)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    db = rig_open(path);
    assert_int_equal(rig_int(db, PACKED), 0);
    assert_int_equal(rig_int(db, ROWS), rows);
    assert_found(db, m, want);
    assert_true(pack_all(db, m) > 0);
    assert_found(db, m, want);
    db_close(db);
    free(want);
}
