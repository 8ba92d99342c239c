#include "app/store_rig.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/account/channel_identity.h"
#include "app/command/command.h"
#include "app/jobs/helper_notify.h"
#include "app/turn/turn_order.h"
#include "base/fs.h"
#include "codec/calendar/recurrence.h"
#include "store/memory/compaction.h"
#include "store/message/turn.h"
#include "store/task.h"

#define NOW INT64_C(1795182361000)

static struct store *store;
static struct config *config;
static struct providers *providers;
static struct arena *arena;
static int64_t anna;
static char session[ID_SIZE];
static int64_t session_id, asked, reply;
static struct command_reply out;

static enum rc add(
    struct db *db, int64_t parent, enum message_role role, const char *text, int64_t *id, struct err *e)
{
    return rig_add_message(db, anna, session_id, parent, role, text, NOW, id, e);
}

static enum rc talk_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    id_new(ID_SESSION, session);
    enum rc rc = store_user_add(db, "anna", USER_MEMBER, "", NOW, &anna, e);
    if (rc == RC_OK)
        rc = store_session_add(db, anna, session, NULL, NULL, NOW, &session_id, e);
    if (rc == RC_OK)
        rc = store_session_rename(db, anna, session, "About walruses", e);
    if (rc == RC_OK)
        rc = add(db, 0, ROLE_USER, "a *question* about walruses", &asked, e);
    return rc == RC_OK ? add(db, asked, ROLE_ASSISTANT, "they whistle", &reply, e) : rc;
}

static void finish(struct store **s)
{
    store_free(*s);
    providers_free(providers);
    config_free(config);
    arena_free(arena);
}

static struct store *start(void)
{
    static int n;
    static char dir[FS_PATH_MAX], path[FS_PATH_MAX];
    snprintf(dir, sizeof dir, "%s/%d", unit_tmp(), n++);
    assert_int_equal(fs_mkdirs(dir, NULL), RC_OK);
    assert_int_equal(fs_join(path, dir, "alfred.db", NULL), RC_OK);
    assert_int_equal(config_parse("test", dir,
                         STR("[server]\ndata_dir = \".\"\n[models]\ndiscover = \"no\"\n"), &config, NULL),
        RC_OK);
    assert_int_equal(providers_new(config, &providers, NULL), RC_OK);
    arena = arena_new();
    assert_int_equal(store_open(unit_migrated(path), 1, &store, NULL), RC_OK);
    assert_int_equal(store_write(store, talk_tx, NULL, NULL), RC_OK);
    return store;
}
#define STARTED __attribute__((cleanup(finish), unused)) struct store *s = start()

static enum rc run_as(const char *line, const char *in, const char *channel, struct err *e)
{
    const struct command_context x = {.store = store,
        .config = config,
        .providers = providers,
        .owner = anna,
        .session = in,
        .channel = channel,
        .lang = lang_english(),
        .zone_name = "",
        .now = NOW + MS_PER_H,
        .a = arena};
    return command_run(&x, str_of(line), &out, e);
}

static enum rc run(const char *line)
{
    return run_as(line, session, "web", NULL);
}

static bool says(const char *part)
{
    return out.markdown.s && strstr(out.markdown.s, part);
}

static int64_t count(const char *sql)
{
    int64_t n = -1;
    struct db *db = store_read(store);
    assert_int_equal(db_one_int(db, sql, NO_ARGS, &n, NULL), RC_OK);
    store_read_done(store, db);
    return n;
}

/* ---- lines ---- */

TEST(only_a_word_after_a_slash_at_the_start_is_a_command)
{
    assert_true(command_is(STR("/help")));
    assert_true(command_is(STR("/Help me")));
    assert_true(command_is(STR("/help\nme")));
    assert_true(command_is(STR("/nonsense")));
    assert_false(command_is(STR("/etc/passwd is a file")));
    assert_false(command_is(STR("//help")));
    assert_false(command_is(STR(" /help")));
    assert_true(command_is(STR("/")));
    assert_true(command_is(STR("/ \n")));
    assert_false(command_is(STR(" /")));
    assert_false(command_is(STR("")));
    assert_false(command_is(STR("/ help")));
    assert_false(command_is(STR("/5 of them")));
    assert_false(command_is(STR("/help!")));
    assert_false(command_is(STR("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")));
}

