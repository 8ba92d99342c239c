/* The files of a workspace in the context: whole, as a list, or their beginnings. */
#include "../../store/rig.h"

#include "app/context/context.h"
#include "app/context/data_block.h"
#include "app/context/workspace_files.h"

#define WINDOW 8000 /* tokens; the share is 3,000 bytes */

static void put_of(struct db *db, struct arena *a, const char *name, size_t bytes, char letter)
{
    char *text = arena_alloc(a, bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        text[i] = i % 10 == 9 ? '\n' : letter;
    int64_t id;
    struct workspace_file x = {.workspace = "Boat",
        .name = name,
        .text = {text, bytes},
        .bytes = (int64_t)bytes,
        .lines = (int64_t)bytes / 10,
        .created_at = 1,
        .changed_at = 1};
    assert_ok(store_workspace_file_put(db, 1, &x, &id, NULL));
}

static void put(struct db *db, struct arena *a, const char *name, size_t bytes)
{
    put_of(db, a, name, bytes, 'x');
}

static struct str block(
    struct db *db, struct arena *a, int64_t window, enum workspace_files_reader reader, bool *listed)
{
    struct str out;
    struct workspace_files_scope scope = {1, "boat", window};
    assert_ok(workspace_files_block(db, a, &scope, reader, &out, listed, NULL));
    return out;
}

TEST(without_files_or_without_a_workspace_there_is_no_block)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct str out;
    bool listed = true;
    assert_int_equal(block(db, a, WINDOW, WORKSPACE_FILES_TOOL, &listed).len, 0);
    assert_false(listed);
    put(db, a, "a.txt", 100);
    struct workspace_files_scope none = {.owner = 1, .window = WINDOW}, theirs = {2, "Boat", WINDOW};
    assert_ok(workspace_files_block(db, a, &none, WORKSPACE_FILES_TOOL, &out, &listed, NULL));
    assert_int_equal(out.len, 0);
    assert_ok(workspace_files_block(db, a, &theirs, WORKSPACE_FILES_TOOL, &out, &listed, NULL));
    assert_int_equal(out.len, 0);
}

TEST(texts_that_fit_their_share_are_whole_and_others_are_listed)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    bool listed;
    put(db, a, "a.txt", 1000);
    put(db, a, "b.txt", 1000);
    struct str whole = block(db, a, WINDOW, WORKSPACE_FILES_TOOL, &listed);
    assert_false(listed);
    assert_non_null(strstr(whole.s, "2 files in this workspace. Their whole text is here."));
    assert_non_null(strstr(whole.s, "{\"name\":\"b.txt\",\"lines\":100,\"text\":\"xxxxxxxxx\\nxxx"));
    assert_true(whole.len <= WINDOW / WORKSPACE_FILES_SHARE * CONTEXT_BYTES_PER_TOKEN);
    assert_string_equal(block(db, a, WINDOW, WORKSPACE_FILES_BARE, NULL).s, whole.s);

    put(db, a, "c.txt", 1000);
    struct str list = block(db, a, WINDOW, WORKSPACE_FILES_TOOL, &listed);
    assert_true(listed);
    assert_non_null(strstr(list.s, "read_file"));
    assert_non_null(strstr(list.s, "{\"name\":\"c.txt\",\"lines\":100,\"bytes\":1000}"));
    assert_null(strstr(list.s, "xxx"));
    block(db, a, 2 * WINDOW, WORKSPACE_FILES_TOOL, &listed);
    assert_false(listed);
}

TEST(a_model_without_tools_gets_the_beginning_of_each_file)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    bool listed;
    put(db, a, "long.txt", 40000);
    put(db, a, "short.txt", 10000);
    struct str out = block(db, a, WINDOW, WORKSPACE_FILES_BARE, &listed);
    assert_true(listed);
    assert_true(out.len <= WINDOW / WORKSPACE_FILES_SHARE * CONTEXT_BYTES_PER_TOKEN);
    assert_true(out.len > WINDOW / WORKSPACE_FILES_SHARE * CONTEXT_BYTES_PER_TOKEN / 2);
    assert_null(strstr(out.s, "read_file"));
    const char *second = strstr(out.s, "short.txt");
    assert_non_null(second);
    assert_non_null(strstr(out.s, "\"left_out\":\"the rest, from line "));
    assert_non_null(strstr(second, "\"left_out\""));
    assert_true(second - out.s > out.s + out.len - second);
}

TEST(the_share_counts_what_the_text_takes_as_json)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    bool listed;
    put_of(db, a, "tags.html", 2000, '<'); /* six bytes each */
    struct str out = block(db, a, WINDOW, WORKSPACE_FILES_TOOL, &listed);
    assert_true(listed);
    assert_null(strstr(out.s, "u003c\\u003c"));
    out = block(db, a, WINDOW, WORKSPACE_FILES_BARE, &listed);
    assert_true(out.len > WINDOW / WORKSPACE_FILES_SHARE * CONTEXT_BYTES_PER_TOKEN / 2);
    assert_true(out.len <= WINDOW / WORKSPACE_FILES_SHARE * CONTEXT_BYTES_PER_TOKEN);
    assert_non_null(strstr(out.s, "the rest, from line "));
}

TEST(the_block_has_a_limit_in_a_large_window_too)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    bool listed;
    put(db, a, "a.txt", DATA_BLOCK_MAX);
    block(db, a, 1000000, WORKSPACE_FILES_TOOL, &listed);
    assert_true(listed);
}
