#include "rig.h"

#include "store/vector.h"

#define DIMS 4

static const int8_t east[DIMS] = {127, 0, 0, 0}, north[DIMS] = {0, 127, 0, 0};

static int64_t add_model(struct db *db, const char *name, int64_t dimension)
{
    int64_t id;
    struct embedding_model m = {.provider = "test", .model = name, .prefix = "", .dimension = dimension};
    assert_ok(store_embedding_model_add(db, &m, NOW, &id, NULL));
    return id;
}

static size_t lacking(struct db *db, int64_t model, int64_t owner, struct vector_lack *first)
{
    AUTO(arena) a = arena_new();
    struct vector_lack *rows;
    size_t n;
    assert_ok(store_vector_lacking(db, a, VECTOR_MESSAGE, model, owner, 100, 1 << 20, &rows, &n, NULL));
    if (first && n)
        first->id = rows[0].id;
    return n;
}

static void put(struct db *db, int64_t model, int64_t owner, int64_t id, const char *text, const int8_t *v)
{
    struct vector_lack row = {id, str_of(text)};
    assert_ok(store_vector_put(db, VECTOR_MESSAGE, model, owner, &row, v, DIMS, 1.0F / 127, NULL));
}

struct seen {
    int64_t ids[16];
    float scores[16];
    size_t n;
};

static void on_seen(void *arg, int64_t id, float score)
{
    struct seen *s = arg;
    s->ids[s->n] = id;
    s->scores[s->n++] = score;
}

static struct seen scan(struct db *db, int64_t model, int64_t owner, const int8_t *q, size_t dims)
{
    struct seen s = {.n = 0};
    assert_ok(store_vector_scan(db, VECTOR_MESSAGE, model, owner, q, dims, 1.0F / 127, on_seen, &s, NULL));
    return s;
}

TEST(vectors_of_two_users_never_meet)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS), ann = rig_session(db, 1, "ses_a"),
            bob = rig_session(db, 2, "ses_b");
    int64_t x = rig_message(db, 1, ann, 0, ROLE_USER, "one"),
            y = rig_message(db, 2, bob, 0, ROLE_USER, "two");
    put(db, m, 1, x, "one", east);
    put(db, m, 2, y, "two", east);
    struct seen s = scan(db, m, 1, east, DIMS);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.ids[0], x);
    assert_true(s.scores[0] > 0.99F && s.scores[0] < 1.01F);
    assert_int_equal(scan(db, m, 3, east, DIMS).n, 0);
    /* a foreign id is refused, not stored */
    struct vector_lack foreign = {y, STR("two")};
    assert_rc(store_vector_put(db, VECTOR_MESSAGE, m, 1, &foreign, north, DIMS, 1, NULL), RC_NOT_FOUND);
    assert_rc(store_vector_forget(db, VECTOR_MESSAGE, 1, y, NULL), RC_NOT_FOUND);
    assert_true(scan(db, m, 2, east, DIMS).scores[0] > 0.99F);
}

TEST(vectors_are_put_once_and_progress_is_kept)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, s, 0, ROLE_USER, "one");
    int64_t tool = rig_message(db, 1, s, one, ROLE_TOOL, "{}");
    int64_t two = rig_message(db, 1, s, tool, ROLE_ASSISTANT, "two");
    assert_int_equal(lacking(db, m, 1, NULL), 2);
    put(db, m, 1, one, "one", east);
    put(db, m, 1, one, "one", north);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1"), 1);
    assert_true(scan(db, m, 1, north, DIMS).scores[0] > 0.99F);
    assert_ok(store_vector_advance(db, VECTOR_MESSAGE, m, 1, NULL));
    assert_int_equal(rig_int(db, "SELECT done_to FROM embedding_progress"), tool); /* needs none */
    put(db, m, 1, two, "two", east);
    assert_ok(store_vector_advance(db, VECTOR_MESSAGE, m, 1, NULL));
    assert_int_equal(rig_int(db, "SELECT done_to FROM embedding_progress"), two);
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    int64_t have, lack;
    assert_ok(store_vector_count(db, VECTOR_MESSAGE, m, 1, &have, &lack, NULL));
    assert_true(have == 2 && lack == 0);
}

TEST(vectors_wait_for_a_running_answer)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, s, 0, ROLE_USER, "one");
    struct message answer = {.session_id = s,
        .parent_id = one,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR(""),
        .created_at = NOW};
    assert_ok(store_message_add(db, 1, &answer, NULL));
    int64_t later = rig_message(db, 1, rig_session(db, 1, "ses_b"), 0, ROLE_USER, "later");
    put(db, m, 1, one, "one", east);
    put(db, m, 1, later, "later", east);
    assert_ok(store_vector_advance(db, VECTOR_MESSAGE, m, 1, NULL));
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    answer.status = MESSAGE_DONE;
    answer.text = STR("done");
    assert_ok(store_message_finish(db, 1, &answer, NULL));
    struct vector_lack first = {0};
    assert_int_equal(lacking(db, m, 1, &first), 1);
    assert_int_equal(first.id, answer.id);
}

TEST(vectors_go_with_their_text)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, s, 0, ROLE_USER, "one"),
            two = rig_message(db, 1, s, one, ROLE_USER, "two");
    put(db, m, 1, one, "one", east);
    put(db, m, 1, two, "two", east);
    assert_ok(store_vector_advance(db, VECTOR_MESSAGE, m, 1, NULL));
    assert_ok(store_message_set_text(db, 1, s, one, STR("new"), NULL));
    struct vector_lack first = {0};
    assert_int_equal(lacking(db, m, 1, &first), 1);
    assert_int_equal(first.id, one);
    put(db, m, 1, one, "one", east); /* made of the text before */
    assert_int_equal(lacking(db, m, 1, NULL), 1);
    assert_ok(store_message_delete(db, 1, s, one, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1"), 0);
    put(db, m, 1, one, "new", east); /* gone meanwhile */
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1"), 0);
}

TEST(models_build_beside_the_serving_one_and_replace_it)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct embedding_model serving;
    assert_rc(store_embedding_model_serving(db, a, &serving, NULL), RC_NOT_FOUND);
    int64_t old = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, s, 0, ROLE_USER, "one");
    put(db, old, 1, one, "one", east);
    int64_t new = add_model(db, "b", 2);
    assert_int_equal(add_model(db, "b", 2), new);
    assert_ok(store_embedding_model_serving(db, a, &serving, NULL));
    assert_int_equal(serving.id, old);
    struct vector_lack row = {one, STR("one")};
    assert_ok(store_vector_put(db, VECTOR_MESSAGE, new, 1, &row, east, 2, 1, NULL));
    assert_int_equal(scan(db, old, 1, east, DIMS).n, 1); /* still serves */
    assert_int_equal(scan(db, new, 1, east, DIMS).n, 0); /* of another dimension: nothing, no crash */
    assert_ok(store_embedding_model_promote(db, new, NULL));
    assert_ok(store_embedding_model_serving(db, a, &serving, NULL));
    assert_int_equal(serving.id, new);
    assert_int_equal(
        rig_int(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'vector_%'"), 1);
    assert_rc(store_embedding_model_promote(db, 99, NULL), RC_NOT_FOUND);
    struct embedding_model huge = {
        .provider = "p", .model = "m", .prefix = "", .dimension = VEC8_DIMS_MAX + 1};
    assert_rc(store_embedding_model_add(db, &huge, NOW, &new, NULL), RC_BAD_INPUT);
}