TEST(an_unknown_command_suggests_the_nearest)
{
    STARTED;
    assert_int_equal(run("/sesions"), RC_OK);
    assert_true(says("`/sesions`"));
    assert_true(says("`/sessions`"));
    assert_true(says("`/session`"));
    assert_int_equal(run("/mem"), RC_OK);
    assert_true(says("`/memories`"));
    assert_int_equal(run("/xyzzyxyzzy"), RC_OK);
    assert_true(says("`/xyzzyxyzzy`"));
    assert_false(says("Similar"));
}

TEST(help_lists_every_command_but_the_hidden_ones)
{
    STARTED;
    size_t n;
    const struct command *rows = command_table(&n);
    assert_int_equal(run("/help"), RC_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(says(arena_printf(arena, "`/%s`", rows[i].name)) ||
                             says(arena_printf(arena, "`/%s ", rows[i].name)),
            rows[i].help != NULL);
    assert_int_equal(run("/help clear"), RC_OK);
    assert_true(says("Empties the context"));
    assert_false(says("/new"));
    assert_int_equal(run("/help nothing"), RC_NOT_FOUND);
}

/* ---- sessions ---- */

TEST(new_leaves_the_session_and_with_a_title_makes_one)
{
    STARTED;
    assert_int_equal(run("/new"), RC_OK);
    assert_true(out.no_session);
    assert_null(out.session);
    assert_int_equal(run("/new Seals & *co*"), RC_OK);
    assert_non_null(out.session);
    assert_string_not_equal(out.session, session);
    assert_int_equal(count("SELECT count(*) FROM session WHERE title = 'Seals & *co*'"), 1);
    assert_true(says("\\*co\\*"));
}

TEST(resume_takes_an_id_its_first_letters_or_words)
{
    STARTED;
    char begin[12];
    assert_int_equal(run_as(arena_printf(arena, "/resume %s", session), NULL, "telegram", NULL), RC_OK);
    assert_string_equal(out.session, session);
    snprintf(begin, sizeof begin, "%.11s", session);
    assert_int_equal(run_as(arena_printf(arena, "/resume %s", begin), NULL, "telegram", NULL), RC_OK);
    assert_string_equal(out.session, session);
    assert_int_equal(run_as("/resume walruses", NULL, "telegram", NULL), RC_OK);
    assert_string_equal(out.session, session);
    assert_int_equal(run_as("/resume elephants", NULL, "telegram", NULL), RC_NOT_FOUND);
    assert_null(out.session);
}

TEST(resume_with_several_matches_asks_which)
{
    STARTED;
    assert_int_equal(run("/new More about walruses"), RC_OK);
    assert_int_equal(run("/resume walruses"), RC_OK);
    assert_null(out.session);
    assert_int_equal(out.buttons_n, 2);
    assert_int_equal(run("/resume about walruses"), RC_OK); /* one has exactly this title */
    assert_string_equal(out.session, session);
}

TEST(sessions_come_in_pages)
{
    STARTED;
    for (int i = 0; i < 9; i++)
        assert_int_equal(run(arena_printf(arena, "/new Number %d", i)), RC_OK);
    assert_int_equal(run("/sessions"), RC_OK);
    assert_int_equal(out.buttons_n, 9);
    assert_string_equal(out.buttons[8].line, "/sessions 2");
    assert_int_equal(run(out.buttons[8].line), RC_OK);
    assert_int_equal(out.buttons_n, 2);
    assert_true(says("walruses"));
    assert_int_equal(run("/sessions walruses"), RC_OK);
    assert_int_equal(out.buttons_n, 1);
    assert_int_equal(run("/sessions tigers"), RC_OK);
    assert_true(says("tigers"));
    assert_int_equal(out.buttons_n, 0);
}

TEST(a_session_tells_its_facts_and_takes_a_name)
{
    STARTED;
    struct err e = ERR_INIT;
    assert_int_equal(run("/session"), RC_OK);
    assert_true(says(session));
    assert_true(says("Messages: 2"));
    assert_int_equal(run("/rename Whistling"), RC_OK);
    assert_int_equal(count("SELECT count(*) FROM session WHERE title = 'Whistling'"), 1);
    assert_int_equal(run_as("/rename", session, "web", &e), RC_BAD_INPUT);
    assert_true(e.for_user);
    assert_int_equal(run_as("/session", NULL, "web", NULL), RC_CONFLICT);
    assert_int_equal(run_as("/session", "ses_00000000000000000000000000", "web", NULL), RC_NOT_FOUND);
}

TEST(a_model_or_workspace_without_a_session_makes_one)
{
    STARTED;
    assert_int_equal(run_as("/workspace", NULL, "telegram", NULL), RC_OK);
    assert_true(says("No session is open") && !says("in no workspace"));
    assert_int_equal(run_as("/workspace Garden", NULL, "telegram", NULL), RC_OK);
    assert_non_null(out.session);
    assert_int_equal(count("SELECT count(*) FROM session WHERE workspace = 'Garden'"), 1);
    assert_int_equal(run("/workspace Garden"), RC_OK);
    assert_int_equal(run("/workspace -"), RC_OK);
    assert_int_equal(count("SELECT count(*) FROM session WHERE workspace = 'Garden'"), 1);
    assert_int_equal(run("/model"), RC_OK);
    assert_true(out.buttons_n >= 1);
    assert_int_equal(run(out.buttons[0].line), RC_OK);
    assert_int_equal(run("/model no-such-model"), RC_NOT_FOUND);
}

TEST(an_export_is_a_file)
{
    STARTED;
    assert_int_equal(run("/export"), RC_OK);
    assert_string_equal(out.file_name, "About walruses.md");
    assert_non_null(strstr(out.file.s, "they whistle"));
    assert_int_equal(run("/export json"), RC_OK);
    assert_int_equal(out.file.s[0], '{');
    assert_int_equal(run("/export html"), RC_BAD_INPUT);
}

/* ---- context and answers ---- */

TEST(clear_empties_the_context_once)
{
    STARTED;
    assert_int_equal(run("/clear"), RC_OK);
    assert_int_equal(
        count("SELECT last_id FROM compaction WHERE text = '' AND transcript = '' AND messages = 2"), reply);
    assert_int_equal(count("SELECT count(*) FROM message"), 2);
    assert_int_equal(run("/clear"), RC_CONFLICT);
}

TEST(undo_moves_the_last_exchange_to_the_trash_and_back)
{
    STARTED;
    assert_int_equal(run("/undo"), RC_OK);
    assert_true(says("walruses"));
    assert_int_equal(out.buttons_n, 1);
    assert_int_equal(
        count("SELECT message_count FROM session WHERE title = 'About walruses' AND owner > 0"), 0);
    assert_int_equal(run(out.buttons[0].line), RC_OK);
    assert_int_equal(
        count("SELECT message_count FROM session WHERE title = 'About walruses' AND owner > 0"), 2);
    assert_int_equal(run("/undo"), RC_OK);
    assert_int_equal(run("/undo"), RC_CONFLICT);
}

TEST(retry_orders_another_answer_to_the_last_question)
{
    STARTED;
    assert_int_equal(run("/retry"), RC_OK);
    assert_non_null(out.order);
    assert_int_equal(out.order->kind, ORDER_REGENERATE);
    assert_int_equal(out.order->message_id, reply);
    assert_string_equal(out.order->session, session);
    assert_true(strlen(out.order->client_id) <= MESSAGE_CLIENT_ID_MAX);
}

static enum rc turn_tx(struct db *db, void *arg, struct err *e)
{
    char turn[ID_SIZE];
    int64_t id;
    (void)arg;
    id_new(ID_TURN, turn);
    enum rc rc = store_turn_add(db,
        &(struct turn_row){.pub = turn,
            .owner = anna,
            .session_id = session_id,
            .asked_id = asked,
            .reply_id = reply,
            .runner = "stream",
            .started_at = NOW},
        &id, e);
    return rc == RC_OK ? store_turn_order_add(db,
                             &(struct turn_order){.owner = anna,
                                 .session = session,
                                 .text = STR("later"),
                                 .client_id = "x:1",
                                 .channel = "telegram",
                                 .purpose = ORDER_CHANNEL,
                                 .created_at = NOW},
                             e)
                       : rc;
}

TEST(during_a_turn_each_command_does_what_its_row_says)
{
    STARTED;
    size_t n;
    const struct command *rows = command_table(&n);
    assert_int_equal(store_write(store, turn_tx, NULL, NULL), RC_OK);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].turn == COMMAND_REFUSED)
            assert_int_equal(run(arena_printf(arena, "/%s", rows[i].name)), RC_CONFLICT);
    }
    assert_int_equal(run("/session"), RC_OK);
    assert_int_equal(run("/rename Beside"), RC_OK);
    assert_int_equal(count("SELECT count(*) FROM turn_order"), 1);
    assert_int_equal(run("/stop"), RC_OK);
    assert_true(says("Stopped"));
    assert_true(says("1 waiting message"));
    assert_int_equal(count("SELECT count(*) FROM turn_order"), 0);
}

