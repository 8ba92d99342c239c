#include "../rig.h"

#include "store/session/session_filter.h"

#include "store/session/workspace.h"

static size_t listed(struct db *db, struct arena *a, int64_t owner, const char *workspace, const char *match)
{
    struct session *list;
    size_t n;
    struct session_filter f = {
        .show = SESSIONS_ALL, .workspace = {.is = workspace}, .words = &match, .words_n = match != NULL};
    assert_ok(store_session_list(db, a, owner, &f, &(struct session_page){.limit = 10}, &list, &n, NULL));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(list[i].owner, owner);
        if (workspace)
            assert_string_equal(list[i].workspace, workspace);
    }
    return n;
}

static const char *names(struct db *db, struct arena *a, int64_t owner)
{
    const char **list, *all = "";
    size_t n;
    assert_ok(store_workspace_list(db, a, owner, &list, &n, NULL));
    for (size_t i = 0; i < n; i++)
        all = arena_printf(a, "%s%s;", all, list[i]);
    return all;
}

TEST(a_session_is_in_one_workspace_and_leaves_it)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct session s;
    rig_session(db, 1, "ses_a");
    assert_ok(store_session_set_workspace(db, 1, "ses_a", "House", NULL));
    assert_ok(store_session_get(db, a, 1, "ses_a", &s, NULL));
    assert_string_equal(s.workspace, "House");
    assert_ok(store_session_set_workspace(db, 1, "ses_a", "Garden", NULL));
    assert_string_equal(names(db, a, 1), "Garden;");
    assert_ok(store_session_set_workspace(db, 1, "ses_a", NULL, NULL));
    assert_ok(store_session_get(db, a, 1, "ses_a", &s, NULL));
    assert_null(s.workspace);
    assert_string_equal(names(db, a, 1), "");
    assert_rc(store_session_set_workspace(db, 2, "ses_a", "Mine", NULL), RC_NOT_FOUND);
    assert_rc(store_session_set_workspace(db, 1, "ses_no", "Mine", NULL), RC_NOT_FOUND);
}

TEST(workspaces_are_listed_once_each_and_one_spelling_wins)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    static const char *const in[] = {"House", "house", "Garden", "HOUSE", NULL};
    char pub[24];
    for (size_t i = 0; i < ARRAY_LEN(in); i++) {
        snprintf(pub, sizeof pub, "ses_%zu", i);
        rig_session(db, 1, pub);
        assert_ok(store_session_set_workspace(db, 1, pub, in[i], NULL));
    }
    rig_session(db, 2, "ses_b");
    assert_ok(store_session_set_workspace(db, 2, "ses_b", "house", NULL));
    assert_string_equal(names(db, a, 1), "Garden;House;");
    assert_string_equal(names(db, a, 2), "house;");
    /* the only session of a workspace may change its spelling */
    assert_ok(store_session_set_workspace(db, 2, "ses_b", "House", NULL));
    assert_string_equal(names(db, a, 2), "House;");
}

TEST(a_list_keeps_to_a_workspace_and_its_owner)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    static const char *const pubs[] = {"ses_1", "ses_2", "ses_3"};
    for (size_t i = 0; i < ARRAY_LEN(pubs); i++) {
        rig_session(db, 1, pubs[i]);
        assert_ok(store_session_set_workspace(db, 1, pubs[i], i < 2 ? "House" : "Garden", NULL));
    }
    assert_ok(store_session_rename(db, 1, "ses_1", "The roof", NULL));
    rig_session(db, 2, "ses_b");
    assert_ok(store_session_set_workspace(db, 2, "ses_b", "House", NULL));
    assert_int_equal(listed(db, a, 1, "House", NULL), 2);
    assert_int_equal(listed(db, a, 1, "House", "roof"), 1);
    assert_int_equal(listed(db, a, 1, "Garden", "roof"), 0);
    assert_int_equal(listed(db, a, 1, "%", NULL), 0);
    assert_int_equal(listed(db, a, 1, NULL, NULL), 3);
    assert_int_equal(listed(db, a, 2, "House", NULL), 1);
    assert_int_equal(listed(db, a, 2, "Garden", NULL), 0);
}

struct seen {
    int64_t owner;
    int n;
};

static void on_message(void *arg, int64_t id)
{
    struct seen *s = arg;
    assert_int_equal(message_owner(id), s->owner);
    s->n++;
}

TEST(the_messages_of_a_workspace_are_the_owners)
{
    AUTO(db) db = rig_db();
    struct seen mine = {1, 0}, theirs = {2, 0};
    for (int64_t owner = 1; owner <= 2; owner++) {
        int64_t id = rig_session(db, owner, owner == 1 ? "ses_1" : "ses_2");
        int64_t m = rig_message(db, owner, id, 0, ROLE_USER, "the roof leaks");
        if (owner == 1)
            rig_message(db, owner, id, m, ROLE_ASSISTANT, "call the roofer");
        assert_ok(store_session_set_workspace(db, owner, owner == 1 ? "ses_1" : "ses_2", "House", NULL));
    }
    int64_t other = rig_session(db, 1, "ses_3");
    rig_message(db, 1, other, 0, ROLE_USER, "elsewhere");
    assert_ok(store_workspace_messages(db, 1, "House", on_message, &mine, NULL));
    assert_ok(store_workspace_messages(db, 2, "House", on_message, &theirs, NULL));
    assert_int_equal(mine.n, 2);
    assert_int_equal(theirs.n, 1);
}
