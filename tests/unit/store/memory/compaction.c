#include "../rig.h"

#include "store/memory/compaction.h"

/* A line of messages of user 1, alternating. */
static void line(struct db *db, int64_t session, int64_t parent, int64_t *id, size_t n)
{
    for (size_t i = 0; i < n; i++)
        parent = id[i] =
            rig_message(db, 1, session, parent, i % 2 ? ROLE_ASSISTANT : ROLE_USER, "some words");
}

static struct compaction upto(int64_t session, int64_t first, int64_t last)
{
    return (struct compaction){.session_id = session,
        .first_id = first,
        .last_id = last,
        .messages = 2,
        .tokens_before = 900,
        .tokens_after = 100,
        .keep = STR("the prices"),
        .text = STR("what was said"),
        .facts = STR("[\"a\"]"),
        .transcript = "ses_a/1.jsonl",
        .provider = "openai",
        .model = "gpt",
        .created_at = NOW};
}

static int64_t on_path(struct db *db, int64_t session, int64_t head)
{
    AUTO(arena) a = arena_new();
    struct compaction c;
    enum rc rc = store_compaction_on_path(db, a, 1, session, head, &c, NULL);
    assert_true(rc == RC_OK || rc == RC_NOT_FOUND);
    return rc == RC_OK ? c.id : 0;
}

TEST(an_added_compaction_is_read_by_its_owner_only)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_a"), id[4];
    line(db, s, 0, id, 4);
    struct compaction c = upto(s, id[0], id[1]), got, *list;
    size_t n;
    assert_rc(store_compaction_add(db, 2, &c, NULL), RC_NOT_FOUND);
    assert_ok(store_compaction_add(db, 1, &c, NULL));
    assert_ok(store_compaction_get(db, a, 1, s, c.id, &got, NULL));
    assert_int_equal(got.last_id, id[1]);
    assert_int_equal(got.tokens_before, 900);
    assert_true(str_is(got.keep, "the prices"));
    assert_true(str_is(got.text, "what was said"));
    assert_string_equal(got.transcript, "ses_a/1.jsonl");
    assert_rc(store_compaction_get(db, a, 2, s, c.id, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_compaction_get(db, a, 1, s + 1, c.id, &got, NULL), RC_NOT_FOUND);
    assert_rc(store_compaction_on_path(db, a, 2, s, id[3], &got, NULL), RC_NOT_FOUND);
    assert_ok(store_compaction_list(db, a, 2, s, 0, 10, &list, &n, NULL));
    assert_int_equal(n, 0);
    struct compaction gone = upto(s, id[0], id[3] + 1);
    assert_rc(store_compaction_add(db, 1, &gone, NULL), RC_NOT_FOUND); /* no such message */
}

