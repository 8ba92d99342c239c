/* Messages of the outbox: order, pace, and the effect of each outcome. */
#include "delivery_rig.h"

#define NOTICE \
    "A message to this chat may be missing: its sending was interrupted. Answers are also in the session."

static const struct channel_result in_doubt = {.outcome = OUTCOME_DOUBTFUL, .detail = "timeout"};

TEST(messages_of_a_chat_go_in_order_and_after_the_first_ones_with_gaps)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_post(&r, chat, "one~two");
    rig_post(&r, chat, "three");
    rig_post(&r, chat, "  \n");
    rig_post(&r, chat, "four~five");
    assert_string_equal(rig_run(&r, 100), "send 7 one|send 7 two|send 7 three|");
    assert_string_equal(rig_run(&r, 899), "");
    assert_string_equal(rig_run(&r, 1), "send 7 four|");
    assert_string_equal(rig_run(&r, 1100), "send 7 five|");
    assert_string_equal(rig_run(&r, 60000), "");
    assert_int_equal(rig_int(r.db, "SELECT count(*) FROM outbox WHERE state = 'sent'"), 5);
    assert_int_equal(
        rig_int(r.db, "SELECT count(*) FROM outbox WHERE markdown <> '' OR markup <> '' OR plain <> ''"), 0);
    rig_end(&r);
}

TEST(a_text_of_too_many_messages_goes_on_as_a_file)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_post(&r, chat, "1~2~3~4~5~6~7~8");
    assert_string_equal(
        rig_run(&r, 60000), "send 7 1|send 7 2|send 7 3|send 7 4|send 7 5|send 7 6|send 7 7|send 7 8|");
    rig_post(&r, chat, "1~2~3~4~5~6~7~8~9");
    rig_post(&r, chat, "next");
    assert_string_equal(rig_run(&r, 60000),
        "send 7 1|send 7 2|send 7 3|send 7 4|send 7 5|send 7 6|send 7 7|"
        "send 7 The text is too long for a chat. The file below has all of it.|"
        "file 7 message.md (1~2~3~4~5~6~7~8~9)|send 7 next|");
    assert_int_equal(
        rig_int(r.db, "SELECT count(*) FROM outbox WHERE state <> 'sent' OR file IS NOT NULL"), 0);
    rig_end(&r);
}

TEST(all_chats_together_keep_the_gap_of_the_channel)
{
    struct rig r;
    rig_begin(&r);
    rig_post(&r, rig_chat(&r, "7", false), "a");
    rig_post(&r, rig_chat(&r, "8", false), "b");
    rig_post(&r, rig_chat(&r, "9", true), "c");
    assert_string_equal(rig_run(&r, 29), "send 7 a|");
    assert_string_equal(rig_run(&r, 30), "send 8 b|");
    assert_string_equal(rig_run(&r, 1), "send 9 c|");
    rig_end(&r);
}

TEST(a_chat_that_has_to_wait_delays_no_other)
{
    struct rig r;
    rig_begin(&r);
    int64_t seven = rig_chat(&r, "7", false), eight = rig_chat(&r, "8", false);
    rig_plan(&r, "7", (struct channel_result){.outcome = OUTCOME_LATER, .wait_ms = 30000});
    rig_post(&r, seven, "a");
    rig_post(&r, eight, "b");
    assert_string_equal(rig_run(&r, 20000), "send 7 a|send 8 b|");
    rig_restart(&r); /* the wait is not forgotten */
    assert_string_equal(rig_run(&r, 9999), "");
    assert_string_equal(rig_run(&r, 1), "send 7 a|");
    assert_int_equal(rig_int(r.db, "SELECT attempts FROM outbox WHERE id = 1"), 1);
    rig_end(&r);
}

TEST(a_message_that_may_have_been_delivered_waits_for_an_admin)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_plan(&r, NULL, in_doubt);
    rig_post(&r, chat, "a~b");
    assert_string_equal(rig_run(&r, 60000), "send 7 a|typing 7|send 7 b|send 7 " NOTICE "|");
    assert_string_equal(rig_state(&r, 1), "doubtful");
    assert_ok(store_outbox_retry(r.db, 1, fake_wall, NULL));
    r.d.stale = true;
    assert_string_equal(rig_run(&r, 60000), "send 7 a|");
    assert_rc(store_outbox_retry(r.db, 1, fake_wall, NULL), RC_NOT_FOUND);
    rig_end(&r);
}

