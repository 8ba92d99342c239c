/* A running turn in a chat: the growing answer, and the messages at its end. */
#include "delivery_rig.h"

#include "app/turn/turnlog.h"

#define TURN        "trn_00000000000000000000000001"
#define SECOND_TURN "trn_00000000000000000000000002"
#define THIRD_TURN  "trn_00000000000000000000000003"

struct talk {
    struct rig r;
    int64_t chat, session, asked, reply, turn;
    struct turnlogs *logs;
    struct turnlog *log;
    const char *pub; /* of the turn */
};

/* A question and the begin of its answer. `client_id`: of the question; NULL: from the browser. */
static void ask(struct talk *t, const char *client_id)
{
    struct message q = {.session_id = t->session,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("How are\nyou?"),
        .client_id = client_id,
        .created_at = NOW};
    assert_ok(store_message_add(t->r.db, 1, &q, NULL));
    struct message answer = {.session_id = t->session,
        .parent_id = q.id,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .text = STR(""),
        .created_at = NOW};
    assert_ok(store_message_add(t->r.db, 1, &answer, NULL));
    t->asked = q.id;
    t->reply = answer.id;
    assert_ok(turnlog_create(t->logs, t->pub, &t->log, NULL));
    assert_ok(turnlog_append(t->log, TURNLOG_MESSAGE, STR("1"), NULL));
    assert_ok(rig_turn(t->r.db, 1, t->pub, t->session, t->asked, t->reply, "stream", &t->turn));
    t->r.d.stale = true;
}

static void talk_begin(struct talk *t, bool grouped, bool drafts)
{
    rig_begin(&t->r);
    t->logs = turnlogs_new(t->r.data);
    t->pub = TURN;
    t->r.d.channels[0].driver.drafts = drafts;
    t->chat = rig_chat(&t->r, "7", grouped);
    t->session = rig_session(t->r.db, 1, "ses_00000000000000000000000001");
    assert_ok(store_channel_chat_bind(t->r.db, 1, t->chat, "ses_00000000000000000000000001", 0, NULL));
}

static const char *own_question(struct talk *t)
{
    static char id[64];
    snprintf(id, sizeof id, "telegram:%lld:100", (long long)t->chat);
    return id;
}

/* A chat without the typing indicator, in which its user has asked the question. */
static void talk_asked(struct talk *t, bool grouped, bool drafts)
{
    talk_begin(t, grouped, drafts);
    t->r.d.channels[0].no_typing = true;
    ask(t, own_question(t));
}

/* The next question, after the end of the last turn. */
static void ask_next(struct talk *t, const char *pub, const char *client_id)
{
    turnlog_free(t->log);
    t->pub = pub;
    ask(t, client_id);
}

static void says(struct talk *t, const char *text)
{
    assert_ok(turnlog_append(t->log, TURNLOG_TEXT, str_of(text), NULL));
}

static void ends(struct talk *t, enum message_status status, const char *text, const char *error)
{
    struct message m = {
        .id = t->reply, .status = status, .text = str_of(text), .error = error, .ended_at = NOW + 5};
    assert_ok(store_message_finish(t->r.db, 1, &m, NULL));
    assert_ok(store_turn_end(t->r.db, 1, t->turn, status, NOW + 5, NULL));
    assert_ok(turnlog_remove(t->r.data, t->pub, NULL));
    t->r.d.stale = true;
}

static void talk_end(struct talk *t)
{
    turnlog_free(t->log);
    turnlogs_free(t->logs);
    rig_end(&t->r);
}

TEST(a_short_answer_is_typing_and_then_one_message)
{
    struct talk t;
    talk_begin(&t, false, false);
    ask(&t, own_question(&t));
    assert_string_equal(rig_run(&t.r, 0), "typing 7|");
    says(&t, "Well.");
    assert_string_equal(rig_run(&t.r, 1000), "");
    ends(&t, MESSAGE_DONE, "Well.", NULL);
    assert_string_equal(rig_run(&t.r, 60000), "send 7 Well.|");
    assert_int_equal(rig_int(t.r.db, "SELECT count(*) FROM channel_turn"), 0);
    assert_int_equal(rig_int(t.r.db, "SELECT count(*) FROM channel_button"), 0);
    talk_end(&t);
}

