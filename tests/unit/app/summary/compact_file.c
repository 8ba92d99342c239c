/* Transcripts of what a compaction replaces. */
#include "compact_rig.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "codec/json/json.h"
#include "store/account/user.h"

TEST(a_transcript_has_a_line_for_each_message_as_it_was)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF text;
    strbuf_init(&text, 64 * 1024);
    char data[256], file[512];
    snprintf(data, sizeof data, "%s/data-lines", unit_tmp());
    struct session s = {.pub = "ses_01h"};
    struct message path[] = {said(11, ROLE_USER, "line one\nline \"two\""), said(12, ROLE_ASSISTANT, ""),
        said(13, ROLE_TOOL, "{\"now\":1}")};
    path[1].calls = "[{\"id\":\"c1\",\"name\":\"current_time\",\"args\":{\n  \"zone\": \"a\\nb\"\r\n}}]";
    path[2].calls = "{broken\n";
    const struct picture picture = {.width = 640, .height = 480};
    path[0].pictures = &picture;
    path[0].pictures_n = 1;
    path[1].provider = "openai";
    path[1].model = "gpt";
    path[2].call_id = "c1";
    path[2].tool = "current_time";
    struct compaction before = {.id = 7,
        .last_id = 10,
        .text = STR("old"),
        .facts = STR("[\"f\"]"),
        .provider = "offline",
        .model = "offline",
        .created_at = NOW};
    const char *name;
    assert_int_equal(
        compact_transcript_write(data, a, &s, &(struct compact_part){&before, path, 3}, &name, NULL), RC_OK);
    assert_string_equal(name, "ses_01h/13.jsonl");
    assert_int_equal(compact_transcript_read(data, name, &text, NULL), RC_OK);
    struct str rest = strbuf_str(&text), line;
    json_t *v[4];
    for (int i = 0; i < 4; i++) {
        line = str_cut(&rest, '\n');
        assert_int_equal(json_parse(line, 8192, &v[i], NULL), RC_OK);
    }
    assert_int_equal(rest.len, 0);
    assert_string_equal(json_string_value(json_object_get(v[0], "role")), "compaction");
    assert_int_equal(json_array_size(json_object_get(v[0], "facts")), 1);
    assert_string_equal(json_string_value(json_object_get(v[1], "id")), "11");
    assert_string_equal(json_string_value(json_object_get(v[1], "text")),
        "[Picture, 640 x 480: not shown here]\n\nline one\nline \"two\"");
    assert_string_equal(json_string_value(json_object_get(v[1], "created")), "2023-11-14T22:13:20Z");
    assert_true(json_is_null(json_object_get(v[1], "calls")));
    assert_int_equal(json_array_size(json_object_get(v[2], "calls")), 1);
    assert_string_equal(json_string_value(json_object_get(v[2], "model")), "gpt");
    assert_string_equal(json_string_value(json_object_get(v[3], "calls")), "{broken\n");
    assert_string_equal(json_string_value(json_object_get(v[3], "tool")), "current_time");
    for (int i = 0; i < 4; i++)
        json_decref(v[i]);
    snprintf(file, sizeof file, "%s/transcripts", data);
    assert_int_equal(unit_mode(file), 0700);
    snprintf(file, sizeof file, "%s/transcripts/%s", data, name);
    assert_int_equal(unit_mode(file), 0600);
}

static void put_file(const char *data, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/transcripts/%s", data, name);
    *strrchr(path, '/') = '\0';
    assert_int_equal(fs_mkdirs(path, NULL), RC_OK);
    path[strlen(path)] = '/';
    assert_int_equal(fs_write_atomic(path, STR("{}\n"), NULL), RC_OK);
}

static bool is_there(const char *data, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/transcripts/%s", data, name);
    return fs_exists(path);
}

#define SES_A "ses_00000000000000000000000001"
#define SES_B "ses_00000000000000000000000002"

TEST(the_sweep_removes_files_without_a_compaction)
{
    AUTO(store) store = NULL;
    char path[128], data[256];
    int64_t id, session, removed;
    snprintf(path, sizeof path, "%s/sweep.db", unit_tmp());
    snprintf(data, sizeof data, "%s/data-sweep", unit_tmp());
    struct db *db;
    assert_int_equal(db_open(unit_migrated(path), DB_READ_WRITE, &db, NULL), RC_OK);
    assert_int_equal(store_user_add(db, "ann", USER_ADMIN, "hash", NOW, &id, NULL), RC_OK);
    assert_int_equal(store_session_add(db, 1, SES_A, NULL, NULL, NOW, &session, NULL), RC_OK);
    struct message m = {.session_id = session,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("hello"),
        .created_at = NOW};
    assert_int_equal(store_message_add(db, 1, &m, NULL), RC_OK);
    struct compaction c = {.session_id = session,
        .first_id = m.id,
        .last_id = m.id,
        .messages = 1,
        .keep = STR(""),
        .text = STR("t"),
        .facts = STR("[]"),
        .transcript = SES_A "/1.jsonl",
        .provider = "offline",
        .model = "offline",
        .created_at = NOW};
    assert_int_equal(store_compaction_add(db, 1, &c, NULL), RC_OK);
    db_close(db);
    assert_int_equal(store_open(path, 1, &store, NULL), RC_OK);
    assert_int_equal(compact_transcripts_sweep(store, data, &removed, NULL), RC_OK); /* no folder yet */
    put_file(data, SES_A "/1.jsonl");
    put_file(data, SES_A "/2.jsonl");
    put_file(data, SES_A "/1.jsonl.99.tmp");
    put_file(data, SES_B "/1.jsonl");
    put_file(data, "notes/mine.txt");
    assert_int_equal(compact_transcripts_sweep(store, data, &removed, NULL), RC_OK);
    assert_int_equal(removed, 3);
    assert_true(is_there(data, SES_A "/1.jsonl"));
    assert_false(is_there(data, SES_A "/2.jsonl"));
    assert_false(is_there(data, SES_B));
    assert_true(is_there(data, "notes/mine.txt"));
}