TEST(stop_without_a_turn_says_so)
{
    STARTED;
    assert_int_equal(run("/stop"), RC_OK);
    assert_true(says("No answer is being written"));
}

/* ---- memory and tasks ---- */

TEST(facts_are_stored_listed_forgotten_and_restored)
{
    STARTED;
    assert_int_equal(run("/remember I keep *two* walruses"), RC_OK);
    assert_int_equal(run("/memories"), RC_OK);
    assert_true(says("\\*two\\*"));
    assert_int_equal(out.buttons_n, 1);
    assert_int_equal(run("/remember My sister is called Berta"), RC_OK);
    assert_int_equal(run("/forget Berta"), RC_OK);
    const char *undo = out.buttons[0].line;
    assert_int_equal(run("/forget Berta"), RC_NOT_FOUND);
    assert_int_equal(run(undo), RC_OK);
    assert_int_equal(run("/memories Berta"), RC_OK);
    assert_true(says("Berta"));
    assert_false(says("two"));
    assert_int_equal(run("/forget 4711"), RC_NOT_FOUND);
}

static enum rc task_tx(struct db *db, void *arg, struct err *e)
{
    struct task t = {.text = STR("Feed the walrus"), .due = "1999-12-31", .created_at = NOW};
    (void)arg;
    return store_task_add(db, anna, &t, e);
}

