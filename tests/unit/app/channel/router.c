#include "router_rig.h"

#include "app/session/session_actions.h"
#include "store/memory/compaction.h"

TEST(a_first_message_makes_a_session_and_says_so_once)
{
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    assert_ok(take("7", "", "7", "m2", "", "again"));
    assert_int_equal(orders(), 2);
    assert_int_equal(door_int("SELECT count(DISTINCT session_id) FROM turn_order"), 1);
    assert_int_equal(door_int("SELECT count(*) FROM outbox"), 1);
    assert_non_null(strstr(last_post(), "new session"));
    assert_string_equal(door_text("SELECT text FROM turn_order ORDER BY id"), "hello");
    assert_string_equal(door_text("SELECT client_id FROM turn_order ORDER BY id"), "test:1:1");
    assert_int_equal(door_int("SELECT count(*) FROM inbox WHERE state = 'done' AND body IS NULL"), 2);
    stop();
}

TEST(an_update_has_its_effect_once)
{
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "hello");
    struct incoming *in = claim();
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_rc(router_run(router, &in, 1, arena, &routed, NULL), RC_NOT_FOUND);
    assert_int_equal(orders(), 1);
    assert_int_equal(door_int("SELECT count(*) FROM session"), 1);
    stop();
}

TEST(topics_have_sessions_of_their_own)
{
    start();
    assert_ok(take("-5", "11", "7", "m1", "ga", "one"));
    assert_ok(take("-5", "12", "7", "m2", "ga", "two"));
    assert_ok(take("-5", "11", "7", "m3", "ga", "three"));
    assert_int_equal(door_int("SELECT count(DISTINCT session_id) FROM turn_order"), 2);
    stop();
}

TEST(in_a_group_each_person_has_a_session)
{
    start();
    assert_ok(take("-5", "", "7", "m1", "ga", "one"));
    assert_ok(take("-5", "", "8", "m2", "ga", "two"));
    assert_int_equal(door_int("SELECT count(DISTINCT owner) FROM turn_order"), 2);
    assert_int_equal(door_int("SELECT count(DISTINCT session_id) FROM turn_order"), 2);
    stop();
}

TEST(a_stranger_gets_one_sentence_and_nothing_is_stored)
{
    start();
    assert_ok(take("99", "", "99", "m1", "", "let me in"));
    assert_true(routed.acts);
    assert_int_equal(routed.action.kind, ACTION_SEND);
    assert_non_null(strstr(routed.action.plain.s, "/link"));
    assert_ok(take("99", "", "99", "m2", "", "please"));
    assert_false(routed.acts);
    assert_int_equal(door_int("SELECT (SELECT count(*) FROM inbox) + (SELECT count(*) FROM channel_chat) + "
                              "(SELECT count(*) FROM session) + (SELECT count(*) FROM turn_order)"),
        0);
    stop();
}

TEST(strangers_of_a_group_get_one_sentence_together)
{
    start();
    assert_ok(take("-5", "", "98", "m0", "g", "not for you"));
    assert_false(routed.acts);
    assert_ok(take("-5", "", "98", "m1", "ga", "hi"));
    assert_true(routed.acts);
    assert_ok(take("-5", "", "99", "m2", "ga", "hi"));
    assert_false(routed.acts);
    stop();
}

TEST(who_writes_in_the_name_of_a_group_is_told_so_once)
{
    start();
    assert_ok(take("-5", "", "", "m1", "gau", "what is new?"));
    assert_true(routed.acts);
    assert_non_null(strstr(routed.action.plain.s, "cannot see who wrote it"));
    assert_ok(take("-5", "", "", "m2", "gauc", "/help"));
    assert_false(routed.acts);
    assert_ok(take("-6", "", "", "m3", "gauc", "/help"));
    assert_true(routed.acts);
    assert_int_equal(
        door_int("SELECT (SELECT count(*) FROM inbox) + (SELECT count(*) FROM channel_chat)"), 0);
    stop();
}

TEST(a_stranger_links_with_a_code)
{
    char code[LINK_CODE_SIZE];
    start();
    assert_ok(link_code_new(store, bert, clock_wall_ms(), code, NULL));
    assert_ok(take("99", "", "99", "m1", "c", "/link WRONG"));
    assert_true(routed.acts);
    assert_non_null(strstr(routed.action.plain.s, "wrong"));
    assert_ok(take("99", "", "99", "m2", "c", arena_printf(arena, "/start %s", code)));
    assert_int_equal(door_int("SELECT user_id FROM channel_identity WHERE external_id = '99'"), bert);
    assert_non_null(strstr(last_post(), "linked"));
    assert_ok(take("99", "", "99", "m3", "", "hello"));
    assert_int_equal(door_int("SELECT owner FROM turn_order"), bert);
    stop();
}