/* The last characters of the message for an answer of `n` times `piece`. */
static const char *end_of_answer(const char *piece, size_t n)
{
    struct talk t;
    static char out[64];
    struct rows q;
    AUTO_STRBUF text;
    strbuf_init(&text, n * strlen(piece));
    while (n--)
        strbuf_adds(&text, piece);
    talk_begin(&t, false, false);
    ask(&t, own_question(&t));
    ends(&t, MESSAGE_DONE, text.s, NULL);
    assert_ok(answer_end(t.r.store, t.turn, t.chat, 1, NOW + 6, NULL));
    enum rc rc = db_query(t.r.db, &q, "SELECT substr(markdown, -11) FROM outbox", NO_ARGS, NULL);
    assert_true(rc == RC_OK && rows_next(&q));
    snprintf(out, sizeof out, "%s", rows_text(&q, 0));
    assert_ok(rows_done(&q, rc, NULL));
    talk_end(&t);
    return out;
}

TEST(an_answer_that_is_cut_says_so_also_where_a_character_has_several_bytes)
{
    assert_string_equal(end_of_answer("abcd", 64 * 1024), "bcdabcdabcd");
    assert_string_equal(end_of_answer("語", 87381), "語語語語語語語語語語語");
    assert_string_equal(end_of_answer("語", 87382), "for a chat.");
    assert_string_equal(end_of_answer("😀", 64 * 1024 + 1), "for a chat.");
    assert_string_equal(end_of_answer("語", 200000), "for a chat.");
}

TEST(typing_is_renewed_while_a_turn_runs)
{
    struct talk t;
    talk_begin(&t, false, false);
    ask(&t, own_question(&t));
    assert_string_equal(rig_run(&t.r, 12500), "typing 7|typing 7|typing 7|typing 7|");
    talk_end(&t);
}

TEST(a_long_answer_grows_in_a_message_that_becomes_the_answer)
{
    struct talk t;
    talk_asked(&t, false, false);
    says(&t, "An answer with more than forty characters, ");
    assert_string_equal(rig_run(&t.r, 500), "send 7 An answer with more than forty characters, [Stop]|");
    says(&t, "which grows");
    assert_string_equal(
        rig_run(&t.r, 1500), "edit 7#m1 An answer with more than forty characters, which grows [Stop]|");
    says(&t, "~and goes on");
    assert_string_equal(rig_run(&t.r, 5000),
        "edit 7#m1 An answer with more than forty characters, which grows|send 7 and goes on [Stop]|");
    rig_restart(&t.r); /* the messages are known after it */
    t.r.d.channels[0].no_typing = true;
    says(&t, " again");
    assert_string_equal(rig_run(&t.r, 1000), "edit 7#m2 and goes on again [Stop]|");
    ends(&t, MESSAGE_DONE, "First~second~third", NULL);
    assert_string_equal(rig_run(&t.r, 9000), "edit 7#m1 First|edit 7#m2 second|send 7 third|");
    talk_end(&t);
}

TEST(a_private_chat_has_drafts)
{
    struct talk t;
    talk_asked(&t, false, true);
    says(&t, "Hello");
    assert_string_equal(rig_run(&t.r, 1000), "draft 7 Hello\n\n/stop ends the answer|");
    assert_string_equal(rig_run(&t.r, FOLLOW_DRAFT_MS), "draft 7 Hello\n\n/stop ends the answer|");
    ends(&t, MESSAGE_DONE, "Hello!", NULL);
    assert_string_equal(rig_run(&t.r, 9000), "send 7 Hello!|");
    talk_end(&t);
}

TEST(an_answer_longer_than_a_draft_goes_on_in_messages)
{
    struct talk t;
    talk_asked(&t, false, true);
    says(&t, "First");
    assert_string_equal(rig_run(&t.r, 1000), "draft 7 First\n\n/stop ends the answer|");
    says(&t, "~second");
    assert_string_equal(rig_run(&t.r, 9000), "send 7 First [Stop]|");
    says(&t, " part");
    assert_string_equal(rig_run(&t.r, 9000), "edit 7#m1 First|send 7 second part [Stop]|");
    talk_end(&t);
}

TEST(a_refused_draft_leaves_those_of_other_chats)
{
    struct talk t;
    talk_asked(&t, false, true);
    rig_plan(&t.r, NULL, (struct channel_result){.outcome = OUTCOME_REFUSED});
    says(&t, "An answer with more than forty characters.");
    rig_run(&t.r, 5000);
    assert_int_equal(t.r.d.channels[0].drafts_at, 0);
    talk_end(&t);
}

