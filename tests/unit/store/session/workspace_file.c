/* The files of workspaces. */
#include "../rig.h"

#include "store/session/workspace_file.h"

static int64_t put(struct db *db, int64_t owner, const char *workspace, const char *name, const char *text)
{
    int64_t id;
    struct workspace_file x = {.workspace = workspace,
        .name = name,
        .text = str_of(text),
        .bytes = (int64_t)strlen(text),
        .lines = 1,
        .created_at = 5,
        .changed_at = 5};
    assert_ok(store_workspace_file_put(db, owner, &x, &id, NULL));
    return id;
}

static const char *names(struct db *db, struct arena *a, int64_t owner, const char *workspace)
{
    struct workspace_file *list;
    const char *all = "";
    size_t n;
    assert_ok(store_workspace_files(db, a, owner, workspace, &list, &n, NULL));
    for (size_t i = 0; i < n; i++) {
        all = arena_printf(a, "%s%s;", all, list[i].name);
        assert_int_equal(list[i].text.len, 0);
    }
    return all;
}

TEST(a_file_with_the_same_name_replaces_the_text)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct workspace_file x;
    int64_t id = put(db, 1, "Boat", "a10.txt", "one");
    put(db, 1, "Boat", "a9.txt", "nine");
    assert_int_equal(put(db, 1, "BOAT", "A10.TXT", "two"), id);
    assert_string_equal(names(db, a, 1, "boat"), "a9.txt;A10.TXT;");
    assert_ok(store_workspace_file_get(db, a, 1, id, &x, NULL));
    assert_string_equal(x.text.s, "two");
    assert_string_equal(x.workspace, "Boat");
    assert_string_equal(names(db, a, 1, "Car"), "");
}

TEST(a_file_belongs_to_its_owner)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct workspace_file x;
    int64_t *ids, id = put(db, 1, "Boat", "a.txt", "one");
    size_t n;
    assert_int_not_equal(put(db, 2, "Boat", "a.txt", "his"), id);
    assert_rc(store_workspace_file_get(db, a, 2, id, &x, NULL), RC_NOT_FOUND);
    assert_rc(store_workspace_file_delete(db, 2, id, NULL), RC_NOT_FOUND);
    assert_ok(store_workspace_file_ids(db, a, 1, &ids, &n, NULL));
    assert_int_equal(n, 1);
    assert_int_equal(ids[0], id);
    assert_ok(store_workspace_file_delete(db, 1, id, NULL));
    assert_rc(store_workspace_file_delete(db, 1, id, NULL), RC_NOT_FOUND);
    assert_string_equal(names(db, a, 2, "Boat"), "a.txt;");
}