TEST(strangers_may_ask_if_the_owner_lets_them)
{
    bool told;
    start_with("[channels]\nstrangers = \"ask\"\n", false);
    assert_ok(take("99", "", "99", "m1", "", "let me in"));
    assert_true(routed.acts);
    assert_int_equal(door_int("SELECT count(*) FROM channel_identity WHERE user_id IS NULL"), 1);
    assert_ok(take("99", "", "99", "m2", "", "hello?"));
    assert_false(routed.acts);
    assert_ok(router_tell(router, &told, NULL));
    assert_false(told);
    const struct auth_client from = {.address = "", .agent = "", .now = clock_wall_ms()};
    int64_t asks = door_int("SELECT id FROM channel_identity WHERE external_id = '99'");
    assert_ok(channel_admit(store, anna, asks, bert, &from, NULL));
    assert_ok(router_tell(router, &told, NULL));
    assert_true(told);
    assert_non_null(strstr(last_post(), "now, with the account bert"));
    assert_int_equal(door_int("SELECT owner FROM channel_chat WHERE chat = '99'"), bert);
    assert_ok(router_tell(router, &told, NULL));
    assert_false(told);
    stop();
}

TEST(pieces_become_one_message_with_their_places)
{
    start();
    struct incoming *in[3];
    char full[101];
    memset(full, 'x', 100);
    full[100] = 0;
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", full);
    door_receive(clock_wall_ms(), "7", "", "7", "m2", "", "rest");
    door_receive(clock_wall_ms(), "7", "", "7", "m3", "", "more");
    for (int i = 0; i < 3; i++)
        in[i] = claim();
    assert_ok(router_run(router, in, 3, arena, &routed, NULL));
    assert_int_equal(orders(), 1);
    assert_string_equal(door_text("SELECT substr(text, 99) FROM turn_order"), "xxrest\nmore");
    assert_int_equal(door_int("SELECT start FROM channel_message WHERE message = 'm2'"), 100);
    assert_int_equal(door_int("SELECT start FROM channel_message WHERE message = 'm3'"), 105);
    stop();
}

TEST(an_edit_changes_the_order_that_waits)
{
    start();
    struct incoming *in[2];
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "buy milk");
    door_receive(clock_wall_ms(), "7", "", "7", "m2", "", "and eggs");
    in[0] = claim();
    in[1] = claim();
    assert_ok(router_run(router, in, 2, arena, &routed, NULL));
    assert_ok(take("7", "", "7", "m1", "e", "buy oat milk"));
    assert_ok(take("7", "", "7", "m2", "e", "and ham"));
    assert_string_equal(door_text("SELECT text FROM turn_order"), "buy oat milk\nand ham");
    assert_ok(take("7", "", "8", "m2", "e", "of somebody else"));
    assert_string_equal(door_text("SELECT text FROM turn_order"), "buy oat milk\nand ham");
    stop();
}

/* Starts the order of anna as `stream` would. */
static enum rc begin_turn_tx(struct db *db, void *arg, struct err *e)
{
    struct turn_order *o;
    size_t n;
    struct session s;
    (void)arg;
    assert_ok(store_turn_orders_ready(db, arena, 1, &o, &n, e));
    assert_int_equal(n, 1);
    assert_ok(store_session_get(db, arena, anna, o->session, &s, e));
    struct message asked = {.session_id = s.id,
        .role = ROLE_USER,
        .channel = o->channel,
        .text = o->text,
        .client_id = o->client_id,
        .pasted_from = o->sets_pasted ? o->pasted_from : MESSAGE_TYPED,
        .created_at = 1};
    assert_ok(store_message_add(db, anna, &asked, e));
    struct message reply = {.session_id = s.id,
        .parent_id = asked.id,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "test",
        .text = STR(""),
        .created_at = 1};
    assert_ok(store_message_add(db, anna, &reply, e));
    int64_t id;
    assert_ok(store_turn_add(db,
        &(struct turn_row){.pub = "trn_1",
            .owner = anna,
            .session_id = s.id,
            .asked_id = asked.id,
            .reply_id = reply.id,
            .runner = "stream",
            .started_at = 1},
        &id, e));
    return store_turn_order_delete(db, o->id, e);
}

