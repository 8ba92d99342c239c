/* read_file: lines of files in messages, and the lines that contain a text. */
#include "session_rig.h"

#include "app/context/context.h"
#include "store/session/workspace.h"
#include "store/session/workspace_file.h"

#define ROWS 5000

/* A message with a table and a note, as the message box writes it. In the arena. */
static const char *with_files(struct home *h)
{
    AUTO_STRBUF text;
    strbuf_init(&text, (size_t)1024 * 1024);
    strbuf_adds(&text, "What failed?\n\ndata.csv\n```\nid,status\n");
    for (int i = 1; i <= ROWS; i++)
        strbuf_addf(&text, "%d,%s\n", i, i % 4 ? "paid" : "failed");
    strbuf_adds(&text, "```\n\nnote.txt\n```\nCaf\xC3\xA9\nlast\n```");
    return arena_strdup(h->a, text.s);
}

static const char *str_at(const json_t *v, const char *key)
{
    const char *s = json_string_value(json_object_get(v, key));
    return s ? s : "";
}

static int64_t number_at(const json_t *v, const char *key)
{
    return json_integer_value(json_object_get(v, key));
}

TEST(read_file_reads_lines_of_the_question)
{
    struct home h = home();
    h.asked[0] = say(&h, 1, ROLE_USER, with_files(&h));
    AUTO(json_t) v = call(&h, "read_file", "{\"name\":\"data.csv\",\"from_line\":3121,\"lines\":2}");
    assert_string_equal(str_at(v, "text"), "3121: 3120,failed\n3122: 3121,paid\n");
    assert_int_equal(number_at(v, "lines"), ROWS + 1);
    assert_null(json_object_get(v, "left_out"));
    AUTO(json_t) note = call(&h, "read_file", "{\"name\":\"NOTE.txt\"}");
    assert_string_equal(str_at(note, "text"), "1: Caf\xC3\xA9\n2: last\n");
    AUTO(json_t) message = call(&h, "read_file", "{\"lines\":1}");
    assert_string_equal(str_at(message, "text"), "1: What failed?\n");
    leave(&h);
}

TEST(read_file_says_where_to_continue)
{
    struct home h = home();
    h.asked[0] = say(&h, 1, ROLE_USER, with_files(&h));
    int64_t from = 1, calls = 0;
    for (; from && calls < 10; calls++) {
        const char *args = arena_printf(h.a, "{\"name\":\"data.csv\",\"from_line\":%lld}", (long long)from);
        AUTO(json_t) v = call(&h, "read_file", args);
        char begin[32];
        snprintf(begin, sizeof begin, "%lld: ", (long long)from);
        assert_true(str_starts(str_of(str_at(v, "text")), str_of(begin)));
        from = number_at(json_object_get(v, "left_out"), "from_line");
    }
    assert_int_equal(from, 0);
    assert_true(calls > 1);
    leave(&h);
}

TEST(read_file_counts_all_lines_that_contain_a_text)
{
    struct home h = home();
    h.asked[0] = say(&h, 1, ROLE_USER, with_files(&h));
    AUTO(json_t) v = call(&h, "read_file", "{\"name\":\"data.csv\",\"find\":\",FAILED\",\"lines\":2}");
    assert_int_equal(number_at(v, "lines_found"), ROWS / 4);
    assert_string_equal(str_at(v, "text"), "5: 4,failed\n9: 8,failed\n");
    assert_int_equal(number_at(json_object_get(v, "left_out"), "from_line"), 13);
    AUTO(json_t)
    rest = call(&h, "read_file", "{\"name\":\"data.csv\",\"find\":\",failed\",\"from_line\":5000}");
    assert_string_equal(str_at(rest, "text"), "5001: 5000,failed\n");
    assert_int_equal(number_at(rest, "lines_found"), ROWS / 4);
    AUTO(json_t) folded = call(&h, "read_file", "{\"name\":\"note.txt\",\"find\":\"cafe\"}");
    assert_string_equal(str_at(folded, "text"), "1: Caf\xC3\xA9\n");
    AUTO(json_t) none = call(&h, "read_file", "{\"name\":\"note.txt\",\"find\":\"tea\"}");
    assert_int_equal(number_at(none, "lines_found"), 0);
    leave(&h);
}

