/* Commands and buttons. */
#include "router_rig.h"

TEST(a_command_is_answered)
{
    start();
    assert_ok(take("7", "", "7", "m1", "c", "/help"));
    assert_non_null(strstr(last_post(), "/help"));
    assert_int_equal(door_int("SELECT count(*) FROM inbox WHERE state = 'done'"), 1);
    assert_int_equal(orders(), 0);
    stop();
}

TEST(a_command_that_changes_something_does_not_run_again_after_a_crash)
{
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "c", "/remember my cat is called Tom");
    struct incoming *in = claim();
    in->row.begun = true;
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_non_null(strstr(last_post(), "/remember"));
    assert_int_equal(door_int("SELECT count(*) FROM memory"), 0);
    stop();
}

#define END_FAILS                                                                                        \
    "CREATE TRIGGER end_fails BEFORE UPDATE ON inbox WHEN new.state = 'done' BEGIN SELECT raise(ABORT, " \
    "'no'); "                                                                                            \
    "END"
#define END_WORKS "DROP TRIGGER end_fails"

TEST(a_command_whose_end_cannot_be_stored_runs_once_and_its_reply_is_stored_later)
{
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "c", "/remind feed Tom in 20 minutes");
    struct incoming *in = claim();
    struct arena *later = arena_new();
    door_exec(END_FAILS);
    assert_int_not_equal(router_run(router, &in, 1, arena, &routed, NULL), RC_OK);
    assert_ptr_equal(in->ran_arena, arena);
    assert_int_not_equal(router_run(router, &in, 1, later, &routed, NULL), RC_OK);
    assert_ptr_equal(in->ran_arena, arena);
    assert_int_equal(door_int("SELECT count(*) FROM outbox"), 0);
    door_exec(END_WORKS);
    assert_ok(router_run(router, &in, 1, later, &routed, NULL));
    assert_int_equal(door_int("SELECT count(*) FROM reminder"), 1);
    assert_int_equal(door_int("SELECT count(*) FROM outbox"), 1);
    assert_non_null(strstr(last_post(), "Tom"));
    assert_int_equal(door_int("SELECT count(*) FROM inbox WHERE state = 'done'"), 1);
    arena_free(later);
    stop();
}

static const char *button(int64_t chat_id, const char *line, const char *sender, int64_t expires_at)
{
    const char *token =
        arena_printf(arena, "t%lld", (long long)door_int("SELECT count(*) FROM channel_button"));
    door_exec(arena_printf(arena,
        "INSERT INTO channel_button (token, chat_id, line, sender, expires_at) VALUES ('%s', %lld, '%s', "
        "'%s', %lld)",
        token, (long long)chat_id, line, sender, (long long)expires_at));
    return token;
}

static void press(const char *chat, const char *sender, const char *token)
{
    door_receive(clock_wall_ms(), chat, "", sender, "", "", "x");
    struct incoming *in = claim();
    in->u.kind = UPDATE_PRESSED;
    in->u.press = "p1";
    in->u.data = token;
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_true(routed.acts);
    assert_int_equal(routed.action.kind, ACTION_ANSWER);
}

TEST(a_button_runs_its_line_once_for_the_right_person)
{
    start();
    int64_t later = clock_wall_ms() + MS_PER_H;
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    int64_t before = door_int("SELECT count(*) FROM outbox");
    const char *token = button(1, "/help", "", later);
    press("7", "8", token); /* another person */
    press("9", "7", token); /* another chat */
    press("7", "7", "forged");
    press("7", "7", button(1, "/help", "", 1)); /* expired */
    press("7", "7", button(1, "/help", "8", later));
    assert_int_equal(door_int("SELECT count(*) FROM outbox"), before);
    press("7", "7", token);
    assert_int_equal(door_int("SELECT count(*) FROM outbox"), before + 1);
    press("7", "7", token);
    assert_int_equal(door_int("SELECT count(*) FROM outbox"), before + 1);
    assert_int_equal(routed.action.plain.len, 0);
    stop();
}

TEST(a_button_whose_end_cannot_be_stored_runs_its_line_once)
{
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    const char *token = button(1, "/remind feed Tom in 20 minutes", "", clock_wall_ms() + MS_PER_H);
    door_receive(clock_wall_ms(), "7", "", "7", "", "", "x");
    struct incoming *in = claim();
    struct arena *later = arena_new();
    in->u.kind = UPDATE_PRESSED;
    in->u.press = "p1";
    in->u.data = token;
    door_exec(END_FAILS);
    assert_int_not_equal(router_run(router, &in, 1, arena, &routed, NULL), RC_OK);
    assert_false(routed.acts);
    door_exec(END_WORKS);
    assert_ok(router_run(router, &in, 1, later, &routed, NULL));
    assert_true(routed.acts);
    assert_int_equal(door_int("SELECT count(*) FROM reminder"), 1);
    assert_int_equal(door_int("SELECT count(*) FROM channel_button WHERE used_at IS NOT NULL"), 1);
    assert_non_null(strstr(last_post(), "Tom"));
    arena_free(later);
    stop();
}

TEST(in_a_group_the_account_that_gave_the_command_presses_its_buttons)
{
    start();
    door_exec("INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) "
              "SELECT 'test', '17', 'Anna''s other phone', user_id, 1, 1 FROM channel_identity "
              "WHERE external_id = '7'");
    assert_ok(take("-5", "", "7", "m1", "ga", "hello")); /* the first account that wrote here */
    assert_ok(take("-5", "", "17", "m2", "gac", "/sessions"));
    assert_string_equal(door_text("SELECT DISTINCT sender FROM channel_button"), "17");
    stop();
}