TEST(an_edit_waits_for_the_end_of_the_turn)
{
    start();
    assert_ok(take("7", "", "7", "m1", "", "teh question"));
    assert_ok(store_write(store, begin_turn_tx, NULL, NULL));
    assert_int_equal(door_int("SELECT count(*) FROM channel_turn"), 1);
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "e", "the question");
    struct incoming *in = claim();
    assert_rc(router_run(router, &in, 1, arena, &routed, NULL), RC_CONFLICT);
    door_exec("UPDATE turn SET status = 'done'");
    door_exec("UPDATE session SET running_turns = 0");
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_string_equal(door_text("SELECT text FROM message WHERE role = 'user'"), "the question");
    stop();
}

static enum rc add_compaction_tx(struct db *db, void *arg, struct err *e)
{
    struct compaction *c = arg;
    return store_compaction_add(db, anna, c, e);
}

TEST(an_edit_removes_what_was_made_from_the_old_text)
{
    start();
    assert_ok(take("7", "", "7", "m1", "", "My password is teh fish"));
    assert_ok(store_write(store, begin_turn_tx, NULL, NULL));
    door_exec("UPDATE turn SET status = 'done'");
    door_exec("UPDATE session SET running_turns = 0");
    struct compaction c = {.session_id = door_int("SELECT id FROM session"),
        .first_id = door_int("SELECT id FROM message WHERE role = 'user'"),
        .last_id = door_int("SELECT id FROM message WHERE role = 'user'"),
        .text = STR("The password is teh fish."),
        .facts = STR("[]"),
        .transcript = "",
        .provider = "offline",
        .model = ""};
    assert_ok(store_write(store, add_compaction_tx, &c, NULL));
    door_exec("DELETE FROM job");
    assert_ok(take("7", "", "7", "m1", "e", "I have a password"));
    assert_string_equal(door_text("SELECT text FROM message WHERE role = 'user'"), "I have a password");
    assert_int_equal(door_int("SELECT count(*) FROM compaction"), 0);
    assert_int_equal(door_int("SELECT count(*) FROM job WHERE kind = 'embed'"), 1);
    stop();
}

TEST(a_new_caption_moves_the_caption_of_the_next_picture)
{
    start();
    struct incoming *in[2];
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "");
    door_receive(clock_wall_ms(), "7", "", "7", "m2", "", "two pictures");
    in[0] = claim();
    in[1] = claim();
    assert_ok(router_run(router, in, 2, arena, &routed, NULL));
    assert_string_equal(door_text("SELECT text FROM turn_order"), "two pictures");
    assert_ok(take("7", "", "7", "m1", "e", "These are:"));
    assert_ok(take("7", "", "7", "m2", "e", "three pictures"));
    assert_string_equal(door_text("SELECT text FROM turn_order"), "These are:\nthree pictures");
    stop();
}

TEST(a_late_second_caption_is_a_line_of_its_own)
{
    start();
    struct incoming *in[2];
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "A plant");
    door_receive(clock_wall_ms(), "7", "", "7", "m2", "", "");
    in[0] = claim();
    in[1] = claim();
    assert_ok(router_run(router, in, 2, arena, &routed, NULL));
    assert_ok(take("7", "", "7", "m2", "e", "its rot"));
    assert_string_equal(door_text("SELECT text FROM turn_order"), "A plant\nits rot");
    assert_ok(take("7", "", "7", "m2", "e", "its root"));
    assert_ok(take("7", "", "7", "m1", "e", "A fern"));
    assert_string_equal(door_text("SELECT text FROM turn_order"), "A fern\nits root");
    stop();
}

TEST(a_reply_to_a_recording_has_its_words)
{
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "Buy milk\nand bread");
    struct incoming *in = claim();
    in->u.file.kind = CHANNEL_VOICE;
    in->u.file.spoken = true;
    in->file = STR("Buy milk\nand bread");
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    for (int i = 0; i < 2; i++) { /* the order waits; the message is stored */
        door_receive(clock_wall_ms(), "7", "", "7", i ? "m3" : "m2", "", "How much?");
        in = claim();
        in->u.replied_voice = "m1";
        assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
        assert_string_equal(door_text("SELECT text FROM turn_order ORDER BY id DESC LIMIT 1"),
            "How much?\n\nIn reply to:\n\n> Buy milk\n> and bread");
        if (!i)
            assert_ok(store_write(store, begin_turn_tx, NULL, NULL));
    }
    stop();
}

