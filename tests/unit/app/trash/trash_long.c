/* Sessions and branches that are too long for one transaction: they go to the trash and return in steps. */
#include "trash_place.h"

/* ---- a long session, whose messages leave the index and come back in steps ---- */

#define MANY (5 * TRASH_STEP)

static enum rc fill_long_tx(struct db *db, void *arg, struct err *e)
{
    int64_t at = place.sessions[0].reply;
    enum rc rc = RC_OK;
    (void)arg;
    for (int i = 0; rc == RC_OK && i < MANY; i++)
        rc = rig_add_message(db, place.anna, place.sessions[0].id, at, i % 2 ? ROLE_ASSISTANT : ROLE_USER,
            "a walrus 鲸鱼", NOW + i, &at, e);
    return rc;
}

static enum rc check_index_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    enum rc rc = db_exec(
        db, "INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 0)", NO_ARGS, NULL, e);
    return rc == RC_OK ? db_exec(db, "INSERT INTO message_pair (message_pair) VALUES ('integrity-check')",
                             NO_ARGS, NULL, e)
                       : rc;
}

/* The number of messages that are in one of the indexes and belong into the other one, too. */
#define MISPLACED                                                                         \
    "WITH pairs AS (SELECT id FROM message_pair_docsize), words AS (SELECT d.id FROM "    \
    "message_text_docsize d JOIN message m ON m.id = d.id WHERE m.text LIKE '%鲸%') "    \
    "SELECT (SELECT count(*) FROM (SELECT id FROM pairs EXCEPT SELECT id FROM words)) + " \
    "(SELECT count(*) FROM (SELECT id FROM words EXCEPT SELECT id FROM pairs))"

/* Both indexes are sound, and have so many messages and the same ones. */
static void is_indexed(struct store *s, int64_t n)
{
    assert_int_equal(number(s, "SELECT count(*) FROM message_text_docsize"), n);
    assert_int_equal(number(s, MISPLACED), 0);
    assert_int_equal(store_write(s, check_index_tx, NULL, NULL), RC_OK);
}

static struct store *start_long(void)
{
    struct store *s = start();
    assert_int_equal(store_write(s, fill_long_tx, NULL, NULL), RC_OK);
    is_indexed(s, MANY + 4);
    return s;
}

static enum rc unindex_tx(struct db *db, void *arg, struct err *e)
{
    return store_trash_unindex_step(db, arg, e);
}

static enum rc return_step_tx(struct db *db, void *arg, struct err *e)
{
    bool *more = arg;
    return store_trash_return_step(db, place.anna, place.sessions[0].pub, more, e);
}

/* With so many steps of the helper between the deletion and the return. */
static void returns_after(int steps)
{
    AUTO(store) s = start_long();
    struct trash_restored back;
    bool more = true;
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    is_indexed(s, MANY + 4 - TRASH_STEP);
    assert_int_equal(number(s, "SELECT count(*) FROM session WHERE owner = 1 OR owner = 2"), 1);
    for (int i = 0; i < steps; i++)
        assert_int_equal(store_write(s, unindex_tx, &more, NULL), RC_OK);
    assert_int_equal(more, steps < 6);
    assert_int_equal(restore(s, place.anna, place.sessions[0].pub, &back), RC_OK);
    is_indexed(s, MANY + 4);
    assert_int_equal(number(s, LISTED), 0);
}

TEST(a_long_session_leaves_the_index_in_steps_and_returns_at_any_time)
{
    for (int steps = 0; steps <= 7; steps++)
        returns_after(steps);
}

TEST(a_return_that_was_broken_off_goes_on_and_the_helper_leaves_it_alone)
{
    AUTO(store) s = start_long();
    struct trash_restored back;
    bool more = true;
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    while (more)
        assert_int_equal(store_write(s, unindex_tx, &more, NULL), RC_OK);
    is_indexed(s, 2);
    assert_int_equal(store_write(s, return_step_tx, &more, NULL), RC_OK);
    assert_true(more);
    assert_int_equal(store_write(s, unindex_tx, &more, NULL), RC_OK);
    assert_false(more);
    assert_int_equal(number(s, LISTED), 1);
    assert_int_equal(number(s, "SELECT count(*) FROM message_text_docsize"), 2 + TRASH_STEP);
    assert_int_equal(restore(s, place.anna, place.sessions[0].pub, &back), RC_OK);
    is_indexed(s, MANY + 4);
}

