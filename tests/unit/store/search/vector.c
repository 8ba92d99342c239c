#include "migrated.h"
#include "vectors.h"

#include <pthread.h>

#include "store/memory/memory.h"
#include "store/memory/summary.h"

static const int8_t east[DIMS] = {127, 0, 0, 0}, north[DIMS] = {0, 127, 0, 0};

static void put(struct db *db, int64_t model, int64_t owner, int64_t id, const char *text, const int8_t *v)
{
    struct vector_lack row = {id, str_of(text)};
    assert_ok(store_vector_put(
        db, messages_of(model, owner), &row, &(struct vector_set){v, 1, DIMS, 1.0F / 127}, NULL));
}

static void drop_retired(struct db *db)
{
    for (bool more = true; more;)
        assert_ok(store_embedding_model_drop_some(db, &more, NULL));
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
    assert_ok(store_vector_scan(
        db, messages_of(model, owner), &(struct vector_set){q, 1, dims, 1.0F / 127}, on_seen, &s, NULL));
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
    assert_rc(
        store_vector_put(db, messages_of(m, 1), &foreign, &(struct vector_set){north, 1, DIMS, 1}, NULL),
        RC_NOT_FOUND);
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
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    assert_int_equal(rig_int(db, "SELECT done_to FROM embedding_progress"), tool); /* needs none */
    put(db, m, 1, two, "two", east);
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    assert_int_equal(rig_int(db, "SELECT done_to FROM embedding_progress"), two);
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    assert_int_equal(scan(db, m, 1, east, DIMS).n, 2);
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
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
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
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    assert_ok(store_message_set_text(db, 1, s, one, STR("new"), MESSAGE_TYPED, NULL));
    struct vector_lack first = {0};
    assert_int_equal(lacking(db, m, 1, &first), 1);
    assert_int_equal(first.id, one);
    put(db, m, 1, one, "one", east); /* made of the text before */
    assert_int_equal(lacking(db, m, 1, NULL), 1);
    assert_ok(rig_message_delete(db, 1, s, one, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1"), 0);
    put(db, m, 1, one, "new", east); /* gone meanwhile */
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_1"), 0);
}

TEST(vectors_of_the_passages_of_a_row_share_its_id)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t m = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, s, 0, ROLE_USER, "one");
    struct vector_lack row = {one, STR("one")};
    int8_t v[3 * DIMS] = {127, 0, 0, 0, 0, 127, 0, 0, 0, 0, 127, 0};
    struct vector_set set = {v, 3, DIMS, 1.0F / 127}, got;
    assert_ok(store_vector_put(db, messages_of(m, 1), &row, &set, NULL));
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    struct seen seen = scan(db, m, 1, north, DIMS);
    assert_int_equal(seen.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(seen.ids[i], one);
        assert_true(i == 1 ? seen.scores[i] > 0.99F : seen.scores[i] == 0);
    }
    assert_ok(store_vector_get(db, a, messages_of(m, 1), one, DIMS, &got, NULL));
    assert_int_equal(got.n, 3);
    assert_memory_equal(got.v, v, sizeof v);
    put(db, m, 1, one, "one", east);
    assert_int_equal(scan(db, m, 1, east, DIMS).n, 1);
    set.n = 0;
    assert_rc(store_vector_put(db, messages_of(m, 1), &row, &set, NULL), RC_INTERNAL);
    set.n = VECTOR_PASSAGES_MAX + 1;
    assert_rc(store_vector_put(db, messages_of(m, 1), &row, &set, NULL), RC_INTERNAL);
}

/* ---- texts without vectors ---- */