TEST(the_list_pages_by_id_the_newest_first)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_a"), id[8];
    struct compaction c[4], *list;
    size_t n;
    line(db, s, 0, id, 8);
    for (int i = 0; i < 4; i++) {
        c[i] = upto(s, id[0], id[2 * i + 1]);
        assert_ok(store_compaction_add(db, 1, &c[i], NULL));
    }
    assert_ok(store_compaction_list(db, a, 1, s, 0, 2, &list, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(list[0].id, c[3].id);
    assert_ok(store_compaction_list(db, a, 1, s, list[1].id, 10, &list, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(list[1].id, c[0].id);
    assert_ok(store_compaction_between(db, a, 1, (struct message_range){s, id[2], id[5]}, &list, &n, NULL));
    assert_int_equal(n, 2);
}

TEST(a_compaction_counts_only_on_paths_through_its_last_message)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a"), id[8], other[4];
    line(db, s, 0, id, 8);
    struct compaction low = upto(s, id[0], id[5]), high = upto(s, id[0], id[1]);
    assert_ok(store_compaction_add(db, 1, &low, NULL));
    line(db, s, id[3], other, 4); /* leaves above its end */
    assert_int_equal(on_path(db, s, id[7]), low.id);
    assert_int_equal(on_path(db, s, id[5]), low.id);
    assert_int_equal(on_path(db, s, id[4]), 0);
    assert_int_equal(on_path(db, s, other[3]), 0);
    assert_ok(store_compaction_add(db, 1, &high, NULL)); /* made later, on the other branch */
    assert_int_equal(on_path(db, s, other[3]), high.id);
    assert_int_equal(on_path(db, s, id[7]), low.id); /* the one that reaches further */
}

TEST(a_path_is_read_from_the_border_on)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_a"), id[6], other[2];
    struct message *p;
    size_t n;
    line(db, s, 0, id, 6);
    line(db, s, id[1], other, 2);
    struct path_query q = {.owner = 1, .session_id = s, .head = id[5], .below = id[2]};
    assert_ok(store_message_path(db, a, &q, &p, &n, NULL));
    assert_int_equal(n, 3);
    assert_int_equal(p[0].id, id[3]);
    assert_int_equal(message_above_path(&q, p, n), id[2]);
    q.below = 0;
    assert_ok(store_message_path(db, a, &q, &p, &n, NULL));
    assert_int_equal(n, 6);
    assert_int_equal(message_above_path(&q, p, n), 0);
    q.below = id[5];
    assert_ok(store_message_path(db, a, &q, &p, &n, NULL));
    assert_int_equal(n, 0);
    assert_int_equal(message_above_path(&q, p, n), id[5]);
    q.head = other[1];
    q.below = id[3];
    assert_ok(store_message_path(db, a, &q, &p, &n, NULL));
    assert_int_equal(n, 2); /* not on its path: those with a greater id */
    assert_int_equal(message_above_path(&q, p, n), id[1]);
    q = (struct path_query){.owner = 2, .session_id = s, .head = id[5], .below = id[2]};
    assert_rc(store_message_path(db, a, &q, &p, &n, NULL), RC_NOT_FOUND);
}

static int64_t compactions(struct db *db)
{
    return rig_int(db, "SELECT count(*) FROM compaction");
}

TEST(a_compaction_of_a_changed_message_is_removed_with_its_file)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a"), id[8], other[2], removed;
    line(db, s, 0, id, 8);
    line(db, s, id[1], other, 2);
    struct compaction one = upto(s, id[0], id[3]), two = upto(s, id[4], id[5]),
                      side = upto(s, id[0], other[1]);
    assert_ok(store_compaction_add(db, 1, &one, NULL));
    assert_ok(store_compaction_add(db, 1, &two, NULL));
    assert_ok(store_compaction_add(db, 1, &side, NULL));
    assert_ok(store_compaction_forget(db, 1, s, id[6], NOW, &removed, NULL)); /* below all borders */
    assert_int_equal(removed, 0);
    assert_ok(store_compaction_forget(db, 2, s, id[0], NOW, &removed, NULL)); /* a stranger */
    assert_int_equal(removed, 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = '" JOB_SWEEP_TRANSCRIPTS "'"), 0);
    assert_ok(store_compaction_forget(db, 1, s, id[4], NOW, &removed, NULL));
    assert_int_equal(removed, 1); /* only the later one covers it */
    assert_int_equal(on_path(db, s, id[7]), one.id);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = '" JOB_SWEEP_TRANSCRIPTS "'"), 1);
    assert_ok(store_compaction_forget(db, 1, s, id[2], NOW, &removed, NULL));
    assert_int_equal(removed, 1); /* the side branch does not know it */
    assert_int_equal(compactions(db), 1);
    assert_ok(store_compaction_forget(db, 1, s, id[0], NOW, &removed, NULL));
    assert_int_equal(compactions(db), 0);
}

TEST(a_compaction_of_deleted_messages_is_removed)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a"), id[6];
    line(db, s, 0, id, 6);
    struct compaction one = upto(s, id[0], id[1]), two = upto(s, id[2], id[3]);
    assert_ok(store_compaction_add(db, 1, &one, NULL));
    assert_ok(store_compaction_add(db, 1, &two, NULL));
    assert_ok(rig_message_delete(db, 1, s, id[2], NULL));
    assert_int_equal(compactions(db), 1);
    assert_int_equal(on_path(db, s, id[1]), one.id);
}

static struct compaction_request ask(int64_t session, int64_t head, const char *keep, int64_t at)
{
    return (struct compaction_request){
        .session_id = session, .head_id = head, .keep = keep, .by_user = true, .asked_at = at};
}