TEST(read_file_reads_a_long_line_in_parts)
{
    struct home h = home();
    AUTO_STRBUF text;
    strbuf_init(&text, (size_t)1024 * 1024);
    strbuf_adds(&text, "a.json\n```\n[");
    for (int i = 0; i < 20000; i++)
        strbuf_addf(&text, "%d,", i);
    strbuf_adds(&text, "0]\n```");
    h.asked[0] = say(&h, 1, ROLE_USER, text.s);
    AUTO(json_t) v = call(&h, "read_file", "{\"name\":\"a.json\"}");
    const json_t *next = json_object_get(v, "left_out");
    assert_int_equal(number_at(next, "from_line"), 1);
    assert_int_equal(number_at(next, "from_character"), (int64_t)strlen(str_at(v, "text")) - 4);
    AUTO(json_t) found = call(&h, "read_file", "{\"name\":\"a.json\",\"find\":\",19990,\"}");
    assert_int_equal(number_at(found, "lines_found"), 1);
    assert_non_null(strstr(str_at(found, "text"), "19989,19990,19991"));
    assert_true(strlen(str_at(found, "text")) < 600);
    leave(&h);
}

TEST(read_file_takes_the_newest_file_with_the_name_or_that_of_a_message)
{
    struct home h = home();
    int64_t first = say(&h, 1, ROLE_USER, "a.txt\n```\nold\n```");
    say(&h, 1, ROLE_ASSISTANT, "Read.");
    say(&h, 1, ROLE_USER, "a.txt\n```\nnew\n```");
    say(&h, 1, ROLE_ASSISTANT, "Read.");
    h.asked[0] = say(&h, 1, ROLE_USER, "And now?");
    AUTO(json_t) v = call(&h, "read_file", "{\"name\":\"a.txt\"}");
    assert_string_equal(str_at(v, "text"), "1: new\n");
    const char *args = arena_printf(h.a, "{\"name\":\"a.txt\",\"message\":\"%lld\"}", (long long)first);
    AUTO(json_t) old = call(&h, "read_file", args);
    assert_string_equal(str_at(old, "text"), "1: old\n");
    AUTO(json_t) all = call(&h, "read_file", "{\"message\":\"1\"}");
    assert_string_equal(str_at(all, "text"), "1: a.txt\n2: ```\n3: old\n4: ```\n");
    leave(&h);
}

TEST(read_file_names_the_files_when_there_is_no_such_file)
{
    struct home h = home();
    h.asked[0] = say(&h, 1, ROLE_USER, with_files(&h));
    AUTO(json_t) v = call(&h, "read_file", "{\"name\":\"b.csv\"}");
    assert_string_equal(
        str_at(v, "error"), "There is no such file. Files, the newest first: \"note.txt\", \"data.csv\".");
    AUTO(json_t) far = call(&h, "read_file", "{\"name\":\"note.txt\",\"from_line\":3}");
    assert_string_equal(str_at(far, "error"), "The file has only 2 lines.");
    leave(&h);
}

TEST(read_file_does_not_read_another_branch_or_user)
{
    struct home h = home();
    say(&h, 1, ROLE_USER, "Hello");
    int64_t answer = say(&h, 1, ROLE_ASSISTANT, "Hello");
    int64_t other = say(&h, 1, ROLE_USER, "a.txt\n```\nsecret\n```");
    h.asked[0] = say_at(&h, 1, answer, ROLE_USER, "Read a.txt");
    h.asked[1] = say(&h, 2, ROLE_USER, "Read a.txt");
    AUTO(json_t) v = call(&h, "read_file", "{\"name\":\"a.txt\"}");
    assert_string_equal(str_at(v, "error"), "This conversation has no files.");
    const char *args = arena_printf(h.a, "{\"message\":\"%lld\"}", (long long)other);
    AUTO(json_t) branch = call(&h, "read_file", args);
    AUTO(json_t) foreign = call_as(&h, 2, "read_file", args);
    assert_string_equal(str_at(branch, "error"), "There is no such message in this conversation.");
    assert_string_equal(str_at(foreign, "error"), str_at(branch, "error"));
    leave(&h);
}

