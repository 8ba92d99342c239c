#include "../rig.h"

#include "store/session/tag.h"

static const char *names(struct db *db, struct arena *a, int64_t owner, int64_t session)
{
    struct tag *tags;
    size_t n;
    const char *text = "";
    assert_ok(session ? store_session_tags(db, a, owner, session, &tags, &n, NULL)
                      : store_tag_list_counted(db, a, owner, &tags, &n, NULL));
    for (size_t i = 0; i < n; i++)
        text = session ? arena_printf(a, "%s%s ", text, tags[i].name)
                       : arena_printf(
                             a, "%s%s:%d:%d ", text, tags[i].name, tags[i].colour, (int)tags[i].sessions);
    return text;
}

static int64_t add(struct db *db, int64_t owner, const char *name)
{
    int64_t id;
    assert_ok(store_tag_add(db, owner, name, 3, NOW, &id, NULL));
    return id;
}

TEST(a_user_has_own_tags_and_each_name_once)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct tag t;
    int64_t id, work = add(db, 1, "Work");
    add(db, 1, "Home");
    add(db, 2, "work");
    assert_rc(store_tag_add(db, 1, "WORK", 0, NOW, &id, NULL), RC_CONFLICT);
    assert_string_equal(names(db, a, 1, 0), "Home:3:0 Work:3:0 ");
    assert_ok(store_tag_find(db, a, 1, "work", &t, NULL));
    assert_int_equal(t.id, work);
    assert_rc(store_tag_find(db, a, 2, "home", &t, NULL), RC_NOT_FOUND);
    assert_rc(store_tag_get(db, a, 2, work, &t, NULL), RC_NOT_FOUND);
    assert_rc(store_tag_rename(db, 2, work, "x", NULL), RC_NOT_FOUND);
    assert_rc(store_tag_rename(db, 1, work, "home", NULL), RC_CONFLICT);
    assert_ok(store_tag_rename(db, 1, work, "WORK", NULL));
    assert_rc(store_tag_set_colour(db, 2, work, 1, NULL), RC_NOT_FOUND);
    assert_ok(store_tag_set_colour(db, 1, work, 1, NULL));
    assert_rc(store_tag_delete(db, 2, work, NULL), RC_NOT_FOUND);
    assert_string_equal(names(db, a, 1, 0), "Home:3:0 WORK:1:0 ");
    add(db, 1, "Ärger");
    assert_ok(store_tag_find(db, a, 1, "äRGER", &t, NULL));
    assert_rc(store_tag_find(db, a, 1, "arger", &t, NULL), RC_NOT_FOUND);
}