TEST(one_request_waits_and_a_failed_one_is_replaced)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_a"), id[2];
    struct session session;
    struct compaction_request got, r;
    line(db, s, 0, id, 2);
    r = ask(s, id[1], "the prices", NOW);
    assert_rc(store_compaction_request(db, 2, &r, NULL), RC_NOT_FOUND);
    assert_ok(store_compaction_request(db, 1, &r, NULL));
    assert_rc(store_compaction_request(db, 1, &r, NULL), RC_CONFLICT);
    assert_ok(store_session_by_id(db, a, 1, s, &session, NULL));
    assert_true(session.compacting);
    assert_ok(store_compaction_request_failed(db, 2, s, "not yours", NULL));
    assert_ok(store_compaction_request_failed(db, 1, s, "It failed.", NULL));
    assert_ok(store_session_by_id(db, a, 1, s, &session, NULL));
    assert_false(session.compacting);
    assert_string_equal(session.compact_error, "It failed.");
    r = ask(s, id[1], "", NOW + 1);
    assert_ok(store_compaction_request(db, 1, &r, NULL));
    assert_rc(store_compaction_request_get(db, a, 2, s, &got, NULL), RC_NOT_FOUND);
    assert_ok(store_compaction_request_get(db, a, 1, s, &got, NULL));
    assert_null(got.error);
    assert_string_equal(got.keep, "the prices");                                 /* a retry keeps the note */
    assert_rc(store_compaction_request_done(db, 1, s, NOW, NULL), RC_NOT_FOUND); /* an older one */
    assert_rc(store_compaction_request_done(db, 2, s, NOW + 1, NULL), RC_NOT_FOUND);
    assert_ok(store_compaction_request_done(db, 1, s, NOW + 1, NULL));
    assert_rc(store_compaction_request_get(db, a, 1, s, &got, NULL), RC_NOT_FOUND);
}

TEST(a_change_makes_a_waiting_request_another_one)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_a"), id[4], removed;
    struct compaction_request got, r;
    line(db, s, 0, id, 4);
    r = ask(s, id[3], "", NOW);
    assert_ok(store_compaction_request(db, 1, &r, NULL));
    assert_ok(store_compaction_forget(db, 1, s, id[0], NOW, &removed, NULL));
    assert_ok(store_compaction_request_get(db, a, 1, s, &got, NULL));
    assert_int_equal(got.asked_at, NOW + 1);
    assert_int_equal(got.head_id, id[3]);
    assert_ok(rig_message_delete(db, 1, s, id[2], NULL));
    assert_ok(store_compaction_forget(db, 1, s, id[2], NOW + 9, &removed, NULL));
    assert_ok(store_compaction_request_get(db, a, 1, s, &got, NULL));
    assert_int_equal(got.asked_at, NOW + 9);
    assert_int_equal(got.head_id, id[1]); /* the session's current end */
    assert_ok(rig_message_delete(db, 1, s, id[0], NULL));
    assert_ok(store_compaction_forget(db, 1, s, id[0], NOW + 10, &removed, NULL));
    assert_rc(store_compaction_request_get(db, a, 1, s, &got, NULL), RC_NOT_FOUND);
}

/* The transcript of a running compaction has the old text, and no row will name it. */
TEST(a_change_while_one_is_made_sweeps_the_transcript)
{
    AUTO(db) db = rig_db();
    int64_t s = rig_session(db, 1, "ses_a"), id[4], removed;
    line(db, s, 0, id, 4);
    assert_ok(store_compaction_forget(db, 1, s, id[2], NOW, &removed, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = '" JOB_SWEEP_TRANSCRIPTS "'"), 0);
    struct compaction_request r = ask(s, id[3], "", NOW);
    assert_ok(store_compaction_request(db, 1, &r, NULL));
    assert_ok(store_compaction_forget(db, 1, s, id[2], NOW, &removed, NULL));
    assert_int_equal(removed, 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = '" JOB_SWEEP_TRANSCRIPTS "'"), 1);
}

TEST(a_deleted_session_leaves_no_rows_and_a_sweep)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t s = rig_session(db, 1, "ses_a"), id[2];
    const char **names;
    size_t n;
    line(db, s, 0, id, 2);
    struct compaction c = upto(s, id[0], id[1]);
    struct compaction_request r = ask(s, id[1], "", NOW);
    assert_ok(store_compaction_add(db, 1, &c, NULL));
    assert_ok(store_compaction_request(db, 1, &r, NULL));
    assert_ok(store_compaction_transcripts(db, a, "ses_a", &names, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(names[0], "ses_a/1.jsonl");
    assert_ok(rig_session_delete(db, 1, "ses_a", NULL));
    assert_int_equal(compactions(db), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM compaction_request"), 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM job WHERE kind = '" JOB_SWEEP_TRANSCRIPTS "'"), 1);
    assert_ok(store_compaction_transcripts(db, a, "ses_a", &names, &n, NULL));
    assert_int_equal(n, 0);
}