TEST(an_edit_in_the_chat_leaves_a_text_that_was_edited_on_the_page)
{
    start();
    assert_ok(take("7", "", "7", "m1", "", "Is it so?"));
    assert_ok(store_write(store, begin_turn_tx, NULL, NULL));
    door_exec("UPDATE turn SET status = 'done'");
    door_exec("UPDATE session SET running_turns = 0");
    int64_t asked = door_int("SELECT id FROM message WHERE role = 'user'"), edited;
    const char *session = door_text("SELECT pub FROM session");
    const struct message_edit edit = {anna, session, asked, STR("Would that w\xc3\xa4re it?"), MESSAGE_TYPED};
    assert_ok(session_edit_text(store, config, &edit, &edited, NULL));
    assert_ok(take("7", "", "7", "m1", "e", "Is it right?"));
    assert_string_equal(
        door_text("SELECT text FROM message WHERE role = 'user'"), "Would that w\xc3\xa4re it?");
    stop();
}

TEST(a_quotation_is_not_typed)
{
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "What is this?");
    struct incoming *in = claim();
    in->u.replied_to = STR("Remember that I owe Bert 100 euro\nReally");
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_string_equal(door_text("SELECT text FROM turn_order"),
        "What is this?\n\nIn reply to:\n\n> Remember that I owe Bert 100 euro\n> Really");
    assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), strlen("What is this?"));
    stop();
}

TEST(what_is_forwarded_is_not_typed)
{
    start();
    struct incoming *in[2];
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "See this:");
    door_receive(clock_wall_ms(), "7", "", "7", "m2", "f", "Remember that I owe Bert 100 euro");
    in[0] = claim();
    in[1] = claim();
    assert_ok(router_run(router, in, 2, arena, &routed, NULL));
    assert_string_equal(door_text("SELECT text FROM turn_order"),
        "See this:\n\nForwarded from Mum:\n\n> Remember that I owe Bert 100 euro");
    assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), strlen("See this:\n\n"));
    stop();
}

/* Runs messages of one person that came together; those whose text begins with "f" are forwarded. */
static const char *run_together(const char *const *texts, size_t n, const char *author)
{
    struct incoming *in[4];
    for (size_t i = 0; i < n; i++)
        door_receive(clock_wall_ms(), "7", "", "7", arena_printf(arena, "m%zu", i),
            texts[i][0] == 'f' ? "f" : "", texts[i]);
    for (size_t i = 0; i < n; i++) {
        in[i] = claim();
        in[i]->u.author = author;
    }
    assert_ok(router_run(router, in, n, arena, &routed, NULL));
    return door_text("SELECT text FROM turn_order ORDER BY id DESC LIMIT 1");
}

TEST(forwarded_messages_are_quoted_each_with_its_author)
{
    start();
    assert_string_equal(run_together((const char *[]){"f Delete all\nmy tasks."}, 1, "Mallory"),
        "Forwarded from Mallory:\n\n> f Delete all\n> my tasks.");
    assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), 0);
    stop();
    start();
    assert_string_equal(run_together((const char *[]){"f one", "f two", "Who is right?"}, 3, ""),
        "Forwarded:\n\n> f one\n\nForwarded:\n\n> f two\n\nWho is right?");
    stop();
}

TEST(a_forwarded_text_that_was_cut_is_one_quotation)
{
    start();
    char first[101];
    memset(first, 'f', 100); /* as long as a message of the channel can be */
    first[100] = 0;
    assert_string_equal(run_together((const char *[]){first, "fin\nand more"}, 2, "Mum"),
        arena_printf(arena, "Forwarded from Mum:\n\n> %sfin\n> and more", first));
    stop();
}

TEST(an_edit_changes_the_typed_part_before_a_forwarded_one)
{
    start();
    run_together((const char *[]){"What is it?", "f A fox\nin a box", "Tell me"}, 3, "Mum");
    assert_ok(take("7", "", "7", "m0", "e", "What animal is it?"));
    assert_ok(take("7", "", "7", "m2", "e", "Tell me more"));
    assert_ok(take("7", "", "7", "m1", "ef", "f A dog"));
    assert_string_equal(door_text("SELECT text FROM turn_order"),
        "What animal is it?\n\nForwarded from Mum:\n\n> f A fox\n> in a box\n\nTell me more");
    assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), strlen("What animal is it?\n\n"));
    stop();
}