/* Also one that is erased while it leaves the index, or comes back. */
TEST(an_erased_long_session_leaves_nothing_in_the_index)
{
    for (int returning = 0; returning < 2; returning++) {
        AUTO(store) s = start_long();
        struct helper h = {.store = s, .config = &config};
        bool more;
        assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
        if (returning)
            assert_int_equal(store_write(s, return_step_tx, &more, NULL), RC_OK);
        assert_int_equal(trash_erase(s, &config, place.anna, place.sessions[0].pub, &from, NULL), RC_OK);
        assert_int_equal(task_purge_trash(&h, NULL, NULL), RC_OK);
        is_indexed(s, 2);
        assert_int_equal(number(s, "SELECT count(*) FROM message"), 2);
    }
}

TEST(the_task_takes_the_rest_of_a_long_session_out_of_the_index)
{
    AUTO(store) s = start_long();
    struct helper h = {.store = s, .config = &config};
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    assert_int_equal(task_purge_trash(&h, NULL, NULL), RC_OK);
    is_indexed(s, 2);
}

TEST(long_branches_leave_the_index_at_once_and_all_return)
{
    AUTO(store) s = start_long();
    struct helper h = {.store = s, .config = &config};
    int64_t n = 0;
    char entry[ID_SIZE];
    assert_int_equal(trash_message(s, &config, place.anna, place.sessions[0].pub, place.sessions[0].reply,
                         &from, entry, NULL),
        RC_OK);
    is_indexed(s, 3);
    assert_int_equal(task_purge_trash(&h, NULL, NULL), RC_OK);
    assert_int_equal(trash_restore_all(s, &config, place.anna, &from, &n, NULL), RC_OK);
    assert_int_equal(n, 1);
    is_indexed(s, MANY + 4);
}

/* ---- a turn in a long session ---- */

struct running {
    int64_t turn, asked;
    struct message reply;
};

/* Of a question that enters the index when its turn ends. */
static enum rc begin_turn_tx(struct db *db, void *arg, struct err *e)
{
    struct running *r = arg;
    struct message ask = {.session_id = place.sessions[0].id,
        .parent_id = place.sessions[0].reply,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("a walrus 鲸鱼"),
        .created_at = NOW,
        .index_later = true};
    enum rc rc = store_message_add(db, place.anna, &ask, e);
    r->reply = ask;
    r->reply.parent_id = r->asked = ask.id;
    r->reply.role = ROLE_ASSISTANT;
    r->reply.status = MESSAGE_RUNNING;
    r->reply.text = STR("");
    r->reply.index_later = false;
    if (rc == RC_OK)
        rc = store_message_add(db, place.anna, &r->reply, e);
    struct turn_row row = {.pub = "trn_1",
        .owner = place.anna,
        .session_id = place.sessions[0].id,
        .asked_id = r->asked,
        .reply_id = r->reply.id,
        .runner = "stream",
        .started_at = NOW,
        .indexes_asked = true};
    return rc == RC_OK ? store_turn_add(db, &row, &r->turn, e) : rc;
}

static enum rc end_turn_tx(struct db *db, void *arg, struct err *e)
{
    struct running *r = arg;
    r->reply.status = MESSAGE_DONE;
    r->reply.text = STR("a walrus 鲸鱼");
    enum rc rc = store_message_finish(db, place.anna, &r->reply, e);
    return rc == RC_OK ? store_turn_end(db, place.anna, r->turn, MESSAGE_DONE, NOW, e) : rc;
}

/* ---- a long branch, which goes in parts and returns in slices ---- */

/* The state of the session: its head, count and messages, and those that hang on a message elsewhere. */
struct branch {
    int64_t head, count, messages, loose;
};

static struct branch branch_of(struct store *s)
{
#define SESSION "(SELECT min(id) FROM session WHERE owner > 0)"
    return (struct branch){number(s, "SELECT head_id FROM session WHERE id = " SESSION),
        number(s, "SELECT message_count FROM session WHERE id = " SESSION),
        number(s, "SELECT count(*) FROM message WHERE session_id = " SESSION),
        number(s, "SELECT count(*) FROM message m JOIN message p ON p.id = m.parent_id "
                  "WHERE m.session_id <> p.session_id AND m.session_id = " SESSION)};
}

static void is_branch(struct store *s, const struct branch *want)
{
    struct branch is = branch_of(s);
    assert_memory_equal(&is, want, sizeof is);
}