TEST(skipped_rows_lack_no_vector_and_hold_up_no_others)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t bad = rig_message(db, 1, s, 0, ROLE_USER, "bad"),
            good = rig_message(db, 1, s, bad, ROLE_USER, "good"),
            bobs = rig_message(db, 2, rig_session(db, 2, "ses_b"), 0, ROLE_USER, "bob");
    mark(db, m, bad, "bad", SKIP_REFUSED);
    struct vector_lack first = {0};
    assert_int_equal(lacking(db, m, 1, &first), 1);
    assert_int_equal(first.id, good);
    put(db, m, 1, good, "good", east);
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    assert_int_equal(rig_int(db, "SELECT done_to FROM embedding_progress"), good);
    mark(db, m, bobs, "bob", SKIP_TOO_LONG);
    mark(db, m, bobs, "bob", SKIP_NO_VECTOR);
    assert_int_equal(skipped(db, SKIP_REFUSED), 1);
    assert_int_equal(skipped(db, SKIP_TOO_LONG), 0);
    assert_int_equal(skipped(db, SKIP_NO_VECTOR), 1);
    /* another model has its own marks, and the newest one's are counted */
    int64_t other = add_model(db, "b", DIMS);
    assert_int_equal(skipped(db, SKIP_REFUSED), 0);
    assert_int_equal(lacking(db, other, 1, NULL), 2);
    assert_ok(store_embedding_model_promote(db, other, NULL));
    drop_retired(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM embedding_skip"), 0);
    struct vector_lack foreign = {bobs, STR("bob")};
    assert_rc(store_vector_skip(db, messages_of(other, 1), &foreign, SKIP_REFUSED, NULL), RC_NOT_FOUND);
}

TEST(marks_of_skipped_rows_go_with_their_text)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, s, 0, ROLE_USER, "one"),
            two = rig_message(db, 1, s, one, ROLE_USER, "two");
    mark(db, m, one, "another text", SKIP_REFUSED);
    assert_int_equal(lacking(db, m, 1, NULL), 2);
    mark(db, m, one, "one", SKIP_REFUSED);
    mark(db, m, two, "two", SKIP_REFUSED);
    assert_ok(store_vector_advance(db, messages_of(m, 1), NULL));
    assert_int_equal(lacking(db, m, 1, NULL), 0);
    assert_ok(store_message_set_text(db, 1, s, one, STR("new"), MESSAGE_TYPED, NULL));
    assert_int_equal(lacking(db, m, 1, NULL), 1);
    put(db, m, 1, one, "new", east);
    assert_ok(rig_message_delete(db, 1, s, two, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM embedding_skip"), 0);
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
    assert_ok(store_vector_put(db, messages_of(new, 1), &row, &(struct vector_set){east, 1, 2, 1}, NULL));
    assert_int_equal(scan(db, old, 1, east, DIMS).n, 1); /* still serves */
    assert_int_equal(scan(db, new, 1, east, DIMS).n, 0); /* of another dimension: no result, no crash */
    assert_ok(store_embedding_model_promote(db, new, NULL));
    assert_ok(store_embedding_model_serving(db, a, &serving, NULL));
    assert_int_equal(serving.id, new);
    drop_retired(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'vector_message_%'"), 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'pack_message_%'"), 1);
    assert_rc(store_embedding_model_promote(db, 99, NULL), RC_NOT_FOUND);
    struct embedding_model huge = {
        .provider = "p", .model = "m", .prefix = "", .dimension = VEC8_DIMS_MAX + 1};
    assert_rc(store_embedding_model_add(db, &huge, NOW, &new, NULL), RC_BAD_INPUT);
}

#define ROWS 300