TEST(there_is_one_notice_for_all_messages_in_doubt_before_it_and_none_about_itself)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    for (int i = 0; i < 3; i++)
        rig_plan(&r, NULL, in_doubt);
    rig_post(&r, chat, "a");
    rig_post(&r, chat, "b");
    assert_string_equal(rig_run(&r, MS_PER_H),
        "send 7 a|typing 7|send 7 b|typing 7|send 7 " NOTICE "|"); /* the notice is in doubt, too */
    rig_plan(&r, NULL, in_doubt);
    rig_post(&r, chat, "c");
    assert_string_equal(rig_run(&r, MS_PER_H), "typing 7|send 7 c|typing 7|send 7 " NOTICE "|");
    rig_plan(&r, NULL, in_doubt);
    rig_post(&r, chat, "d");
    r.fake.holds = true;
    assert_string_equal(rig_run(&r, 0), "send 7 d|");
    rig_restart(&r);
    rig_restart(&r);
    r.fake.holds = false;
    r.fake.plan_at = r.fake.plan_n;
    assert_string_equal(rig_run(&r, MS_PER_H), "send 7 " NOTICE "|");
    rig_end(&r);
}

TEST(a_notice_has_the_link_to_the_session_and_the_language_of_the_person)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false), group = rig_chat(&r, "-8", true);
    static char session[] = "ses_00000000000000000000000001";
    rig_session(r.db, 1, session);
    assert_ok(store_channel_chat_bind(r.db, 1, chat, session, 0, NULL));
    assert_ok(store_channel_chat_bind(r.db, 1, group, session, 0, NULL));
    r.config.server.public_url = "https://alfred.example.org";
    rig_plan(&r, "7", in_doubt);
    rig_post(&r, chat, "a");
    assert_string_equal(rig_run(&r, MS_PER_MIN),
        "send 7 a|typing 7|send 7 " NOTICE
        "\n[Open it in Alfred](https://alfred.example.org/s/ses_00000000000000000000000001)|");
    rig_plan(&r, "-8", in_doubt);
    rig_post(&r, group, "b");
    assert_string_equal(rig_run(&r, MS_PER_MIN), "send -8 b|typing -8|send -8 " NOTICE "|");
    assert_ok(store_setting_set(r.db, 1, SETTING_LANGUAGE, "de", NULL));
    rig_plan(&r, "-8", in_doubt);
    rig_post(&r, group, "c");
    assert_non_null(strstr(rig_run(&r, MS_PER_MIN), "fehlt vielleicht eine Nachricht"));
    rig_end(&r);
}

TEST(a_server_without_proper_answers_for_long_costs_one_message_of_a_chat)
{
    struct rig r;
    rig_begin(&r);
    int64_t seven = rig_chat(&r, "7", false), eight = rig_chat(&r, "8", false);
    for (int i = 0; i < 2; i++)
        rig_plan(&r, NULL, in_doubt);
    r.fake.fails = true;
    rig_post(&r, seven, "a~b");
    rig_post(&r, seven, "c");
    rig_post(&r, eight, "d");
    const char *log = rig_run(&r, 10 * MS_PER_MIN);
    size_t probes = 0;
    for (const char *at = log; (at = strstr(at, "typing")); at++)
        probes++;
    assert_true(strstr(log, "send 7 a|") && strstr(log, "send 8 d|") && !strstr(log, "send 7 b"));
    assert_in_range(probes, 20, 40); /* of both chats */
    r.fake.fails = false;
    rig_post(&r, seven, "e");
    log = rig_run(&r, 2 * MS_PER_MIN);
    assert_true(strstr(log, "send 7 b|") && strstr(log, "send 7 c|") && strstr(log, "send 7 e|"));
    assert_true(strstr(log, "send 7 " NOTICE) && strstr(log, "send 8 " NOTICE));
    assert_int_equal(rig_int(r.db, "SELECT count(*) FROM outbox WHERE state = 'doubtful'"), 2);
    assert_int_equal(rig_int(r.db, "SELECT count(*) FROM outbox WHERE state = 'sent'"), 5);
    rig_end(&r);
}

