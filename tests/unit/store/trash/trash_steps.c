/* Long branches go to the trash in parts and return in slices. */
#include "trash_rig.h"

#include <limits.h>

#define CHAIN 450
#define FAN   250

struct tree {
    int64_t session, top, middle;
};

/* A message with a chain of others below it, and in the middle of it many answers to one question. */
static struct tree long_tree(struct db *db)
{
    struct tree t = {.session = rig_session(db, 1, "ses_long")};
    int64_t root = rig_message(db, 1, t.session, 0, ROLE_USER, "root");
    int64_t at = t.top = rig_message(db, 1, t.session, root, ROLE_ASSISTANT, "top");
    for (int i = 0; i < CHAIN; i++) {
        at = rig_message(db, 1, t.session, at, i % 2 ? ROLE_ASSISTANT : ROLE_USER, "chain");
        t.middle = i == CHAIN / 2 ? at : t.middle;
    }
    for (int i = 0; i < FAN; i++)
        rig_message(db, 1, t.session, t.middle, ROLE_ASSISTANT, "fan");
    return t;
}

#define LOOSE                                                                             \
    "SELECT count(*) FROM message m JOIN message p ON p.id = m.parent_id JOIN session s " \
    "ON s.id = m.session_id WHERE s.owner = 1 AND p.session_id <> m.session_id"

/* The first `n` parts; 0: all. */
static void delete_parts(struct db *db, const struct tree *t, size_t n)
{
    AUTO(arena) a = arena_new();
    int64_t *parts, moved = 0;
    size_t parts_n;
    assert_ok(store_trash_parts(db, a, t->session, t->top, &parts, &parts_n, NULL));
    assert_true(parts_n > CHAIN / TRASH_PART && parts[parts_n - 1] == t->top);
    for (size_t i = 0; i < (n ? n : parts_n); i++) {
        assert_ok(
            store_trash_part(db, &(struct trash_part){1, t->session, parts[i], t->top, "ses_h", NOW}, NULL));
        int64_t now = rig_int(db, "SELECT count(*) FROM message m JOIN session s ON s.id = m.session_id "
                                  "WHERE s.pub = 'ses_h'");
        assert_in_range(now - moved, 1, TRASH_PART);
        moved = now;
        assert_int_equal(rig_int(db, LOOSE), 0);
    }
}

static int64_t of_user(struct db *db)
{
    return rig_int(
        db, "SELECT count(*) FROM message m JOIN session s ON s.id = m.session_id WHERE s.owner = 1");
}

/* Repeats the step until it has moved `slices`, or all; returns their number. */
static int return_slices(struct db *db, const char *pub, int slices)
{
    int n = 0;
    bool more = true;
    while (more && n < slices) {
        int64_t before = of_user(db);
        assert_ok(store_trash_return_step(db, 1, pub, &more, NULL));
        int64_t moved = of_user(db) - before;
        assert_in_range(moved, more && n ? 1 : 0, TRASH_PART); /* the first steps only index */
        assert_int_equal(rig_int(db, LOOSE), 0);
        n += moved > 0;
    }
    return n;
}

TEST(a_long_branch_is_a_tree_after_each_part_and_each_slice)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct tree t = long_tree(db);
    struct session before = session_of(db, a, "ses_long");
    struct trash_restored back;
    bool more;
    delete_parts(db, &t, 0);
    assert_int_equal(session_of(db, a, "ses_long").message_count, 1);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message_text_docsize"), 1);
    assert_int_equal(in_trash(db, 1), 1);
    assert_rc(store_trash_return_step(db, 2, "ses_h", &more, NULL), RC_NOT_FOUND);
    assert_true(return_slices(db, "ses_h", INT_MAX) > CHAIN / TRASH_PART);
    assert_ok(store_trash_restore(db, 1, "ses_h", &back, NULL));
    struct session after = session_of(db, a, "ses_long");
    assert_int_equal(after.head_id, before.head_id);
    assert_int_equal(after.message_count, before.message_count);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM message_text_docsize"), CHAIN + FAN + 2);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session"), 1);
    rig_check_index(db);
}

static size_t broken(struct db *db, int64_t before)
{
    AUTO(arena) a = arena_new();
    struct trash_broken *list;
    size_t n;
    assert_ok(store_trash_broken_before(db, a, before, &list, &n, NULL));
    assert_true(!n || (list[0].owner == 1 && strcmp(list[0].pub, "ses_h") == 0));
    return n;
}

TEST(a_deletion_is_broken_off_until_its_last_part)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct tree t = long_tree(db);
    struct trash_broken found;
    struct trash_restored back;
    delete_parts(db, &t, 3);
    assert_int_equal(broken(db, NOW), 1);
    assert_int_equal(broken(db, NOW - 1), 0);
    assert_int_equal(rig_int(db, "SELECT run_at FROM job WHERE kind = 'purge_trash'"), NOW + TRASH_BROKEN_MS);
    assert_ok(store_trash_broken_of(db, a, 1, t.top, &found, NULL));
    assert_rc(store_trash_broken_of(db, a, 2, t.top, &found, NULL), RC_NOT_FOUND);
    assert_rc(store_trash_broken_of(db, a, 1, t.middle, &found, NULL), RC_NOT_FOUND);
    delete_parts(db, &t, 0);
    assert_int_equal(broken(db, NOW), 0);
    assert_rc(store_trash_broken_of(db, a, 1, t.top, &found, NULL), RC_NOT_FOUND);
    /* A return that was broken off counts, too, but no deletion goes on with it. */
    assert_int_equal(return_slices(db, "ses_h", 1), 1);
    assert_int_equal(broken(db, NOW), 1);
    assert_rc(store_trash_broken_of(db, a, 1, t.top, &found, NULL), RC_NOT_FOUND);
    assert_ok(store_trash_restore(db, 1, "ses_h", &back, NULL));
    assert_int_equal(broken(db, NOW), 0);
}

/* A program that ended in between leaves ends of the branch in the trash. They hang on what is deleted next.
 */
TEST(a_deletion_that_was_broken_off_can_be_restored_and_erased)
{
    for (int erased = 0; erased < 2; erased++) {
        AUTO(db) db = rig_db();
        struct tree t = long_tree(db);
        struct trash_restored back;
        delete_parts(db, &t, 3);
        assert_ok(store_trash_message(db, 1, t.session, t.middle, "ses_middle", NOW, NULL));
        assert_int_equal(in_trash(db, 1), 2);
        if (erased) {
            assert_ok(store_trash_erase(db, 1, NULL, NULL));
            purge(db);
            assert_int_equal(in_trash(db, 1), 0);
        } else {
            assert_int_equal(return_slices(db, "ses_h", INT_MAX), 0); /* they hang on the other entry */
            assert_ok(store_trash_restore(db, 1, "ses_h", &back, NULL));
            assert_int_equal(in_trash(db, 1), 0);
            assert_int_equal(rig_int(db, "SELECT count(*) FROM message"), CHAIN + FAN + 2);
        }
        assert_int_equal(rig_int(db, LOOSE), 0);
        assert_int_equal(rig_int(db, "SELECT count(*) FROM session"), 1);
        rig_check_index(db);
    }
}