TEST(a_server_without_drafts_gets_edits)
{
    struct talk t;
    talk_asked(&t, false, true);
    rig_plan(&t.r, NULL, (struct channel_result){.outcome = OUTCOME_UNKNOWN});
    says(&t, "An answer with more than forty characters.");
    assert_string_equal(rig_run(&t.r, 5000),
        "draft 7 An answer with more than forty characters.\n\n/stop ends the answer|"
        "send 7 An answer with more than forty characters. [Stop]|");
    talk_end(&t);
}

TEST(drafts_are_tried_again_after_a_server_did_not_know_them)
{
    struct talk t;
    talk_asked(&t, false, true);
    rig_plan(&t.r, NULL, (struct channel_result){.outcome = OUTCOME_UNKNOWN});
    says(&t, "First");
    assert_string_equal(rig_run(&t.r, 500), "draft 7 First\n\n/stop ends the answer|");
    ends(&t, MESSAGE_DONE, "First", NULL);
    assert_string_equal(rig_run(&t.r, DELIVERY_DRAFTS_AGAIN_MS - 5000), "send 7 First|");
    ask_next(&t, SECOND_TURN, "telegram:1:101");
    says(&t, "An answer with more than forty characters.");
    assert_string_equal(rig_run(&t.r, 500), "send 7 An answer with more than forty characters. [Stop]|");
    ends(&t, MESSAGE_DONE, "Second", NULL);
    rig_run(&t.r, 5000);
    ask_next(&t, THIRD_TURN, "telegram:1:102");
    says(&t, "Third");
    assert_string_equal(rig_run(&t.r, 500), "draft 7 Third\n\n/stop ends the answer|");
    talk_end(&t);
}

TEST(a_group_has_no_drafts_and_fewer_edits)
{
    struct talk t;
    talk_asked(&t, true, true);
    says(&t, "An answer with more than forty characters.");
    rig_run(&t.r, 500);
    says(&t, "1");
    rig_run(&t.r, 500);
    says(&t, "2");
    assert_string_equal(rig_run(&t.r, 1900), "");
    assert_string_equal(rig_run(&t.r, 200), "edit 7#m1 An answer with more than forty characters.12 [Stop]|");
    talk_end(&t);
}

#define TOPICS 4

/* Asks a question in a topic of the group. Its session is that of the topic. */
static struct turnlog *ask_in_topic(struct talk *t, int n)
{
    static char pubs[TOPICS][ID_SIZE];
    char thread[16], session[ID_SIZE];
    snprintf(thread, sizeof thread, "%d", n);
    snprintf(session, sizeof session, "ses_%026d", 10 + n);
    snprintf(pubs[n], sizeof pubs[n], "trn_%026d", 10 + n);
    struct channel_chat c = {
        .channel = "telegram", .chat = "7", .thread = thread, .grouped = true, .owner = 1, .sender = "7"};
    assert_ok(store_channel_chat_add(t->r.db, &c, NOW, &t->chat, NULL));
    t->session = rig_session(t->r.db, 1, session);
    assert_ok(store_channel_chat_bind(t->r.db, 1, t->chat, session, 0, NULL));
    t->pub = pubs[n];
    ask(t, own_question(t));
    return t->log;
}

static size_t count(const char *log, const char *words)
{
    size_t n = 0;
    for (const char *at = log; (at = strstr(at, words)); at++)
        n++;
    return n;
}

TEST(answers_that_grow_in_a_group_share_its_rate_and_one_that_ends_goes_first)
{
    static const char *const places[TOPICS] = {" 7/0", " 7/1", " 7/2", " 7/3"};
    struct talk t;
    struct turnlog *logs[TOPICS];
    size_t all = 0, of[TOPICS] = {0};
    talk_begin(&t, true, false);
    t.r.d.channels[0].no_typing = true;
    for (int i = 0; i < TOPICS; i++)
        logs[i] = ask_in_topic(&t, i);
    for (int step = 0; step < 120; step++) {
        for (int i = 0; i < TOPICS; i++)
            assert_ok(turnlog_append(logs[i], TURNLOG_TEXT, STR("Some more words of this answer. "), NULL));
        const char *log = rig_run(&t.r, 500);
        all += count(log, "send 7/") + count(log, "edit 7/");
        for (int i = 0; i < TOPICS; i++)
            of[i] += count(log, places[i]);
    }
    assert_in_range(all, 18, MS_PER_MIN / 3000); /* the gap of a group */
    for (int i = 0; i < TOPICS; i++)
        assert_in_range(of[i], 4, 6);
    ends(&t, MESSAGE_DONE, "Whole", NULL);
    const char *log = rig_run(&t.r, 100);
    assert_true(str_starts(str_of(log), STR("edit 7/3#")) && strstr(log, " Whole|"));
    for (int i = 0; i < TOPICS - 1; i++)
        turnlog_free(logs[i]);
    talk_end(&t);
}

