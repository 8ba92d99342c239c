#include "import_home.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/export/export.h"
#include "app/search/search.h"
#include "app/tasks/tasks.h"
#include "base/clock.h"
#include "store/job.h"
#include "store/message/draft.h"
#include "store/session/session_filter.h"

static bool pause_always(void *arg)
{
    int *n = arg;
    (*n)++;
    return true;
}

#define TALK(id, text)                                                                                       \
    "{\"id\":\"" id "\",\"title\":\"T " id "\",\"mapping\":{\"a\":{\"parent\":null,\"message\":{\"author\":" \
    "{\"role\":\"user\"},\"create_time\":1600000000.5,\"content\":{\"parts\":[\"" text "\"]}}}}}"

TEST(import_continues_after_a_pause_and_takes_nothing_twice)
{
    struct home h = home();
    int pauses = 0;
    bool whole = false;
    struct transfer t = {.owner = 1, .format = ""};
    struct import_args x = {.store = h.store,
        .config = h.config,
        .path = write_file(
            "in.json", STR("[" TALK("1", "one") "," TALK("2", "two") ",{}," TALK("1", "again") "]")),
        .pause = pause_always,
        .arg = &pauses};
    for (int i = 0; i < 10 && !whole; i++) {
        t.format = arena_strdup(h.a, t.format); /* as a row has it */
        assert_ok(import_run(&x, &t, &whole, NULL));
    }
    assert_true(whole);
    assert_int_equal(pauses, 5); /* once behind the first look */
    assert_int_equal(t.total, 4);
    assert_int_equal(t.done, 2);
    assert_int_equal(t.skipped, 2);
    assert_int_equal(t.known, 1);
    assert_string_equal(t.format, "chatgpt");
    assert_string_equal(import_result_words(h.a, lang_english(), &t),
        "2 conversations, 2 skipped: 1 already existed, 1 could not be read or had no messages");
    struct session *s;
    size_t n;
    struct db *db = store_read(h.store);
    assert_ok(store_session_list(db, h.a, 1, &(struct session_filter){.show = SESSIONS_ALL},
        &(struct session_page){.limit = 10}, &s, &n, NULL));
    assert_int_equal(n, 2);
    assert_string_equal(s[0].title, "T 2");
    assert_int_equal(s[0].active_at, INT64_C(1600000000500));
    assert_ok(store_session_list(db, h.a, 2, &(struct session_filter){.show = SESSIONS_ALL},
        &(struct session_page){.limit = 10}, &s, &n, NULL));
    assert_int_equal(n, 0);
    store_read_done(h.store, db);
    leave(&h);
}

#define OURS(id, provider)                                                                                \
    "{\"type\":\"session\",\"id\":\"ses_0000000000000000000000000" id "\",\"title\":\"T\"" provider "}\n" \
    "{\"type\":\"message\",\"session\":\"ses_0000000000000000000000000" id "\",\"id\":\"" id              \
    "\",\"role\":\"user\",\"text\":\"one\"}\n"
#define HEADER "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":2}\n"

TEST(import_plans_its_work_one_conversation_after_the_other_and_slowly_if_a_model_is_asked)
{
    static const struct {
        const char *file;
        int64_t least_ms, most_ms; /* between two conversations */
    } cases[] = {{"[" TALK("1", "one") "," TALK("2", "two") "]", MS_PER_S, 5 * MS_PER_S},
        {HEADER OURS("1", "") OURS("2", ""), MS_PER_S, 5 * MS_PER_S},
        {HEADER OURS("1", ",\"provider\":\"p\",\"model\":\"m\"")
                OURS("2", ",\"provider\":\"p\",\"model\":\"m\""),
            20 * MS_PER_S, 25 * MS_PER_S}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct home h = home();
        imports(&h, cases[i].file);
        struct job *jobs;
        size_t n;
        struct db *db = store_read(h.store);
        assert_ok(store_job_list(db, h.a, "ready", 10, &jobs, &n, NULL));
        assert_int_equal(n, 3); /* newest first: two summaries with the search index between them */
        assert_string_equal(jobs[0].kind, "summarise");
        assert_string_equal(jobs[1].kind, "summarise");
        assert_string_equal(jobs[2].kind, "embed");
        int64_t planned[] = {jobs[1].run_at - jobs[1].created_at, jobs[0].run_at - jobs[0].created_at};
        assert_in_range(planned[1] - planned[0], cases[i].least_ms, cases[i].most_ms);
        assert_true(planned[0] >= MS_PER_MIN);
        store_read_done(h.store, db);
        leave(&h);
    }
}