TEST(refusals_for_long_delay_messages_and_lose_none)
{
    static const enum channel_outcome outcomes[] = {OUTCOME_LATER, OUTCOME_FAILED};
    for (size_t i = 0; i < ARRAY_LEN(outcomes); i++) {
        struct rig r;
        rig_begin(&r);
        int64_t chat = rig_chat(&r, "7", false);
        for (size_t k = 0; k < ARRAY_LEN(r.fake.plan); k++)
            rig_plan(&r, NULL, (struct channel_result){.outcome = outcomes[i], .wait_ms = 40000});
        rig_post(&r, chat, "a~b");
        rig_post(&r, chat, "c");
        const char *log = rig_run(&r, 10 * MS_PER_MIN);
        assert_true(!strstr(log, "send 7 b") && strlen(log) <= 17 * strlen("send 7 a|"));
        assert_non_null(strstr(rig_run(&r, MS_PER_H), "send 7 a|send 7 b|send 7 c|"));
        assert_int_equal(rig_int(r.db, "SELECT count(*) FROM outbox WHERE state = 'sent'"), 3);
        rig_end(&r);
    }
}

TEST(a_failure_is_tried_again_with_growing_waits_until_it_is_given_up)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    r.fake.fails = true;
    rig_post(&r, chat, "a");
    assert_string_equal(rig_run(&r, 7000), "send 7 a|send 7 a|send 7 a|send 7 a|"); /* at 0, 1, 3, 7 s */
    rig_run(&r, MS_PER_DAY - DELIVERY_AGAIN_MAX_MS);
    assert_string_equal(rig_state(&r, 1), "ready");
    rig_run(&r, 2 * DELIVERY_AGAIN_MAX_MS);
    assert_string_equal(rig_state(&r, 1), "failed");
    assert_int_equal(rig_int(r.db, "SELECT attempts FROM outbox"), DELIVERY_ATTEMPTS);
    rig_end(&r);
}

TEST(a_message_that_has_waited_for_days_is_tried_like_a_new_one)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_LATER, .wait_ms = 30000});
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_FAILED});
    assert_ok(store_channel_chat_pause(r.db, "telegram", "7", fake_wall, NULL));
    rig_post(&r, chat, "a");
    fake_wall += 3 * MS_PER_DAY;
    assert_string_equal(rig_run(&r, 0), "");
    assert_ok(store_channel_chat_pause(r.db, "telegram", "7", 0, NULL));
    r.d.stale = true;
    assert_string_equal(rig_run(&r, MS_PER_MIN), "send 7 a|send 7 a|send 7 a|");
    assert_string_equal(rig_state(&r, 1), "sent");
    rig_end(&r);
}

TEST(a_message_that_is_sent_late_says_from_when_it_is)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    assert_ok(store_user_set_time_zone(r.db, 1, "UTC", NULL));
    r.fake.fails = r.fake.times = true;
    rig_post(&r, chat, "**Reminder:** Call Bob"); /* tried in time, and waits as a part */
    rig_post(&r, chat, "one~two");
    rig_run(&r, 3 * MS_PER_H);
    rig_post(&r, chat, "new");
    r.fake.fails = false;
    assert_string_equal(rig_run(&r, 10 * MS_PER_MIN),
        "send 7 *Delayed message of yesterday at 22:13:*\n\n**Reminder:** Call Bob|"
        "send 7 *Delayed message of yesterday at 22:13:*\n\none|send 7 two|send 7 new|");
    rig_end(&r);
}

TEST(refused_markup_goes_as_plain_text)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_BAD_MARKUP});
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_DONE});
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_BAD_MARKUP});
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_BAD_MARKUP});
    rig_post(&r, chat, "a~b");
    assert_string_equal(rig_run(&r, 9000), "send 7 a|send 7 plain a|send 7 b|send 7 plain b|");
    assert_string_equal(rig_state(&r, 1), "sent");
    assert_string_equal(rig_state(&r, 2), "failed");
    rig_end(&r);
}

TEST(a_crash_while_sending_leaves_doubt_about_that_part_only)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_post(&r, chat, "a~b~c");
    rig_run(&r, 29);
    r.fake.holds = true;
    assert_string_equal(rig_run(&r, 1000), "send 7 b|");
    rig_restart(&r);
    r.fake.holds = false;
    assert_string_equal(rig_run(&r, 60000), "send 7 c|send 7 " NOTICE "|");
    assert_string_equal(rig_state(&r, 1), "sent");
    assert_string_equal(rig_state(&r, 2), "doubtful");
    assert_string_equal(rig_state(&r, 3), "sent");
    rig_end(&r);
}

TEST(a_chat_that_has_blocked_us_gets_its_messages_when_it_is_back)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_BLOCKED});
    rig_post(&r, chat, "a");
    rig_post(&r, chat, "b");
    assert_string_equal(rig_run(&r, MS_PER_H), "send 7 a|");
    assert_int_equal(rig_int(r.db, "SELECT paused_at IS NOT NULL FROM channel_chat"), 1);
    assert_ok(store_channel_chat_pause(r.db, "telegram", "7", 0, NULL));
    r.d.stale = true;
    assert_string_equal(rig_run(&r, 5000), "send 7 a|send 7 b|");
    rig_end(&r);
}