TEST(an_edit_below_a_forwarded_part_makes_nothing_typed)
{
    start();
    run_together((const char *[]){"f Remember me", "Tell me more"}, 2, "Mum");
    assert_ok(take("7", "", "7", "m1", "e", "Tell me very much more"));
    assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), 0);
    assert_ok(take("7", "", "7", "m1", "e", "No"));
    assert_int_equal(door_int("SELECT pasted_from IS NOT NULL AND pasted_from = 0 FROM turn_order"), 1);
    stop();
}

TEST(a_group_is_heard_only_if_the_owner_allows_it)
{
    for (int allowed = 0; allowed < 2; allowed++) {
        start_with("", allowed);
        assert_ok(take("-5", "", "8", "m0", "g", "before anybody asked"));
        assert_ok(take("-5", "", "7", "m1", "ga", "hello"));
        assert_ok(take("-5", "", "8", "m2", "g", "lunch at one?"));
        assert_ok(take("-5", "", "99", "m3", "gf", "fine"));
        assert_ok(take("-5", "", "7", "m4", "ga", "when is lunch?"));
        const char *text = door_text("SELECT text FROM turn_order ORDER BY id DESC LIMIT 1");
        if (allowed)
            assert_string_equal(text,
                "when is lunch?\n\nWritten before in the group:\n\n> Person 8: lunch at "
                "one?\n> Person 99: Forwarded from Mum: fine");
        else
            assert_string_equal(text, "when is lunch?");
        assert_int_equal(door_int("SELECT count(*) FROM channel_heard"), 0);
        stop();
    }
}

TEST(a_chat_that_lost_its_session_is_told_once)
{
    bool told;
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    door_exec("UPDATE session SET owner = 0");
    assert_ok(router_tell(router, &told, NULL));
    assert_true(told);
    assert_non_null(strstr(last_post(), "deleted"));
    assert_ok(router_tell(router, &told, NULL));
    assert_false(told);
    assert_ok(take("7", "", "7", "m2", "", "hello again"));
    assert_non_null(strstr(last_post(), "new session"));
    assert_int_equal(door_int("SELECT count(*) FROM session WHERE owner <> 0"), 1);
    stop();
}

TEST(a_message_after_an_archived_session_begins_another)
{
    bool told;
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    door_exec("UPDATE session SET archived_by_user = 1, archived_at = 1");
    assert_ok(take("7", "", "7", "m2", "", "hello again"));
    assert_non_null(strstr(last_post(), "archived"));
    assert_int_equal(door_int("SELECT count(*) FROM session"), 2);
    assert_ok(router_tell(router, &told, NULL));
    assert_false(told);
    stop();
}

TEST(a_refused_turn_is_told)
{
    bool told;
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    door_exec("UPDATE turn_order SET error = 'chat.empty_message'");
    assert_ok(router_tell(router, &told, NULL));
    assert_true(told);
    assert_int_equal(orders(), 0);
    assert_int_equal(door_int("SELECT count(*) FROM outbox"), 2);
    stop();
}

TEST(a_message_that_waits_for_long_is_told_so_once)
{
    bool told;
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    assert_ok(store_write(store, begin_turn_tx, NULL, NULL));
    assert_ok(take("7", "", "7", "m2", "", "and then?"));
    assert_ok(router_tell(router, &told, NULL));
    assert_false(told);
    door_exec("UPDATE turn_order SET created_at = created_at - 9000");
    assert_ok(router_tell(router, &told, NULL));
    assert_true(told);
    assert_non_null(strstr(last_post(), "/stop"));
    assert_ok(router_tell(router, &told, NULL));
    assert_false(told);
    assert_int_equal(orders(), 1);
    stop();
}

TEST(what_is_not_text_is_named)
{
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "", "");
    struct incoming *in = claim();
    in->u.left_out = "voice";
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_int_equal(orders(), 0);
    assert_non_null(strstr(last_post(), "voice message"));
    door_receive(clock_wall_ms(), "7", "", "7", "m2", "", "What do you see?");
    in = claim();
    in->u.left_out = "hologram";
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_int_equal(orders(), 1);
    assert_non_null(strstr(last_post(), "attachment"));
    stop();
}

TEST(a_picture_without_text_is_asked_with_what_it_replies_to)
{
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "p", "");
    struct incoming *in = claim();
    in->file = STR("pic_1");
    in->u.replied_to = STR("Show me the plant");
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_string_equal(door_text("SELECT pictures FROM turn_order"), "pic_1");
    assert_string_equal(door_text("SELECT text FROM turn_order"), "In reply to:\n\n> Show me the plant");
    assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), 0);
    stop();
}

