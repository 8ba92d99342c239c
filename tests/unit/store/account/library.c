/* Personas and prompts: their owners, readers and changes. */
#include "../rig.h"

#include "store/account/library.h"

static const struct library_reader ann = {1, true}, bob = {2, false};

static int64_t add(struct db *db, int64_t owner, const char *name, bool shared)
{
    int64_t id;
    struct library_entry x = {
        .owner = owner, .name = name, .text = STR("Speak like a cook."), .shared = shared, .temperature = 70};
    assert_ok(store_library_add(db, LIBRARY_PERSONA, &x, &id, NULL));
    return id;
}

TEST(own_and_shared_entries_are_listed_by_name)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct library_entry *list, x;
    size_t n;
    int64_t own = add(db, 2, "beta", false), foreign = add(db, 1, "gamma", false);
    add(db, 1, "Alpha", true);
    assert_ok(store_library_list(db, a, 2, LIBRARY_PERSONA, &list, &n, NULL));
    assert_int_equal(n, 2);
    assert_string_equal(list[0].name, "Alpha");
    assert_true(list[0].shared);
    assert_int_equal(list[1].temperature, 70);
    assert_null(list[1].tools);
    assert_ok(store_library_list(db, a, 2, LIBRARY_PROMPT, &list, &n, NULL));
    assert_int_equal(n, 0);
    assert_rc(store_library_get(db, a, 2, LIBRARY_PERSONA, foreign, &x, NULL), RC_NOT_FOUND);
    assert_rc(store_library_get(db, a, 2, LIBRARY_PROMPT, own, &x, NULL), RC_NOT_FOUND);
}

TEST(an_entry_is_changed_by_its_owner_and_a_shared_one_by_admins)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct library_entry x, seen;
    int64_t own = add(db, 2, "beta", false), shared = add(db, 1, "alpha", true);
    assert_ok(store_library_get(db, a, 2, LIBRARY_PERSONA, own, &x, NULL));
    x.temperature = TEMPERATURE_NONE;
    x.tools = "memory";
    assert_rc(store_library_change(db, ann, LIBRARY_PERSONA, &x, NULL), RC_NOT_FOUND);
    assert_rc(store_library_change(db, bob, LIBRARY_PROMPT, &x, NULL), RC_NOT_FOUND);
    assert_rc(store_library_delete(db, bob, LIBRARY_PROMPT, own, NULL), RC_NOT_FOUND);
    assert_ok(store_library_change(db, bob, LIBRARY_PERSONA, &x, NULL));
    assert_ok(store_library_get(db, a, 2, LIBRARY_PERSONA, own, &seen, NULL));
    assert_int_equal(seen.temperature, TEMPERATURE_NONE);
    assert_string_equal(seen.tools, "memory");
    assert_rc(store_library_delete(db, bob, LIBRARY_PERSONA, shared, NULL), RC_NOT_FOUND);
    assert_rc(store_library_delete(db, ann, LIBRARY_PERSONA, own, NULL), RC_NOT_FOUND);
    assert_ok(store_library_delete(db, (struct library_reader){2, true}, LIBRARY_PERSONA, shared, NULL));
}

TEST(sessions_lose_a_persona_in_steps)
{
    AUTO(db) db = rig_db();
    char pub[8];
    bool more = true;
    int64_t own = add(db, 1, "alpha", false);
    for (int i = 0; i < 3; i++) {
        snprintf(pub, sizeof pub, "s%d", i);
        rig_session(db, 1, pub);
        assert_ok(store_session_set_persona(db, 1, pub, own, NULL));
    }
    assert_ok(store_library_leave_some(db, bob, own, 2, &more, NULL));
    assert_false(more);
    assert_int_equal(rig_int(db, "SELECT count(persona_id) FROM session"), 3);
    assert_ok(store_library_leave_some(db, ann, own, 2, &more, NULL));
    assert_true(more);
    assert_int_equal(rig_int(db, "SELECT count(persona_id) FROM session"), 1);
    assert_ok(store_library_leave_some(db, ann, own, 2, &more, NULL));
    assert_false(more);
    assert_int_equal(rig_int(db, "SELECT count(persona_id) FROM session"), 0);
}

TEST(a_name_is_taken_once_per_owner_and_kind_ignoring_case)
{
    AUTO(db) db = rig_db();
    int64_t id;
    struct library_entry x = {.owner = 2, .name = "Beta", .text = STR("x"), .temperature = TEMPERATURE_NONE};
    add(db, 2, "beta", false);
    add(db, 1, "beta", false);
    assert_rc(store_library_add(db, LIBRARY_PERSONA, &x, &id, NULL), RC_CONFLICT);
    assert_ok(store_library_add(db, LIBRARY_PROMPT, &x, &id, NULL));
}

TEST(entries_of_a_user_are_limited)
{
    AUTO(db) db = rig_db();
    char name[16];
    int64_t id;
    for (int i = 0; i < LIBRARY_ENTRIES_MAX; i++) {
        snprintf(name, sizeof name, "p%d", i);
        add(db, 2, name, false);
    }
    struct library_entry x = {.owner = 2, .name = "more", .text = STR("x"), .temperature = TEMPERATURE_NONE};
    assert_rc(store_library_add(db, LIBRARY_PERSONA, &x, &id, NULL), RC_TOO_BIG);
    assert_ok(store_library_add(db, LIBRARY_PROMPT, &x, &id, NULL));
    add(db, 1, "more", false);
}

TEST(a_session_loses_a_deleted_persona_and_entries_go_with_their_user)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct session s;
    int64_t persona = add(db, 2, "beta", false), id = rig_session(db, 1, "ses_a");
    assert_ok(store_session_set_persona(db, 1, "ses_a", persona, NULL));
    assert_ok(store_session_set_temperature(db, 1, "ses_a", 0, NULL));
    assert_ok(store_session_set_answer_tokens(db, 1, "ses_a", 500, NULL));
    assert_ok(store_session_by_id(db, a, 1, id, &s, NULL));
    assert_int_equal(s.persona_id, persona);
    assert_int_equal(s.temperature, 0);
    assert_int_equal(s.answer_tokens, 500);
    assert_ok(store_user_delete(db, 2, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM library"), 0);
    assert_ok(store_session_set_temperature(db, 1, "ses_a", TEMPERATURE_NONE, NULL));
    assert_ok(store_session_by_id(db, a, 1, id, &s, NULL));
    assert_int_equal(s.persona_id, 0);
    assert_int_equal(s.temperature, TEMPERATURE_NONE);
}