TEST(read_file_is_offered_only_on_request_and_first)
{
    AUTO(arena) a = arena_new();
    size_t n;
    struct llm_tool *list = tools_offered(a, 128000, &n);
    for (size_t i = 0; i < n; i++)
        assert_string_not_equal(list[i].name, "read_file");
    list = tools_offered_without(a, 4096, TOOL_SET_ALL | TOOL_SET_CHANGES, &n);
    assert_int_equal(n, 1);
    assert_string_equal(list[0].name, "read_file");
    assert_true(context_wants_files(8192, 8000));
    assert_false(context_wants_files(128000, 90000));
}

struct file_of_workspace {
    int64_t owner;
    struct workspace_file x;
};

static enum rc put_tx(struct db *db, void *arg, struct err *e)
{
    const struct file_of_workspace *f = arg;
    int64_t id;
    return store_workspace_file_put(db, f->owner, &f->x, &id, e);
}

static enum rc move_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return store_session_set_workspace(db, 1, "ses_a", "Boat", e);
}

static void put(struct home *h, int64_t owner, const char *name, const char *text)
{
    struct file_of_workspace f = {owner, {.workspace = "Boat",
                                             .name = name,
                                             .text = str_of(text),
                                             .bytes = (int64_t)strlen(text),
                                             .lines = 1}};
    assert_ok(store_write(h->store, put_tx, &f, NULL));
}

TEST(a_search_in_all_files_names_each_file_with_hits)
{
    struct home h = home();
    AUTO_STRBUF text;
    char name[32];
    strbuf_init(&text, (size_t)64 * 1024);
    for (int i = 0; i < 200; i++)
        strbuf_addf(&text, "a rope with the number %d, and more words about it\n", i);
    h.asked[0] = say(&h, 1, ROLE_USER, arena_strdup(h.a, text.s));
    assert_ok(store_write(h.store, move_tx, NULL, NULL));
    for (int i = 0; i < WORKSPACE_FILES_MAX; i++) {
        snprintf(name, sizeof name, "chapter %d.txt", i);
        put(&h, 1, name, text.s);
    }
    AUTO(json_t) v = call(&h, "read_file", "{\"find\":\"rope\",\"lines\":100}");
    const json_t *files = json_object_get(v, "files");
    assert_int_equal(json_array_size(files), WORKSPACE_FILES_MAX + 1);
    const json_t *question = json_array_get(files, 0), *last = json_array_get(files, WORKSPACE_FILES_MAX);
    assert_string_equal(str_at(question, "file"), "");
    assert_int_equal(strtoll(str_at(question, "message"), NULL, 10), h.asked[0]);
    assert_int_equal(number_at(json_object_get(question, "left_out"), "from_line"), 101);
    assert_string_equal(str_at(last, "file"), "chapter 49.txt");
    assert_int_equal(number_at(last, "lines_found"), 200);
    assert_null(json_object_get(last, "text"));
    assert_null(json_object_get(v, "more_files_with_hits"));
    leave(&h);
}

TEST(read_file_reads_and_searches_the_files_of_the_workspace)
{
    struct home h = home();
    h.asked[0] = say(&h, 1, ROLE_USER, "Where is the rope?\n\nnote.txt\n```\nno rope here\n```");
    put(&h, 1, "list.md", "oars\nropes\nsails\n");
    put(&h, 1, "note.txt", "of the workspace");
    put(&h, 2, "secret.txt", "the rope of another");
    AUTO(json_t) outside = call(&h, "read_file", "{\"name\":\"list.md\"}");
    assert_non_null(json_object_get(outside, "error"));
    assert_ok(store_write(h.store, move_tx, NULL, NULL));
    AUTO(json_t) list = call(&h, "read_file", "{\"name\":\"LIST.md\",\"from_line\":2}");
    assert_string_equal(str_at(list, "text"), "2: ropes\n3: sails\n");
    assert_null(json_object_get(list, "message"));
    AUTO(json_t) note = call(&h, "read_file", "{\"name\":\"note.txt\"}");
    assert_string_equal(str_at(note, "text"), "1: no rope here\n");
    AUTO(json_t) found = call(&h, "read_file", "{\"find\":\"ROPE\"}");
    const json_t *files = json_object_get(found, "files");
    assert_int_equal(json_array_size(files), 1);
    assert_string_equal(str_at(json_array_get(files, 0), "file"), "list.md");
    assert_string_equal(str_at(json_array_get(files, 0), "text"), "2: ropes\n");
    assert_int_equal(number_at(found, "files_searched"), 2);
    leave(&h);
}