TEST(a_tool_that_runs_is_named_below_the_text)
{
    struct talk t;
    talk_asked(&t, false, true);
    assert_ok(turnlog_append(t.log, TURNLOG_TOOL, STR("search_memories"), NULL));
    assert_string_equal(rig_run(&t.r, 1000), "draft 7 _Searched memory …_\n\n/stop ends the answer|");
    assert_ok(turnlog_append(t.log, TURNLOG_TOOL, STR("web_search\n*tea*"), NULL));
    assert_string_equal(
        rig_run(&t.r, 1000), "draft 7 _Searching the web for “\\*tea\\*” …_\n\n/stop ends the answer|");
    says(&t, "Found");
    assert_string_equal(rig_run(&t.r, 1000), "draft 7 Found\n\n/stop ends the answer|");
    talk_end(&t);
}

/* A block of code is one part for the channel, whatever follows. */
static void render_in_brackets(struct arena *a, struct str markdown, struct channel_piece **out, size_t *n)
{
    struct str s = str_of(arena_printf(a, "{%.*s}", STR_FMT(str_trim(markdown))));
    *n = s.len > 2;
    *out = ARENA_NEW(a, struct channel_piece);
    **out = (struct channel_piece){s, s};
}

TEST(the_status_is_outside_of_markup_that_is_still_open)
{
    struct talk t;
    talk_asked(&t, false, true);
    t.r.d.channels[0].driver.render = render_in_brackets;
    says(&t, "A **bold");
    assert_string_equal(rig_run(&t.r, 1000), "draft 7 {A **bold**}\n\n{/stop ends the answer}|");
    says(&t, "** word\n\n```c\nint x;");
    assert_string_equal(
        rig_run(&t.r, 1000), "draft 7 {A **bold** word\n\n```c\nint x;}\n\n{/stop ends the answer}|");
    talk_end(&t);
}

TEST(a_question_from_elsewhere_is_quoted_once)
{
    struct talk t;
    talk_begin(&t, false, false);
    t.r.d.channels[0].no_typing = true;
    ask(&t, NULL);
    assert_string_equal(rig_run(&t.r, 1000), "send 7 > How are\n> you?|");
    rig_restart(&t.r);
    t.r.d.channels[0].no_typing = true;
    ends(&t, MESSAGE_DONE, "Well.", NULL);
    assert_string_equal(rig_run(&t.r, 9000), "send 7 Well.|");
    talk_end(&t);
}

TEST(a_question_from_elsewhere_shows_that_it_has_a_picture)
{
    struct talk t;
    talk_begin(&t, false, false);
    t.r.d.channels[0].no_typing = true;
    ask(&t, NULL);
    assert_ok(db_exec(t.r.db,
        "UPDATE message SET text = '', pictures = "
        "'[{\"id\":\"pic_1\",\"type\":\"image/png\",\"width\":1,\"height\":1,\"bytes\":1}]' WHERE id = ?",
        ARGS(v_int(t.asked)), NULL, NULL));
    assert_string_equal(rig_run(&t.r, 1000), "send 7 > [Picture, 1 x 1]|");
    talk_end(&t);
}

TEST(an_answer_that_ended_early_says_why_and_offers_another)
{
    struct talk t;
    talk_asked(&t, false, false);
    rig_run(&t.r, 10);
    ends(&t, MESSAGE_STOPPED, "So far", NULL);
    assert_string_equal(
        rig_run(&t.r, 9000), "send 7 So far\n\nStopped. The text so far is kept. [Try again]|");
    talk_end(&t);
}

TEST(a_failure_without_text_is_a_sentence)
{
    struct talk t;
    talk_asked(&t, false, false);
    ends(&t, MESSAGE_FAILED, "", "The model is away.");
    assert_string_equal(rig_run(&t.r, 9000), "send 7 The model is away. [Try again]|");
    talk_end(&t);
}