TEST(a_long_branch_goes_to_one_entry_and_returns_as_it_was)
{
    AUTO(store) s = start_long();
    struct branch before = branch_of(s);
    struct trash_restored back;
    char entry[ID_SIZE];
    assert_int_equal(trash_message(s, &config, place.anna, place.sessions[0].pub, place.sessions[0].reply,
                         &from, entry, NULL),
        RC_OK);
    is_branch(s, &(struct branch){place.sessions[0].asked, 1, 1, 0});
    assert_int_equal(number(s, LISTED), 1);
    assert_int_equal(number(s, "SELECT message_id FROM trash"), place.sessions[0].reply);
    assert_int_equal(number(s, "SELECT message_count FROM session WHERE owner = 0"), MANY + 1);
    is_indexed(s, 3);
    assert_int_equal(restore(s, place.anna, entry, &back), RC_OK);
    assert_int_equal(back.message_id, place.sessions[0].reply);
    is_branch(s, &before);
    is_indexed(s, MANY + 4);
    assert_int_equal(number(s, "SELECT count(*) FROM session WHERE owner = 0") + number(s, LISTED), 0);
}

/* The running answer is of the last part. */
TEST(a_long_branch_with_a_running_answer_stays_whole)
{
    AUTO(store) s = start_long();
    struct running r = {0};
    char entry[ID_SIZE];
    assert_int_equal(store_write(s, begin_turn_tx, &r, NULL), RC_OK);
    struct branch before = branch_of(s);
    assert_int_equal(trash_message(s, &config, place.anna, place.sessions[0].pub, place.sessions[0].reply,
                         &from, entry, NULL),
        RC_CONFLICT);
    is_branch(s, &before);
    assert_int_equal(number(s, LISTED), 0);
    is_indexed(s, MANY + 4);
}

/* The first parts of the deletion, by a program that ends then. */
static enum rc break_off_tx(struct db *db, void *entry, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *parts, session = place.sessions[0].id, reply = place.sessions[0].reply;
    size_t n;
    enum rc rc = store_trash_parts(db, a, session, reply, &parts, &n, e);
    assert_true(rc == RC_OK && n > 3);
    for (size_t i = 0; rc == RC_OK && i < 3; i++) {
        const struct trash_part part = {
            place.anna, session, parts[i], reply, entry, clock_wall_ms() - TRASH_BROKEN_MS};
        rc = store_trash_part(db, &part, e);
    }
    return rc;
}

TEST(a_deletion_that_was_broken_off_goes_on_with_its_entry)
{
    AUTO(store) s = start_long();
    struct branch before = branch_of(s);
    struct trash_restored back;
    char begun[ID_SIZE], entry[ID_SIZE];
    id_new(ID_SESSION, begun);
    assert_int_equal(store_write(s, break_off_tx, begun, NULL), RC_OK);
    assert_int_equal(trash_message(s, &config, place.anna, place.sessions[0].pub, place.sessions[0].reply,
                         &from, entry, NULL),
        RC_OK);
    assert_string_equal(entry, begun);
    assert_int_equal(number(s, LISTED), 1);
    assert_int_equal(number(s, "SELECT message_count FROM session WHERE owner = 0"), MANY + 1);
    assert_int_equal(restore(s, place.anna, entry, &back), RC_OK);
    is_branch(s, &before);
    is_indexed(s, MANY + 4);
}

TEST(the_task_undoes_a_deletion_that_was_broken_off)
{
    AUTO(store) s = start_long();
    struct helper h = {.store = s, .config = &config};
    struct branch before = branch_of(s);
    char entry[ID_SIZE];
    id_new(ID_SESSION, entry);
    assert_int_equal(store_write(s, break_off_tx, entry, NULL), RC_OK);
    assert_int_equal(number(s, LISTED), 1);
    assert_int_equal(task_purge_trash(&h, NULL, NULL), RC_OK);
    is_branch(s, &before);
    is_indexed(s, MANY + 4);
    assert_int_equal(number(s, LISTED), 0);
}

/* ---- vectors of a long session ---- */

#define DIMS 4

struct embedding {
    int64_t model;
    size_t lacking;
};