TEST(sessions_get_and_lose_tags_of_their_owner_only)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "a"), foreign = rig_session(db, 2, "b");
    int64_t x = add(db, 1, "x"), b = add(db, 1, "B"), other = add(db, 2, "x");
    assert_ok(store_session_tag(db, 1, s, x, NULL));
    assert_ok(store_session_tag(db, 1, s, x, NULL));
    assert_ok(store_session_tag(db, 1, s, b, NULL));
    assert_rc(store_session_tag(db, 1, foreign, x, NULL), RC_NOT_FOUND);
    assert_rc(store_session_tag(db, 1, s, other, NULL), RC_NOT_FOUND);
    assert_rc(store_session_tag(db, 2, s, other, NULL), RC_NOT_FOUND);
    assert_rc(store_session_tag(db, 2, s, x, NULL), RC_NOT_FOUND);
    assert_string_equal(names(db, a, 1, s), "B x ");
    assert_string_equal(names(db, a, 2, s), "");
    assert_ok(store_session_untag(db, 2, s, x, NULL));
    assert_string_equal(names(db, a, 1, s), "B x ");
    int64_t beside = rig_session(db, 1, "c");
    assert_ok(store_session_tag(db, 1, beside, x, NULL));
    assert_ok(store_session_untag(db, 1, s, x, NULL));
    assert_string_equal(names(db, a, 1, s), "B ");
    assert_string_equal(names(db, a, 1, beside), "x ");
    assert_string_equal(names(db, a, 1, 0), "B:3:1 x:3:1 ");
    assert_ok(store_trash_session(db, 1, "c", NOW, NULL));
    assert_string_equal(names(db, a, 1, 0), "B:3:1 x:3:0 ");
    assert_ok(rig_session_delete(db, 1, "c", NULL));
    assert_ok(store_tag_delete(db, 1, b, NULL));
    assert_string_equal(names(db, a, 1, s), "");
    assert_ok(store_session_tag(db, 1, s, x, NULL));
    assert_ok(rig_session_delete(db, 1, "a", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session_tag"), 0);
}

TEST(sessions_lose_a_tag_in_steps)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    char pub[8];
    bool more = true;
    int64_t x = add(db, 1, "x"), y = add(db, 1, "y"), other = add(db, 2, "z");
    for (int i = 0; i < 5; i++) {
        snprintf(pub, sizeof pub, "s%d", i);
        assert_ok(store_session_tag(db, 1, rig_session(db, 1, pub), x, NULL));
    }
    assert_rc(store_tag_move_some(db, 2, x, 0, 2, &more, NULL), RC_NOT_FOUND);
    assert_rc(store_tag_move_some(db, 1, x, other, 2, &more, NULL), RC_NOT_FOUND);
    assert_ok(store_tag_move_some(db, 1, x, y, 2, &more, NULL));
    assert_true(more);
    assert_string_equal(names(db, a, 1, 0), "x:3:3 y:3:2 ");
    assert_ok(store_tag_move_some(db, 1, x, 0, 2, &more, NULL));
    assert_true(more);
    assert_string_equal(names(db, a, 1, 0), "x:3:1 y:3:2 ");
    assert_ok(store_tag_move_some(db, 1, x, y, 2, &more, NULL));
    assert_false(more);
    assert_string_equal(names(db, a, 1, 0), "x:3:0 y:3:3 ");
}

TEST(merging_moves_the_sessions)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "a"), s2 = rig_session(db, 1, "b");
    int64_t x = add(db, 1, "x"), y = add(db, 1, "y"), other = add(db, 2, "z");
    assert_ok(store_session_tag(db, 1, s, x, NULL));
    assert_ok(store_session_tag(db, 1, s2, x, NULL));
    assert_ok(store_session_tag(db, 1, s2, y, NULL));
    assert_rc(store_tag_merge(db, 1, x, other, NULL), RC_NOT_FOUND);
    assert_rc(store_tag_merge(db, 1, x, x, NULL), RC_NOT_FOUND);
    assert_ok(store_tag_merge(db, 1, x, y, NULL));
    assert_string_equal(names(db, a, 1, 0), "y:3:2 ");
    assert_string_equal(names(db, a, 1, s), "y ");
}

TEST(the_numbers_of_tags_are_limited)
{
    AUTO(db) db = rig_db();
    char name[16];
    int64_t id, s = rig_session(db, 1, "a");
    for (int i = 0; i < TAGS_MAX; i++) {
        snprintf(name, sizeof name, "t%d", i);
        id = add(db, 1, name);
        assert_rc(store_session_tag(db, 1, s, id, NULL), i < TAGS_OF_SESSION_MAX ? RC_OK : RC_CONFLICT);
    }
    assert_rc(store_tag_add(db, 1, "more", 0, NOW, &id, NULL), RC_CONFLICT);
    add(db, 2, "more");
    assert_ok(store_session_tag(db, 1, s, 1, NULL));
}

TEST(tags_are_listed_by_number_and_without_regard_to_case)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "a");
    static const char *const added[] = {"10", "b", "2", "A10", "1", "a9", "C", "\u00C4b"};
    for (size_t i = 0; i < ARRAY_LEN(added); i++)
        assert_ok(store_session_tag(db, 1, s, add(db, 1, added[i]), NULL));
    assert_string_equal(names(db, a, 1, 0), "1:3:1 2:3:1 10:3:1 a9:3:1 A10:3:1 \u00C4b:3:1 b:3:1 C:3:1 ");
    assert_string_equal(names(db, a, 1, s), "1 2 10 a9 A10 \u00C4b b C ");
    struct session session;
    assert_ok(store_session_get(db, a, 1, "a", &session, NULL));
    assert_string_equal(session.tags, "3 1,3 2,3 10,3 a9,3 A10,3 \u00C4b,3 b,3 C");
}