#define OTHER_PART                                                                                      \
    "This is a part of Claude's export without conversations. Projects and memories are not imported. " \
    "Choose conversations-000.zip or conversations.json."

TEST(import_reports_why_a_file_is_refused)
{
    struct home h = home();
    static const struct {
        const char *text, *words;
    } bad[] = {{"", "There are no conversations in this file."},
        {"[]", "There are no conversations in this file."},
        {"hello", "This is not a JSON file: it contains neither a list nor objects."},
        {"[{}", "The file is incomplete: it ends too early."},
        {"{\"type\":\"header\",\"format\":\"alfred\",\"version\":2}",
            "This file was written by another version of Alfred (format 2)."},
        {"[{\"conversations_memory\":\"Likes tea\",\"account_uuid\":\"1\"}]", OTHER_PART},
        {"{\"uuid\":\"1\",\"name\":\"P\",\"docs\":[]}", OTHER_PART},
        {"{\"total_files\":5,\"data_files\":[]}",
            "This is only the list of the files of Claude's export. Download conversations-000.zip with it, "
            "and choose that."}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        bool whole;
        struct err e = ERR_INIT;
        struct transfer t = {.owner = 1, .format = ""};
        struct import_args x = {
            .store = h.store, .config = h.config, .path = write_file("bad", str_of(bad[i].text))};
        assert_rc(import_run(&x, &t, &whole, &e), RC_BAD_INPUT);
        assert_string_equal(e.text, bad[i].words);
        assert_true(e.for_user);
    }
    leave(&h);
}

#define BARE(more, text)                                                                                    \
    "{" more "\"mapping\":{\"a\":{\"parent\":null,\"message\":{\"author\":{\"role\":\"user\"},\"content\":" \
    "{\"parts\":[\"" text "\"]}}}}}"

TEST(import_knows_conversations_again_that_have_no_id_or_no_time)
{
    static const char file[] =
        "[" BARE("", "one") "," BARE("\"id\":\"\",", "two") "," BARE("\"id\":\"\",", "three") "]";
    struct home h = home();
    struct transfer t = imports(&h, file);
    assert_true(t.done == 3 && t.known == 0); /* empty ids identify nothing */
    t = imports(&h, file);
    assert_true(t.done == 0 && t.known == 3);
    leave(&h);
}

static enum rc count_texts(struct db *db, void *arg, struct err *e)
{
    return db_one_int(db,
        "SELECT count(*) FROM message WHERE text IN ('a\xEF\xBF\xBD', 'b\xEF\xBF\xBD', "
        "'c\xF0\x9F\x8C\xB1', 'd\xEF\xBF\xBD')",
        NO_ARGS, arg, e);
}

TEST(import_replaces_characters_that_no_text_may_have)
{
    static const char file[] = "[" BARE("", "a\\u0000") "," BARE("", "b\\ud83c") "," BARE(
        "", "c\xED\xA0\xBC\xED\xBC\xB1") "," BARE("", "d\xFF") "]";
    struct home h = home();
    struct transfer t = imports(&h, file);
    int64_t texts;
    assert_true(t.done == 4 && t.skipped == 0);
    assert_ok(store_with_reader(h.store, count_texts, &texts, NULL));
    assert_int_equal(texts, 4);
    leave(&h);
}