static enum rc embed_tx(struct db *db, void *arg, struct err *e)
{
    struct embedding *v = arg;
    AUTO(arena) a = arena_new();
    struct vector_lack *rows;
    const int8_t east[DIMS] = {127};
    struct embedding_model m = {.provider = "test", .model = "m", .prefix = "", .dimension = DIMS};
    size_t n = 0;
    enum rc rc = store_embedding_model_add(db, &m, NOW, &v->model, e);
    if (rc == RC_OK)
        rc = store_vector_lacking(db, a, (struct vector_scope){VECTOR_MESSAGE, v->model, place.anna},
            2 * MANY, (size_t)1 << 20, &rows, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = store_vector_put(db, (struct vector_scope){VECTOR_MESSAGE, v->model, place.anna}, &rows[i],
            &(struct vector_set){east, 1, DIMS, 1}, e);
    return rc == RC_OK
               ? store_vector_advance(db, (struct vector_scope){VECTOR_MESSAGE, v->model, place.anna}, e)
               : rc;
}

static enum rc lacking_tx(struct db *db, void *arg, struct err *e)
{
    struct embedding *v = arg;
    AUTO(arena) a = arena_new();
    struct vector_lack *rows;
    return store_vector_lacking(db, a, (struct vector_scope){VECTOR_MESSAGE, v->model, place.anna}, 2 * MANY,
        (size_t)1 << 20, &rows, &v->lacking, e);
}

static enum rc advance_tx(struct db *db, void *arg, struct err *e)
{
    const struct embedding *v = arg;
    return store_vector_advance(db, (struct vector_scope){VECTOR_MESSAGE, v->model, place.anna}, e);
}

static enum rc purge_vectors_tx(struct db *db, void *more, struct err *e)
{
    return store_vector_purge(db, more, e);
}

#define GONE "SELECT count(*) FROM vector_gone"

/* `purged`: the helper has removed the hidden vectors before the session returns. */
static void vectors_return(bool purged)
{
    AUTO(store) s = start_long();
    struct embedding v = {0};
    struct trash_restored back;
    bool more = true;
    assert_int_equal(store_write(s, embed_tx, &v, NULL), RC_OK);
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    assert_int_equal(number(s, GONE), TRASH_STEP);
    for (int i = 2; i <= 4; i++) {
        assert_int_equal(store_write(s, unindex_tx, &more, NULL), RC_OK);
        assert_int_equal(number(s, GONE), i * TRASH_STEP);
    }
    for (more = purged; more;)
        assert_int_equal(store_write(s, purge_vectors_tx, &more, NULL), RC_OK);
    assert_int_equal(store_write(s, return_step_tx, &more, NULL), RC_OK);
    assert_int_equal(number(s, GONE), purged ? 0 : 3 * TRASH_STEP);
    assert_int_equal(store_write(s, advance_tx, &v, NULL), RC_OK); /* past the rows that are in the trash */
    assert_int_equal(restore(s, place.anna, place.sessions[0].pub, &back), RC_OK);
    assert_int_equal(number(s, GONE), 0);
    assert_int_equal(store_with_reader(s, lacking_tx, &v, NULL), RC_OK);
    assert_int_equal(v.lacking, purged ? 4 * TRASH_STEP : 0);
}

TEST(vectors_of_a_long_session_are_hidden_and_shown_in_steps)
{
    vectors_return(false);
    vectors_return(true);
}

/* ---- a long session in which a turn runs ---- */

/* The turn ends before the step `ends`, of so many of the helper and as many of the return, or after these.
 * `early`: its messages are older than the many others. */
static void returns_with_a_turn(bool early, int steps, int ends)
{
    AUTO(store) s = start();
    struct running r = {0};
    struct trash_restored back;
    bool more = true;
    if (early)
        assert_int_equal(store_write(s, begin_turn_tx, &r, NULL), RC_OK);
    assert_int_equal(store_write(s, fill_long_tx, NULL, NULL), RC_OK);
    if (!early)
        assert_int_equal(store_write(s, begin_turn_tx, &r, NULL), RC_OK);
    is_indexed(s, MANY + 4);
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    if (!early)
        is_indexed(s, MANY + 4 - TRASH_STEP);
    for (int i = 0; i < 2 * steps; i++) {
        if (i == ends)
            assert_int_equal(store_write(s, end_turn_tx, &r, NULL), RC_OK);
        assert_int_equal(store_write(s, i < steps ? unindex_tx : return_step_tx, &more, NULL), RC_OK);
    }
    assert_int_equal(restore(s, place.anna, place.sessions[0].pub, &back), RC_OK);
    if (ends >= 2 * steps)
        assert_int_equal(store_write(s, end_turn_tx, &r, NULL), RC_OK);
    is_indexed(s, MANY + 6);
}

TEST(a_long_session_leaves_the_index_and_returns_in_steps_while_a_turn_ends)
{
    for (int steps = 1; steps <= 6; steps += 5)
        for (int ends = 0; ends <= 2 * steps; ends++)
            for (int early = 0; early < 2; early++)
                returns_with_a_turn(early, steps, ends);
}