TEST(tasks_are_done_and_opened_by_buttons)
{
    STARTED;
    assert_int_equal(run("/tasks"), RC_OK);
    assert_int_equal(out.buttons_n, 0);
    assert_true(says("Your to-do list has no open tasks."));
    assert_int_equal(run("/tasks walrus"), RC_OK);
    assert_true(says("There are no such tasks."));
    assert_int_equal(store_write(store, task_tx, NULL, NULL), RC_OK);
    assert_int_equal(run("/tasks walrus"), RC_OK);
    assert_true(says("Friday, 31 December 1999"));
    assert_int_equal(out.buttons_n, 1);
    assert_int_equal(run(out.buttons[0].line), RC_OK);
    assert_int_equal(count("SELECT count(*) FROM task WHERE done_at IS NOT NULL"), 1);
    assert_int_equal(run(out.buttons[0].line), RC_OK);
    assert_int_equal(count("SELECT count(*) FROM task WHERE done_at IS NOT NULL"), 0);
    assert_int_equal(run("/task 99 done"), RC_NOT_FOUND);
    assert_int_equal(run("/task x done"), RC_BAD_INPUT);
    assert_int_equal(run("/task"), RC_BAD_INPUT);
}

TEST(a_task_that_is_done_or_opened_wakes_the_helper_which_waits_for_its_time)
{
    STARTED;
    AUTO_FD told = -1;
    char datagram[8];
    assert_int_equal(store_write(store, task_tx, NULL, NULL), RC_OK);
    assert_int_equal(helper_listen(config->server.data_dir, &told, NULL), RC_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(i ? "/task 4294967297 open" : "/task 4294967297 done"), RC_OK);
        assert_true(read(told, datagram, sizeof datagram) > 0);
    }
}