TEST(import_distinguishes_long_ids)
{
    struct home h = home();
    char id[300], *text;
    memset(id, 'x', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    text =
        arena_printf(h.a, "[" BARE("\"id\":\"%s1\",", "one") "," BARE("\"id\":\"%s2\",", "two") "]", id, id);
    struct transfer t = imports(&h, text);
    assert_true(t.done == 2 && t.known == 0);
    leave(&h);
}

TEST(import_reports_a_missing_file)
{
    struct home h = home();
    struct err e = ERR_INIT;
    struct transfer t = {.owner = 1, .format = ""};
    bool whole;
    struct import_args x = {.store = h.store, .config = h.config, .path = "/nowhere/at/all"};
    assert_rc(import_run(&x, &t, &whole, &e), RC_BAD_INPUT); /* RC_NOT_FOUND is the row's */
    assert_true(e.for_user);
    leave(&h);
}

TEST(import_takes_compactions_without_transcript_and_leaves_out_days_that_are_none_and_far_ends)
{
    struct home h = home();
    struct transfer t =
        imports(&h, "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":1}\n"
                    "{\"type\":\"session\",\"id\":\"ses_00000000000000000000000000\"}\n"
                    "{\"type\":\"message\",\"id\":\"1\",\"role\":\"user\",\"text\":\"hello\"}\n"
                    "{\"type\":\"compaction\",\"session\":\"ses_00000000000000000000000000\",\"first\":\"1\","
                    "\"last\":\"1\",\"text\":\"short\"}\n"
                    "{\"type\":\"task\",\"text\":\"one\",\"due\":\"9999-99-99\"}\n"
                    "{\"type\":\"memory\",\"text\":\"two\",\"used_at\":1700000000000,"
                    "\"expires_at\":9223372036854775807}\n");
    int64_t n = -1;
    assert_true(t.done == 1 && t.facts == 2);
    struct db *db = store_read(h.store);
    assert_ok(db_one_int(
        db, "SELECT count(*) FROM compaction WHERE text = 'short' AND transcript = ''", NO_ARGS, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(db_one_int(db, "SELECT count(*) FROM task WHERE due IS NULL", NO_ARGS, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(db_one_int(db, "SELECT count(*) FROM memory WHERE expires_at IS NULL", NO_ARGS, &n, NULL));
    assert_int_equal(n, 1);
    assert_ok(db_one_int(db, "SELECT used_at FROM memory", NO_ARGS, &n, NULL));
    assert_int_equal(n, 1700000000000);
    store_read_done(h.store, db);
    leave(&h);
}

/* ---- slices ---- */

#define SAID 30

/* A conversation in our format with a summary, a memory and a task; some messages have two children. */
static const char *long_one(struct arena *a, const char *last)
{
    struct strbuf b;
    strbuf_init(&b, 1 << 20);
    strbuf_adds(&b, "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":1}\n"
                    "{\"type\":\"session\",\"id\":\"ses_00000000000000000000000000\",\"title\":\"Long\","
                    "\"head\":\"30\"}\n");
    for (int i = 1; i <= SAID; i++)
        strbuf_addf(&b,
            "{\"type\":\"message\",\"id\":\"%d\",\"parent\":\"%d\",\"role\":\"%s\",\"text\":\"walrus "
            "%s\",\"created_at\":%d}\n",
            i, i % 7 == 0 ? i - 3 : i - 1, i % 2 ? "user" : "assistant", i == SAID ? last : "words",
            1000 + i);
    strbuf_adds(&b, "{\"type\":\"summary\",\"session\":\"ses_00000000000000000000000000\",\"first\":\"1\","
                    "\"last\":\"30\",\"whole\":true,"
                    "\"text\":\"walruses\"}\n"
                    "{\"type\":\"memory\",\"session\":\"ses_00000000000000000000000000\",\"source\":\"29\","
                    "\"text\":\"Likes "
                    "walruses\",\"created_at\":5}\n"
                    "{\"type\":\"task\",\"session\":\"ses_00000000000000000000000000\",\"source\":\"1\","
                    "\"text\":\"Feed the "
                    "walrus\",\"created_at\":5}\n");
    const char *text = arena_strndup(a, b.s, b.len);
    strbuf_release(&b);
    return text;
}

/* Neither list, message, search nor export of the owner has anything of it. */
static void shows_nothing(const struct home *h)
{
    AUTO(arena) a = arena_new();
    struct session *s;
    struct message m;
    size_t n;
    int64_t sessions;
    struct db *db = store_read(h->store);
    assert_ok(store_session_list(db, a, 1, &(struct session_filter){.show = SESSIONS_ALL},
        &(struct session_page){.limit = 10}, &s, &n, NULL));
    assert_int_equal(n, 0);
    assert_rc(store_message_get(db, a, 1, INT64_C(1) << 32 | 1, &m, NULL), RC_NOT_FOUND);
    assert_ok(store_export_count(db, 1, 0, &sessions, NULL));
    assert_int_equal(sessions, 0);
    store_read_done(h->store, db);
    struct search_where where = {.store = h->store, .config = h->config};
    struct search_hits found = {0};
    assert_ok(search_run(&where,
        &(struct search_request){.owner = 1, .text = STR("walrus"), .by = SEARCH_BY_WORDS, .limit = 10}, a,
        &found, NULL));
    assert_int_equal(found.n, 0);
    assert_int_equal(number(h, "SELECT count(*) FROM memory"), 0);
    assert_int_equal(number(h, "SELECT count(*) FROM task"), 0);
}

static struct import_args slices(const struct home *h, const char *file, int *pauses)
{
    return (struct import_args){.store = h->store,
        .config = h->config,
        .path = write_file("slices.jsonl", str_of(file)),
        .write_ms = -1, /* a part each */
        .pause = pause_always,
        .arg = pauses};
}

TEST(import_hides_a_conversation_until_all_its_messages_are_there)
{
    struct home h = home();
    int pauses = 0;
    bool whole = false;
    struct transfer t = {.owner = 1, .format = ""};
    struct import_args x = slices(&h, long_one(h.a, "end"), &pauses);
    for (int runs = 0; runs < 100 && !whole; runs++) {
        assert_ok(import_run(&x, &t, &whole, NULL)); /* reads the file anew */
        if (number(&h, "SELECT count(*) FROM message") < SAID)
            shows_nothing(&h);
    }
    assert_true(whole);
    assert_true(pauses >= SAID);
    assert_true(t.done == 1 && t.skipped == 0 && t.facts == 2);
    assert_int_equal(number(&h, "SELECT count(*) FROM message"), SAID);
    assert_int_equal(
        number(&h, "SELECT message_count FROM session WHERE owner = 1 AND title = 'Long'"), SAID);
    assert_int_equal(
        number(&h, "SELECT m.created_at FROM session s JOIN message m ON m.id = s.head_id"), 1000 + SAID);
    assert_int_equal(
        number(&h, "SELECT m.created_at FROM memory f JOIN message m ON m.id = f.source_id"), 1029);
    assert_int_equal(
        number(&h, "SELECT m.created_at FROM task f JOIN message m ON m.id = f.source_id"), 1001);
    assert_int_equal(
        number(&h, "SELECT m.created_at FROM summary f JOIN message m ON m.id = f.last_id"), 1030);
    assert_int_equal(
        number(&h, "SELECT count(*) FROM message m JOIN message p ON p.id = m.parent_id AND p.created_at = "
                   "CASE WHEN (m.created_at - 1000) % 7 = 0 THEN m.created_at - 3 ELSE m.created_at - 1 END"),
        SAID - 1);
    assert_int_equal(number(&h, "SELECT count(*) FROM import_draft"), 0);
    t = imports(&h, long_one(h.a, "end"));
    assert_true(t.done == 0 && t.known == 1 && t.facts == 0);
    leave(&h);
}

static enum rc purge_all_tx(struct db *db, void *arg, struct err *e)
{
    bool more = true;
    enum rc rc = RC_OK;
    (void)arg;
    while (rc == RC_OK && more)
        rc = store_draft_purge(db, &more, e);
    return rc;
}

static enum rc abandon_tx(struct db *db, void *arg, struct err *e)
{
    const struct transfer *t = arg;
    return store_transfer_delete(db, t->owner, t->pub, e);
}

static enum rc add_transfer_tx(struct db *db, void *arg, struct err *e)
{
    return store_transfer_add(db, arg, e);
}

TEST(import_that_is_deleted_halfway_leaves_nothing)
{
    struct home h = home();
    int pauses = 0;
    bool whole;
    struct transfer t = {
        .owner = 1, .pub = "xfr_1", .kind = TRANSFER_IMPORT, .format = "", .created_at = NOW};
    assert_ok(store_write(h.store, add_transfer_tx, &t, NULL));
    struct import_args x = slices(&h, long_one(h.a, "end"), &pauses);
    for (int runs = 0; runs < SAID / 2; runs++)
        assert_ok(import_run(&x, &t, &whole, NULL));
    assert_true(number(&h, "SELECT count(*) FROM message") > 0);
    assert_ok(store_write(h.store, abandon_tx, &t, NULL));
    assert_rc(import_run(&x, &t, &whole, NULL), RC_NOT_FOUND);
    assert_int_equal(number(&h, "SELECT count(*) FROM job WHERE kind = 'purge_drafts'"), 1);
    assert_ok(store_write(h.store, purge_all_tx, NULL, NULL));
    assert_int_equal(number(&h, "SELECT count(*) FROM message"), 0);
    assert_int_equal(number(&h, "SELECT count(*) FROM session"), 0);
    assert_int_equal(number(&h, "SELECT count(*) FROM message_text WHERE message_text MATCH 'walrus'"), 0);
    leave(&h);
}

TEST(import_of_a_changed_conversation_begins_it_anew)
{
    struct home h = home();
    int pauses = 0;
    bool whole;
    struct transfer t = {.owner = 1, .format = ""};
    struct import_args x = slices(&h, long_one(h.a, "end"), &pauses);
    for (int runs = 0; runs < SAID / 2; runs++)
        assert_ok(import_run(&x, &t, &whole, NULL));
    t = imports(&h, long_one(h.a, "another end"));
    assert_true(t.done == 1 && t.facts == 2);
    assert_ok(store_write(h.store, purge_all_tx, NULL, NULL));
    assert_int_equal(number(&h, "SELECT count(*) FROM message"), SAID);
    assert_int_equal(number(&h, "SELECT count(*) FROM session WHERE owner = 1"), 1);
    leave(&h);
}

/* Each run reads one piece further, in the first look, too. */
TEST(import_of_many_pieces_continues_after_a_pause)
{
    struct home h = home();
    int pauses = 0, runs = 0;
    bool whole = false;
    AUTO_STRBUF text;
    strbuf_init(&text, 4 << 20);
    for (int i = 0; i < 40; i++)
        strbuf_addf(&text, "%s" BARE("\"id\":\"%d\",", "%010000d"), i ? "," : "[", i, i);
    strbuf_addc(&text, ']');
    struct transfer t = {.owner = 1, .format = ""};
    struct import_args x = slices(&h, text.s, &pauses);
    unsigned char *gz = xmalloc(text.len + 1000);
    x.path = write_file(
        "pieces.gz", (struct str){(const char *)gz, packed(31, strbuf_str(&text), gz, text.len + 1000)});
    free(gz);
    for (; runs < 200 && !whole; runs++)
        assert_ok(import_run(&x, &t, &whole, NULL));
    assert_true(whole);
    assert_true(t.total == 40 && t.done == 40 && t.skipped == 0);
    assert_true(runs > 40 + 3);
    assert_int_equal(number(&h, "SELECT count(*) FROM session WHERE owner = 1"), 40);
    leave(&h);
}

/* Done tasks have no number that a user may not exceed: a file must not keep the helper for a day. */
TEST(import_takes_only_so_many_facts_without_a_session)
{
    struct home h = home();
    AUTO_STRBUF text;
    strbuf_init(&text, 8 << 20);
    strbuf_adds(&text, "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":0}\n");
    for (int i = 0; i < 5300; i++)
        strbuf_addf(&text, "{\"type\":\"task\",\"text\":\"task %d\",\"done_at\":5}\n", i);
    struct transfer t = imports(&h, text.s);
    assert_int_equal(t.facts, 5000);
    leave(&h);
}

/* The limit concerns open tasks. */
TEST(import_takes_done_tasks_when_the_list_of_open_ones_is_full)
{
    struct home h = home();
    AUTO_STRBUF text;
    strbuf_init(&text, 8 << 20);
    strbuf_adds(&text, "{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":0}\n");
    for (int i = 0; i < TASKS_OPEN_MAX + 10; i++)
        strbuf_addf(&text, "{\"type\":\"task\",\"text\":\"task %d\"}\n", i);
    for (int i = 0; i < 7; i++)
        strbuf_addf(&text, "{\"type\":\"task\",\"text\":\"done %d\",\"done_at\":5}\n", i);
    imports(&h, text.s);
    assert_int_equal(number(&h, "SELECT count(*) FROM task WHERE done_at IS NULL"), TASKS_OPEN_MAX);
    assert_int_equal(number(&h, "SELECT count(*) FROM task WHERE done_at IS NOT NULL"), 7);
    leave(&h);
}

static enum rc run_sql(struct db *db, void *arg, struct err *e)
{
    return db_exec(db, arg, NO_ARGS, NULL, e);
}

TEST(import_counts_facts_without_a_session_once_when_it_begins_again_between_them)
{
    static char refuse[] = "CREATE TRIGGER refuse BEFORE INSERT ON task WHEN NEW.text = 'two' "
                           "BEGIN SELECT RAISE(ABORT, 'refused'); END";
    static char allow[] = "DROP TRIGGER refuse";
    struct home h = home();
    bool whole = false;
    struct transfer t = {
        .owner = 1, .pub = "xfr_1", .kind = TRANSFER_IMPORT, .format = "", .created_at = NOW};
    assert_ok(store_write(h.store, add_transfer_tx, &t, NULL));
    struct import_args x = {.store = h.store,
        .config = h.config,
        .path = write_file(
            "facts.jsonl", STR("{\"type\":\"header\",\"format\":\"alfred\",\"version\":1,\"sessions\":0}\n"
                               "{\"type\":\"task\",\"text\":\"one\",\"created_at\":5}\n"
                               "{\"type\":\"task\",\"text\":\"two\",\"created_at\":5}\n")),
        .write_ms = -1}; /* a fact each */
    assert_ok(store_write(h.store, run_sql, refuse, NULL));
    assert_true(import_run(&x, &t, &whole, NULL) != RC_OK);
    assert_int_equal(number(&h, "SELECT count(*) FROM task"), 1);
    assert_ok(store_write(h.store, run_sql, allow, NULL));
    struct db *db = store_read(h.store);
    assert_ok(store_transfer_by_id(db, h.a, 1, t.id, &t, NULL));
    store_read_done(h.store, db);
    assert_ok(import_run(&x, &t, &whole, NULL));
    assert_true(whole && t.facts == 2);
    assert_int_equal(number(&h, "SELECT count(*) FROM task"), 2);
    assert_int_equal(number(&h, "SELECT loose_facts FROM transfer"), 2);
    leave(&h);
}