TEST(a_growing_message_that_was_deleted_does_not_take_the_answer_with_it)
{
    struct talk t;
    talk_asked(&t, false, false);
    says(&t, "An answer with more than forty characters.");
    rig_run(&t.r, 500);
    ends(&t, MESSAGE_DONE, "Whole", NULL);
    rig_plan(&t.r, NULL, (struct channel_result){.outcome = OUTCOME_TARGET_GONE});
    assert_string_equal(rig_run(&t.r, 9000), "edit 7#m1 Whole|send 7 Whole|");
    talk_end(&t);
}

TEST(an_answer_whose_session_was_deleted_is_dropped)
{
    struct talk t;
    talk_asked(&t, false, false);
    rig_run(&t.r, 500);
    ends(&t, MESSAGE_DONE, "Whole", NULL);
    assert_ok(rig_session_delete(t.r.db, 1, "ses_00000000000000000000000001", NULL));
    assert_string_equal(rig_run(&t.r, 9000), "");
    assert_int_equal(rig_int(t.r.db, "SELECT count(*) FROM channel_turn"), 0);
    talk_end(&t);
}

TEST(the_answer_waits_until_what_is_being_shown_has_an_outcome)
{
    struct talk t;
    talk_asked(&t, false, false);
    t.r.fake.holds = true;
    says(&t, "An answer with more than forty characters.");
    rig_run(&t.r, 500);
    ends(&t, MESSAGE_DONE, "Whole", NULL);
    assert_string_equal(rig_run(&t.r, 9000), "");
    t.r.fake.holds = false;
    struct channel_result r = {.outcome = OUTCOME_DONE, .message = "m9"};
    t.r.fake.done(t.r.fake.arg, &r);
    assert_string_equal(rig_run(&t.r, 9000), "edit 7#m9 Whole|");
    talk_end(&t);
}

TEST(answers_that_ended_while_the_channel_was_off_come_in_their_order)
{
    struct talk t;
    talk_begin(&t, false, false);
    ask(&t, "telegram:1:100");
    ends(&t, MESSAGE_DONE, "First", NULL);
    ask_next(&t, SECOND_TURN, "telegram:1:101");
    ends(&t, MESSAGE_DONE, "Second", NULL);
    assert_string_equal(rig_run(&t.r, 9000), "send 7 First|send 7 Second|");
    talk_end(&t);
}

TEST(an_answer_waits_for_the_end_of_the_one_before)
{
    struct talk t;
    talk_asked(&t, false, false);
    says(&t, "An answer with more than forty characters.");
    t.r.fake.holds = true;
    assert_string_equal(rig_run(&t.r, 500), "send 7 An answer with more than forty characters. [Stop]|");
    ends(&t, MESSAGE_DONE, "First", NULL);
    ask_next(&t, SECOND_TURN, "telegram:1:101");
    ends(&t, MESSAGE_DONE, "Second", NULL);
    assert_string_equal(rig_run(&t.r, 9000), "");
    t.r.fake.holds = false;
    t.r.fake.done(t.r.fake.arg, &(struct channel_result){.outcome = OUTCOME_DONE, .message = "m9"});
    assert_string_equal(rig_run(&t.r, 9000), "edit 7#m9 First|send 7 Second|");
    talk_end(&t);
}

TEST(an_answer_that_no_channel_took_for_a_day_is_not_sent)
{
    struct talk t;
    talk_begin(&t, false, false);
    ask(&t, own_question(&t));
    ends(&t, MESSAGE_DONE, "Old", NULL); /* at NOW + 5, while the channel is off */
    assert_ok(store_follow_sweep(t.r.db, NOW + 5, NULL));
    assert_int_equal(rig_int(t.r.db, "SELECT count(*) FROM channel_turn"), 1);
    assert_ok(store_follow_sweep(t.r.db, NOW + 6, NULL));
    assert_string_equal(rig_run(&t.r, 9000), "");
    talk_end(&t);
}

TEST(a_wait_that_an_edit_meets_holds_the_answer_too)
{
    struct talk t;
    talk_asked(&t, false, false);
    says(&t, "An answer with more than forty characters.");
    rig_run(&t.r, 500);
    says(&t, " More");
    rig_plan(&t.r, NULL, (struct channel_result){.outcome = OUTCOME_LATER, .wait_ms = 20000});
    rig_run(&t.r, 1500);
    ends(&t, MESSAGE_DONE, "Whole", NULL);
    assert_string_equal(rig_run(&t.r, 18000), "");
    assert_string_equal(rig_run(&t.r, 2000), "edit 7#m1 Whole|");
    talk_end(&t);
}