TEST(a_button_that_is_not_valid_any_more_has_a_sentence)
{
    STARTED;
    struct err e = ERR_INIT;
    static const char *const lines[] = {"/decide", "/decide x keep", "/decide 5", "/decide 5 keep",
        "/restore", "/restore nothing", "/unforget", "/unforget 77", "/forget 9999999999999999999999"};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        e = err_none();
        assert_int_not_equal(run_as(lines[i], session, "telegram", &e), RC_OK);
        if (!e.for_user)
            fail_msg("%s: %s", lines[i], e.text);
    }
}

TEST(link_gives_a_code_and_in_a_channel_tells_that_it_is_linked)
{
    STARTED;
    assert_int_equal(run("/link"), RC_OK);
    assert_true(says("`/link "));
    assert_int_equal(count("SELECT count(*) FROM link_code"), 1);
    assert_int_equal(run_as("/link", session, "telegram", NULL), RC_OK);
    assert_true(says("is linked to the account"));
    assert_int_equal(run_as("/link ABCD1234", session, "telegram", NULL), RC_OK);
    assert_true(says("already linked to the account") && says("unlink this chat"));
    assert_int_equal(count("SELECT count(*) FROM link_code"), 1);
    assert_int_equal(run("/usage"), RC_OK);
    assert_int_equal(run("/search walruses"), RC_OK);
    assert_true(says("whistle") || says("question"));
}

TEST(a_reminder_is_set_by_words_and_ended_by_its_button)
{
    STARTED;
    assert_int_equal(run("/remind"), RC_OK);
    assert_int_equal(run("/remind tomorrow at 17:00"), RC_BAD_INPUT);
    assert_int_equal(run("/remind feed the walrus"), RC_BAD_INPUT);
    assert_int_equal(run("/remind feed the walrus tomorrow at 17:00"), RC_OK);
    assert_true(says("feed the walrus"));
    assert_true(says("17:00"));
    const char *cancel = out.buttons[0].line;
    assert_int_equal(count("SELECT count(*) FROM reminder WHERE start LIKE '%T17:00'"), 1);
    assert_int_equal(run("/remind"), RC_OK);
    assert_true(says("walrus"));
    assert_int_equal(run(arena_printf(arena, "%.*sweird", 10, cancel)), RC_BAD_INPUT);
    assert_int_equal(run(cancel), RC_OK);
    assert_int_equal(run("/remind"), RC_OK);
    assert_false(says("walrus"));
    assert_int_equal(run("/remind me tomorrow at 17:00 to feed the seal"), RC_OK);
    assert_int_equal(count("SELECT count(*) FROM reminder WHERE text = 'feed the seal'"), 1);
    assert_int_equal(run("/remind Mich morgen um 17:00 an Milch"), RC_OK);
    assert_int_equal(count("SELECT count(*) FROM reminder WHERE text = 'Milch'"), 1);
    assert_int_equal(run("/reminder 99 done"), RC_NOT_FOUND);
    assert_int_equal(run("/reminder 99 snooze 10m"), RC_NOT_FOUND);
    assert_int_equal(run("/reminder 99 snooze later"), RC_BAD_INPUT);
}

TEST(a_length_of_time_is_exact_when_the_clocks_change)
{
    STARTED;
    const struct command_context x = {.store = store,
        .config = config,
        .providers = providers,
        .owner = anna,
        .channel = "web",
        .lang = lang_english(),
        .zone = time_zone_load(arena, "Europe/Berlin"),
        .zone_name = "Europe/Berlin",
        .now = recurrence_wall("2026-10-25T01:10"), /* the second 02:10 */
        .a = arena};
    assert_int_equal(command_run(&x, STR("/remind feed the walrus in 20 minutes"), &out, NULL), RC_OK);
    assert_int_equal(command_run(&x, STR("/remind feed the seal in 2 hours"), &out, NULL), RC_OK);
    assert_int_equal(
        count("SELECT count(*) FROM reminder WHERE start IN ('2026-10-25T03:00', '2026-10-25T04:10')"), 2);
}