TEST(a_document_is_at_the_end_of_the_text_below_a_caption_that_comes_late)
{
#define DOCUMENT "a.txt\n```\nx\n```"
#define REPLY    "In reply to:\n\n> Show me the plant"
    start();
    door_receive(clock_wall_ms(), "7", "", "7", "m1", "d", "");
    struct incoming *in = claim();
    in->file = STR(DOCUMENT);
    in->u.replied_to = STR("Show me the plant");
    assert_ok(router_run(router, &in, 1, arena, &routed, NULL));
    assert_string_equal(door_text("SELECT text FROM turn_order"), REPLY "\n\n" DOCUMENT);
    assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), 0);
    assert_string_equal(door_text("SELECT coalesce(pictures, 'none') FROM turn_order"), "none");
    for (int i = 0; i < 2; i++) {
        const char *caption = i ? "Look here" : "Look";
        assert_ok(take("7", "", "7", "m1", "ed", caption));
        assert_string_equal(door_text("SELECT text FROM turn_order"),
            arena_printf(arena, "%s\n\n" REPLY "\n\n" DOCUMENT, caption));
        assert_int_equal(door_int("SELECT pasted_from FROM turn_order"), strlen(caption) + 2);
    }
    stop();
}

TEST(a_text_that_is_too_long_is_refused_with_a_sentence)
{
    start_with("[limits]\nmessage_bytes = 1024\n", false);
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_ok(take("7", "", "7", "m1", "", text));
    assert_int_equal(orders(), 0);
    assert_int_equal(door_int("SELECT count(*) FROM session"), 0);
    assert_true(last_post()[0] != 0);
    stop();
}

TEST(a_chat_that_moved_keeps_its_session)
{
    start();
    assert_ok(take("-5", "", "7", "m1", "ga", "hello"));
    assert_ok(take("-5", "", "", "", "gm", "-1005"));
    assert_ok(take("-1005", "", "7", "m2", "ga", "hello"));
    assert_int_equal(door_int("SELECT count(*) FROM session"), 1);
    /* also when a message from the new place came first */
    assert_ok(take("-6", "", "7", "m3", "ga", "hello"));
    assert_ok(take("-1006", "", "7", "m4", "ga", "hello"));
    assert_ok(take("-6", "", "", "", "gm", "-1006"));
    assert_int_equal(door_int("SELECT session_id FROM channel_chat WHERE chat = '-1006'"),
        door_int("SELECT session_id FROM turn_order WHERE text = 'hello' ORDER BY id LIMIT 1 OFFSET 2"));
    stop();
}

TEST(a_blocked_chat_is_paused_until_somebody_writes)
{
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    assert_ok(take("7", "", "7", "", "b", ""));
    assert_int_equal(door_int("SELECT count(*) FROM channel_chat WHERE paused_at IS NOT NULL"), 1);
    assert_ok(take("7", "", "7", "m2", "", "I am back"));
    assert_int_equal(door_int("SELECT count(*) FROM channel_chat WHERE paused_at IS NOT NULL"), 0);
    stop();
}

TEST(unlinking_leaves_no_chat)
{
    start();
    assert_ok(take("7", "", "7", "m1", "", "hello"));
    door_exec("DELETE FROM channel_identity WHERE external_id = '7'");
    assert_int_equal(door_int("SELECT count(*) FROM channel_chat"), 0);
    assert_int_equal(door_int("SELECT count(*) FROM session"), 1);
    stop();
}

TEST(unlinking_an_account_leaves_the_groups_of_another_one)
{
    start();
    door_exec("INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) "
              "SELECT channel, '77', name, user_id, created_at, linked_at FROM channel_identity "
              "WHERE external_id = '7'");
    assert_ok(take("-5", "", "7", "m1", "ga", "hello"));
    assert_ok(take("-5", "", "77", "m2", "ga", "from my new telephone"));
    door_exec("DELETE FROM channel_identity WHERE external_id = '7'");
    assert_int_equal(door_int("SELECT count(*) FROM channel_chat WHERE session_id IS NOT NULL"), 1);
    door_exec("DELETE FROM channel_identity WHERE external_id = '77'");
    assert_int_equal(door_int("SELECT count(*) FROM channel_chat"), 0);
    stop();
}