static const struct channel_result refused = {.outcome = OUTCOME_BAD_TOKEN, .detail = "401 Unauthorized"};
static const struct channel_result accepted = {.outcome = OUTCOME_DONE};

/* The problem of the channel; an empty one: there is none. */
static struct channel_problem problem_of(struct rig *r, struct arena *a)
{
    struct channel_problem *list;
    size_t n;
    assert_ok(store_channel_problems(r->db, a, &list, &n, NULL));
    assert_true(n <= 1);
    return n ? list[0] : (struct channel_problem){.error = ""};
}

TEST(a_refused_token_stops_everything_until_it_is_accepted)
{
    struct rig r;
    AUTO(arena) a = arena_new();
    rig_begin(&r);
    for (int i = 0; i < 3; i++)
        rig_plan(&r, NULL, refused);
    rig_plan(&r, NULL, accepted);
    rig_post(&r, rig_chat(&r, "7", false), "a");
    rig_post(&r, rig_chat(&r, "8", false), "b");
    assert_string_equal(rig_run(&r, MS_PER_MIN - 1), "send 7 a|");
    assert_string_equal(problem_of(&r, a).error, "401 Unauthorized");
    assert_string_equal(problem_of(&r, a).task, CHANNEL_SENDS);
    assert_int_equal(problem_of(&r, a).at, NOW);
    assert_int_equal(problem_of(&r, a).next_at, NOW + MS_PER_MIN);
    assert_string_equal(rig_run(&r, 2 * MS_PER_MIN), "check |");
    assert_int_equal(problem_of(&r, a).at, NOW);
    assert_int_equal(problem_of(&r, a).next_at, NOW + 3 * MS_PER_MIN);
    assert_string_equal(rig_run(&r, 4 * MS_PER_MIN), "check |");
    assert_string_equal(rig_run(&r, 5000), "check |send 7 a|send 8 b|");
    assert_string_equal(problem_of(&r, a).error, "");
    assert_int_equal(r.d.channels[0].asking.next_ms, 0);
    rig_end(&r);
}

TEST(the_waits_of_a_refused_token_grow_up_to_an_hour)
{
    struct rig r;
    AUTO(arena) a = arena_new();
    rig_begin(&r);
    rig_plan(&r, NULL, refused);
    rig_post(&r, rig_chat(&r, "7", false), "a");
    assert_string_equal(rig_run(&r, 0), "send 7 a|");
    r.fake.fails = true; /* no connection says nothing about the token */
    assert_string_equal(rig_run(&r, 63 * MS_PER_MIN), "check |check |check |check |check |check |");
    assert_string_equal(rig_run(&r, 3 * MS_PER_H), "check |check |check |");
    assert_int_equal(problem_of(&r, a).at, NOW);
    r.fake.fails = false;
    assert_string_equal(rig_run(&r, MS_PER_H), "check |send 7 a|");
    rig_end(&r);
}

TEST(a_token_that_is_accepted_and_refused_in_turn_is_asked_about_less_often)
{
    struct rig r;
    rig_begin(&r);
    rig_plan(&r, NULL, refused);
    rig_plan(&r, NULL, accepted);
    rig_plan(&r, NULL, refused);
    rig_post(&r, rig_chat(&r, "7", false), "a");
    assert_string_equal(rig_run(&r, MS_PER_MIN + 5000), "send 7 a|check |send 7 a|");
    assert_string_equal(rig_run(&r, MS_PER_MIN), "");
    assert_string_equal(rig_run(&r, MS_PER_MIN), "check |send 7 a|");
    rig_end(&r);
}

TEST(an_admin_can_try_a_refused_token_at_once)
{
    struct rig r;
    rig_begin(&r);
    rig_plan(&r, NULL, refused);
    rig_post(&r, rig_chat(&r, "7", false), "a");
    assert_string_equal(rig_run(&r, 5000), "send 7 a|");
    assert_ok(store_channel_problems_clear(r.db, NULL));
    r.d.stale = true;
    assert_string_equal(rig_run(&r, 5000), "send 7 a|");
    rig_end(&r);
}

TEST(a_chat_that_moved_gets_its_messages_at_the_new_place)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "-7", true);
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_MOVED, .moved_to = "-1007"});
    rig_post(&r, chat, "a");
    rig_post(&r, chat, "b");
    assert_string_equal(rig_run(&r, 9000), "send -7 a|send -1007 a|send -1007 b|");
    rig_end(&r);
}