TEST(vectors_of_a_replaced_model_are_deleted_in_steps)
{
    AUTO(db) db = rig_db();
    bool any;
    int64_t old = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a"), id = 0;
    int64_t new = add_model(db, "b", DIMS);
    for (int i = 0; i < ROWS; i++) {
        id = rig_message(db, 1, s, id, ROLE_USER, "text");
        put(db, new, 1, id, "text", north);
        if (i % 2)
            put(db, old, 1, id, "text", east);
        else
            mark(db, old, id, "text", SKIP_REFUSED);
    }
    assert_ok(store_embedding_model_retired(db, &any, NULL));
    assert_false(any);
    int64_t changes = rig_int(db, "SELECT total_changes()");
    assert_ok(store_embedding_model_promote(db, new, NULL));
    assert_in_range(rig_int(db, "SELECT total_changes()") - changes, 1, 10);
    assert_ok(store_embedding_model_retired(db, &any, NULL));
    assert_true(any);
    assert_int_equal(lacking(db, new, 1, NULL), 0);
    /* the model is built anew if it is configured again */
    assert_int_not_equal(add_model(db, "a", DIMS), old);
    bool more = true;
    while (more) {
        changes = rig_int(db, "SELECT total_changes()");
        assert_ok(store_embedding_model_drop_some(db, &more, NULL));
        assert_in_range(rig_int(db, "SELECT total_changes()") - changes, 0, 64);
    }
    assert_ok(store_embedding_model_retired(db, &any, NULL));
    assert_false(any);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'vector_message_1'"), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM embedding_skip"), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_message_2"), ROWS);
}