TEST(a_chat_that_moved_to_one_that_is_known_has_its_messages_there)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "-7", true);
    rig_chat(&r, "-1007", true);
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_MOVED, .moved_to = "-1007"});
    rig_post(&r, chat, "a");
    assert_string_equal(rig_run(&r, 9000), "send -7 a|send -1007 a|");
    rig_end(&r);
}

TEST(a_message_to_a_thread_that_is_gone_goes_to_the_chat)
{
    struct rig r;
    int64_t id;
    rig_begin(&r);
    struct channel_chat c = {
        .channel = "telegram", .chat = "-7", .thread = "5", .grouped = true, .owner = 1, .sender = "7"};
    assert_ok(store_channel_chat_add(r.db, &c, NOW, &id, NULL));
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_THREAD_GONE});
    rig_post(&r, id, "a");
    assert_string_equal(rig_run(&r, 9000), "send -7/5 a|send -7 a|");
    rig_end(&r);
}

TEST(a_refused_message_fails_and_the_next_one_goes)
{
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_plan(&r, NULL, (struct channel_result){.outcome = OUTCOME_REFUSED, .detail = "Bad Request"});
    rig_post(&r, chat, "a");
    rig_post(&r, chat, "b");
    assert_string_equal(rig_run(&r, 9000), "send 7 a|send 7 b|");
    assert_string_equal(rig_state(&r, 1), "failed");
    assert_ok(store_outbox_drop(r.db, 1, NULL));
    assert_string_equal(rig_state(&r, 1), "none");
    rig_end(&r);
}

TEST(a_button_works_once_and_not_for_ever)
{
    struct rig r;
    struct button_row b;
    struct command_button buttons[] = {{"Keep", "/decide 1 keep"}};
    AUTO(arena) a = arena_new();
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    struct outbox_post p = {
        .chat_id = chat, .markdown = STR("a~b"), .buttons = buttons, .buttons_n = 1, .for_sender = "7"};
    assert_ok(outbox_post(r.db, &p, fake_wall, NULL));
    assert_string_equal(rig_run(&r, 9000), "send 7 a|send 7 b [Keep]|");
    const char *token = arena_strdup(a, "");
    struct rows q;
    enum rc rc = db_query(r.db, &q, "SELECT token FROM channel_button", NO_ARGS, NULL);
    if (rc == RC_OK && rows_next(&q))
        token = arena_strdup(a, rows_text(&q, 0));
    assert_ok(rows_done(&q, rc, NULL));
    assert_ok(store_button_get(r.db, a, token, &b, NULL));
    assert_string_equal(b.line, "/decide 1 keep");
    assert_string_equal(b.sender, "7");
    assert_rc(store_button_use(r.db, token, b.expires_at, NULL), RC_NOT_FOUND);
    assert_ok(store_button_use(r.db, token, fake_wall, NULL));
    assert_rc(store_button_use(r.db, token, fake_wall, NULL), RC_NOT_FOUND);
    rig_end(&r);
}

static void on_idle(void *arg)
{
    *(bool *)arg = true;
}

TEST(a_stop_waits_for_the_action_that_runs)
{
    bool idle = false;
    struct rig r;
    rig_begin(&r);
    int64_t chat = rig_chat(&r, "7", false);
    rig_post(&r, chat, "a");
    rig_post(&r, chat, "b");
    r.fake.holds = true;
    rig_run(&r, 0);
    delivery_stop(&r.d, on_idle, &idle);
    rig_run(&r, DELIVERY_STOP_MS - 1);
    assert_false(idle);
    struct channel_result done = {.outcome = OUTCOME_DONE, .message = "m1"};
    r.fake.done(r.fake.arg, &done);
    assert_string_equal(rig_run(&r, 9000), "");
    assert_true(idle);
    assert_string_equal(rig_state(&r, 1), "sent");
    assert_string_equal(rig_state(&r, 2), "ready");
    rig_end(&r);
}

TEST(a_stop_does_not_wait_for_a_server_that_hangs)
{
    bool idle = false;
    struct rig r;
    rig_begin(&r);
    rig_post(&r, rig_chat(&r, "7", false), "a");
    r.fake.holds = true;
    rig_run(&r, 0);
    delivery_stop(&r.d, on_idle, &idle);
    rig_run(&r, DELIVERY_STOP_MS);
    assert_true(idle);
    rig_restart(&r);
    assert_string_equal(rig_state(&r, 1), "doubtful");
    rig_end(&r);
}