TEST(models_that_are_no_longer_used_are_not_built_further)
{
    AUTO(db) db = rig_db();
    int64_t serving = add_model(db, "a", DIMS), wanted = add_model(db, "b", DIMS);
    add_model(db, "c", DIMS);
    assert_ok(store_embedding_model_build_only(db, wanted, NULL));
    assert_int_equal(rig_int(db, "SELECT sum(id) FROM embedding_model"), serving + wanted);
    drop_retired(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'vector_message_%'"), 2);
    assert_ok(store_embedding_model_build_only(db, serving, NULL));
    assert_int_equal(rig_int(db, "SELECT id FROM embedding_model"), serving);
}

/* ---- layers ---- */

static size_t lacking_in(struct db *db, enum vector_layer layer, int64_t model, struct vector_lack *first)
{
    AUTO(arena) a = arena_new();
    struct vector_lack *rows;
    size_t n;
    assert_ok(
        store_vector_lacking(db, a, (struct vector_scope){layer, model, 1}, 100, 1 << 20, &rows, &n, NULL));
    if (first && n)
        *first =
            (struct vector_lack){rows[0].id, str_of(rows[0].text.len < 60 ? xstrdup(rows[0].text.s) : "")};
    return n;
}

static void embed_one(struct db *db, enum vector_layer layer, int64_t model)
{
    struct vector_lack row;
    assert_int_equal(lacking_in(db, layer, model, &row), 1);
    assert_ok(store_vector_put(db, (struct vector_scope){layer, model, 1}, &row,
        &(struct vector_set){east, 1, DIMS, 1.0F / 127}, NULL));
    assert_ok(store_vector_advance(db, (struct vector_scope){layer, model, 1}, NULL));
    assert_int_equal(lacking_in(db, layer, model, NULL), 0);
    free((void *)(uintptr_t)row.text.s);
}

TEST(vectors_of_summaries_are_of_the_current_ones)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS), s = rig_session(db, 1, "ses_a");
    int64_t one = rig_message(db, 1, s, 0, ROLE_USER, "one");
    struct summary old = {.session_id = s,
        .whole = true,
        .first_id = one,
        .last_id = one,
        .known_id = one,
        .messages = 1,
        .text = STR("old"),
        .provider = "offline",
        .model = "",
        .created_at = NOW};
    struct summary part = old, new = old;
    assert_ok(store_summary_add(db, 1, &old, NULL));
    embed_one(db, VECTOR_SUMMARY, m);
    part.whole = false;
    assert_ok(store_summary_add(db, 1, &part, NULL));
    assert_int_equal(lacking_in(db, VECTOR_SUMMARY, m, NULL), 0);
    new.text = STR("new");
    assert_ok(store_summary_add(db, 1, &new, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_summary_1"), 0);
    embed_one(db, VECTOR_SUMMARY, m);
    assert_int_equal(rig_int(db, "SELECT id FROM vector_summary_1"), new.id);
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_summary_1"), 0);
}

TEST(vectors_of_memories_follow_text_tags_and_deletion)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS);
    struct memory fact = {.text = STR("likes tea"),
        .tags = "drinks",
        .embedder = "x",
        .vector = {(const char *)east, DIMS},
        .scale = 1,
        .created_at = NOW};
    assert_ok(store_memory_add(db, 1, &fact, NULL));
    struct vector_lack row;
    assert_int_equal(lacking_in(db, VECTOR_MEMORY, m, &row), 1);
    assert_string_equal(row.text.s, "likes tea\ndrinks");
    free((void *)(uintptr_t)row.text.s);
    embed_one(db, VECTOR_MEMORY, m);
    struct vector_lack late = {fact.id, STR("likes tea\ndrinks evening")};
    fact.tags = "drinks evening";
    assert_ok(store_memory_change(db, 1, &fact, NOW, NULL));
    embed_one(db, VECTOR_MEMORY, m);
    assert_ok(store_memory_delete(db, 1, fact.id, NOW, NULL));
    /* a vector that was being made meanwhile comes too late */
    assert_ok(store_vector_put(
        db, (struct vector_scope){VECTOR_MEMORY, m, 1}, &late, &(struct vector_set){east, 1, DIMS, 1}, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM vector_memory_1"), 0);
    assert_ok(store_vector_advance(db, (struct vector_scope){VECTOR_MEMORY, m, 1}, NULL));
    assert_int_equal(lacking_in(db, VECTOR_MEMORY, m, NULL), 0);
    assert_ok(store_memory_restore(db, 1, fact.id, NOW, 0, NULL));
    embed_one(db, VECTOR_MEMORY, m);
}

TEST(tables_of_a_model_that_an_older_program_made_are_completed)
{
    AUTO(db) db = rig_db();
    int64_t m = add_model(db, "a", DIMS);
    assert_ok(db_exec(db, "DROP TABLE vector_memory_1", NO_ARGS, NULL, NULL));
    assert_ok(db_exec(db, "DROP TABLE pack_message_1", NO_ARGS, NULL, NULL));
    assert_ok(store_embedding_model_tables(db, NULL));
    assert_ok(store_embedding_model_tables(db, NULL));
    assert_int_equal(scan(db, m, 1, east, DIMS).n, 0);
    assert_int_equal(lacking_in(db, VECTOR_MEMORY, m, NULL), 0);
}

#define REPLACED 40

struct opener {
    const char *path;
    atomic_bool done;
};

static void *open_often(void *arg)
{
    struct opener *o = arg;
    struct db *db = rig_open(o->path);
    while (!atomic_load(&o->done))
        assert_ok(store_embedding_model_tables(db, NULL));
    db_close(db);
    return NULL;
}

static enum rc in_transaction(struct db *db, int64_t *model, bool promote, struct err *e)
{
    char name[16];
    struct embedding_model m = {.provider = "test", .model = name, .prefix = "", .dimension = DIMS};
    snprintf(name, sizeof name, "m%d", (int)*model);
    enum rc rc = db_begin(db, e);
    if (rc == RC_OK)
        rc = promote ? store_embedding_model_promote(db, *model, e)
                     : store_embedding_model_add(db, &m, NOW, model, e);
    return rc == RC_OK ? db_commit(db, e) : rc;
}

TEST(tables_are_not_made_for_a_model_that_another_program_replaces)
{
    char path[128];
    AUTO(db) db = rig_open(rig_path(path));
    pthread_t thread;
    int64_t model = 0;
    struct opener o = {.path = path};
    assert_int_equal(pthread_create(&thread, NULL, open_often, &o), 0);
    for (int i = 0; i < REPLACED; i++) {
        assert_ok(in_transaction(db, &model, false, NULL));
        assert_ok(in_transaction(db, &model, true, NULL));
    }
    atomic_store(&o.done, true);
    pthread_join(thread, NULL);
    drop_retired(db);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'vector_message_%'"), 1);
}
