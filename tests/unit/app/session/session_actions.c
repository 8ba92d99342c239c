#include "app/store_rig.h"

#include "app/session/session_actions.h"
#include "app/trash/trash.h"
#include "store/message/turn.h"

#define NOW INT64_C(1795182361000)

static const struct auth_client from = {.address = "192.0.2.1", .agent = "test", .now = NOW};
static struct config config;
static int64_t anna, bert;

struct script {
    char session[ID_SIZE], turn[ID_SIZE];
    int64_t session_id, asked, reply, second; /* second: another version of the reply */
    int64_t n;                                /* an answer to look at */
    struct str word;
};
static struct script script;

static enum rc people_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    enum rc rc = store_user_add(db, "anna", USER_MEMBER, "", NOW, &anna, e);
    return rc == RC_OK ? store_user_add(db, "bert", USER_MEMBER, "", NOW, &bert, e) : rc;
}

static enum rc add(
    struct db *db, int64_t parent, enum message_role role, const char *text, int64_t *id, struct err *e)
{
    return rig_add_message(db, anna, script.session_id, parent, role, text, NOW, id, e);
}

static enum rc talk_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    id_new(ID_SESSION, script.session);
    id_new(ID_TURN, script.turn);
    enum rc rc = store_session_add(db, anna, script.session, NULL, NULL, NOW, &script.session_id, e);
    if (rc == RC_OK)
        rc = add(db, 0, ROLE_USER, "a question about walruses", &script.asked, e);
    if (rc == RC_OK)
        rc = add(db, script.asked, ROLE_ASSISTANT, "first", &script.reply, e);
    if (rc == RC_OK)
        rc = add(db, script.asked, ROLE_ASSISTANT, "second", &script.second, e);
    return rc;
}

static enum rc begin_turn_tx(struct db *db, void *arg, struct err *e)
{
    return store_turn_add(db,
        &(struct turn_row){.pub = script.turn,
            .owner = anna,
            .session_id = script.session_id,
            .asked_id = script.asked,
            .reply_id = script.reply,
            .runner = "stream",
            .started_at = NOW},
        arg, e);
}

static enum rc end_turn_tx(struct db *db, void *arg, struct err *e)
{
    return store_turn_end(db, anna, *(int64_t *)arg, MESSAGE_DONE, NOW, e);
}

static enum rc purge_tx(struct db *db, void *arg, struct err *e)
{
    return store_trash_purge(db, 0, arg, e);
}

static void empty_trash(struct store *s)
{
    assert_int_equal(trash_erase(s, &config, anna, NULL, &from, NULL), RC_OK);
    for (bool more = true; more;)
        assert_int_equal(store_write(s, purge_tx, &more, NULL), RC_OK);
}

static enum rc deleted(struct store *s, int64_t owner, const char *session, int64_t message,
    const struct auth_client *by, struct err *e)
{
    char entry[ID_SIZE];
    return trash_message(s, &config, owner, session, message, by, entry, e);
}

/* A store with anna's session: one question, two answers, the head at the second. */
static struct store *start(void)
{
    struct store *s = rig_store(people_tx, NULL);
    config.limits.message_bytes = 64;
    assert_int_equal(store_write(s, talk_tx, NULL, NULL), RC_OK);
    return s;
}

static struct session session(struct store *s, struct arena *a)
{
    struct session out;
    struct db *db = store_read(s);
    assert_int_equal(store_session_get(db, a, anna, script.session, &out, NULL), RC_OK);
    store_read_done(s, db);
    return out;
}

static enum rc count_tx(struct db *db, void *arg, struct err *e)
{
    return db_one_int(db, arg, NO_ARGS, &script.n, e);
}

static int64_t count(struct store *s, const char *sql)
{
    assert_int_equal(store_with_reader(s, count_tx, (void *)(uintptr_t)sql, NULL), RC_OK);
    return script.n;
}

static enum rc find_tx(struct db *db, void *arg, struct err *e)
{
    return db_one_int(
        db, "SELECT count(*) FROM message_text WHERE message_text MATCH ?", ARGS(v_text(arg)), &script.n, e);
}

static int64_t found(struct store *s, char *word)
{
    assert_int_equal(store_with_reader(s, find_tx, word, NULL), RC_OK);
    return script.n;
}

TEST(title_and_model_change_together_or_not_at_all)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    const struct provider_choice choice = {.name = "openai", .model = "m1"};
    struct session_change change = {.title = "Walruses", .choice = &choice};
    assert_int_equal(session_change(s, anna, script.session, &change, NULL), RC_OK);
    struct session now = session(s, a);
    assert_string_equal(now.title, "Walruses");
    assert_string_equal(now.provider, "openai");
    assert_string_equal(now.model, "m1");
    change = (struct session_change){.title = "Only this"};
    assert_int_equal(session_change(s, anna, script.session, &change, NULL), RC_OK);
    now = session(s, a);
    assert_string_equal(now.title, "Only this");
    assert_string_equal(now.model, "m1");
    assert_int_equal(session_change(s, bert, script.session, &change, NULL), RC_NOT_FOUND);
    change.title = "";
    assert_int_equal(session_change(s, anna, script.session, &change, NULL), RC_BAD_INPUT);
}

TEST(a_title_has_a_cap_in_characters)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    char title[2 * (SESSION_TITLE_CHARS_MAX + 1) + 1] = "";
    for (size_t i = 0; i < SESSION_TITLE_CHARS_MAX; i++)
        memcpy(title + 2 * i, "ü", 3);
    struct session_change change = {.title = title};
    assert_int_equal(session_change(s, anna, script.session, &change, NULL), RC_OK);
    memcpy(title + 2 * (size_t)SESSION_TITLE_CHARS_MAX, "ü", 3);
    assert_int_equal(session_change(s, anna, script.session, &change, NULL), RC_BAD_INPUT);
}

TEST(the_head_moves_to_the_end_of_a_branch)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    assert_int_equal(session(s, a).head_id, script.second);
    assert_int_equal(session_set_head(s, &config, anna, script.session, script.reply, NULL), RC_OK);
    assert_int_equal(session(s, a).head_id, script.reply);
    assert_int_equal(session_set_head(s, &config, anna, script.session, script.asked, NULL), RC_OK);
    assert_int_equal(session(s, a).head_id, script.second);
    assert_int_equal(session_set_head(s, &config, bert, script.session, script.reply, NULL), RC_NOT_FOUND);
    assert_int_equal(session_set_head(s, &config, anna, script.session, 1, NULL), RC_NOT_FOUND);
}

TEST(a_visit_is_recorded_and_never_moves_back)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    assert_int_equal(session_seen(s, anna, script.session, NOW + 5, NULL), RC_OK);
    assert_int_equal(session(s, a).seen_at, NOW + 5);
    assert_int_equal(session_seen(s, anna, script.session, NOW + 2, NULL), RC_OK);
    assert_int_equal(session(s, a).seen_at, NOW + 5);
    assert_int_equal(session_seen(s, bert, script.session, NOW + 9, NULL), RC_NOT_FOUND);
}

static int64_t edited;

static enum rc edit(struct store *s, int64_t owner, int64_t message, struct str text, struct err *e)
{
    const struct message_edit t = {owner, script.session, message, text, MESSAGE_TYPED};
    return session_edit_text(s, &config, &t, &edited, e);
}

TEST(an_edited_answer_is_a_version_of_its_own)
{
    AUTO(store) s = start();
    assert_int_equal(edit(s, anna, script.reply, STR("only of narwhals"), NULL), RC_OK);
    assert_true(edited != script.reply);
    assert_int_equal(found(s, "narwhals"), 1);
    assert_int_equal(count(s, "SELECT count(*) FROM job WHERE kind = 'embed' AND state = 'ready'"), 1);
    assert_int_equal(
        count(s, "SELECT count(*) FROM message WHERE edited = 1 AND text = 'only of narwhals'"), 1);
    assert_int_equal(
        count(s, "SELECT count(*) > 0 FROM message a JOIN message b ON a.parent_id = b.parent_id "
                 "WHERE a.edited = 1 AND b.edited = 0 AND a.role = b.role"),
        1);
    assert_int_equal(
        count(s, "SELECT count(*) FROM session s JOIN message m ON m.id = s.head_id WHERE m.edited = 1"), 1);
}

TEST(an_own_message_is_rewritten_and_found_by_its_new_words_only)
{
    AUTO(store) s = start();
    assert_int_equal(found(s, "walruses"), 1);
    assert_int_equal(edit(s, anna, script.asked, STR("about penguins"), NULL), RC_OK);
    assert_int_equal(found(s, "walruses"), 0);
    assert_int_equal(found(s, "penguins"), 1);
    assert_int_equal(count(s, "SELECT count(*) FROM message WHERE text = 'about penguins'"), 1);
}

TEST(protected_messages_are_not_rewritten)
{
    AUTO(store) s = start();
    struct str text = STR("x");
    assert_int_equal(edit(s, bert, script.asked, text, NULL), RC_NOT_FOUND);
    assert_int_equal(edit(s, anna, script.asked, STR(" \n "), NULL), RC_BAD_INPUT);
    char long_text[65];
    memset(long_text, 'x', sizeof long_text);
    assert_int_equal(
        edit(s, anna, script.asked, (struct str){long_text, sizeof long_text}, NULL), RC_TOO_BIG);

    struct script first = script;
    assert_int_equal(store_write(s, talk_tx, NULL, NULL), RC_OK); /* a second session of hers */
    assert_int_equal(edit(s, anna, first.asked, text, NULL), RC_NOT_FOUND);
    assert_int_equal(session_set_head(s, &config, anna, script.session, first.asked, NULL), RC_NOT_FOUND);
    assert_int_equal(deleted(s, anna, script.session, first.asked, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(found(s, "walruses"), 2);
}

TEST(while_an_answer_is_written_nothing_is_rewritten)
{
    AUTO(store) s = start();
    int64_t turn;
    struct err e = ERR_INIT;
    assert_int_equal(store_write(s, begin_turn_tx, &turn, NULL), RC_OK);
    assert_int_equal(edit(s, anna, script.asked, STR("x"), &e), RC_CONFLICT);
    assert_true(e.for_user);
    assert_int_equal(store_write(s, end_turn_tx, &turn, NULL), RC_OK);
    assert_int_equal(edit(s, anna, script.asked, STR("x"), NULL), RC_OK);
}

TEST(a_deleted_session_leaves_an_audit_row_and_nothing_else)
{
    AUTO(store) s = start();
    int64_t turn;
    assert_int_equal(store_write(s, begin_turn_tx, &turn, NULL), RC_OK);
    assert_int_equal(store_write(s, end_turn_tx, &turn, NULL), RC_OK);

    assert_int_equal(trash_session(s, &config, bert, script.session, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(count(s, "SELECT count(*) FROM audit"), 0);
    assert_int_equal(trash_session(s, &config, anna, script.session, &from, NULL), RC_OK);
    assert_int_equal(found(s, "walruses"), 0);
    empty_trash(s);
    assert_int_equal(count(s, "SELECT count(*) FROM session"), 0);
    assert_int_equal(count(s, "SELECT count(*) FROM message"), 0);
    assert_int_equal(found(s, "walruses"), 0);
    assert_int_equal(
        count(s, "SELECT count(*) FROM audit WHERE action = 'session_deleted' AND address = '192.0.2.1'"), 1);
    assert_int_equal(trash_session(s, &config, anna, script.session, &from, NULL), RC_NOT_FOUND);
}

TEST(a_deletion_removes_later_messages_and_adds_an_audit_row)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    assert_int_equal(deleted(s, bert, script.session, script.second, &from, NULL), RC_NOT_FOUND);
    assert_int_equal(deleted(s, anna, script.session, script.second, &from, NULL), RC_OK);
    assert_int_equal(session(s, a).head_id, script.reply);
    assert_int_equal(deleted(s, anna, script.session, script.asked, &from, NULL), RC_OK);
    assert_int_equal(session(s, a).head_id, 0);
    assert_int_equal(session(s, a).message_count, 0);
    assert_int_equal(count(s, "SELECT count(*) FROM audit WHERE action = 'message_deleted'"), 2);
}

static int64_t tool, end;

static enum rc tools_tx(struct db *db, void *arg, struct err *e)
{
    int64_t again;
    (void)arg;
    enum rc rc = add(db, script.second, ROLE_TOOL, "{}", &tool, e);
    if (rc == RC_OK)
        rc = add(db, tool, ROLE_TOOL, "{}", &tool, e);
    if (rc == RC_OK)
        rc = add(db, tool, ROLE_ASSISTANT, "the end", &end, e);
    return rc == RC_OK ? add(db, end, ROLE_USER, "thanks", &again, e) : rc;
}

TEST(an_answer_that_called_tools_is_deleted_as_a_whole)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    assert_int_equal(store_write(s, tools_tx, NULL, NULL), RC_OK);
    assert_int_equal(count(s, "SELECT count(*) FROM message"), 7);
    assert_int_equal(deleted(s, anna, script.session, end, &from, NULL), RC_OK);
    empty_trash(s);
    assert_int_equal(count(s, "SELECT count(*) FROM message"), 2);
    assert_int_equal(session(s, a).head_id, script.reply);
}

TEST(the_last_messages_of_a_summary_are_those_of_people_and_models)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    assert_int_equal(store_write(s, tools_tx, NULL, NULL), RC_OK);
    struct summary_range three = {.last = 3};
    assert_int_equal(session_summarise(s, &config, anna, script.session, &three, NOW, NULL), RC_OK);
    assert_int_equal(count(s, "SELECT first_id FROM summary_request"), script.second);
    assert_int_equal(count(s, "SELECT last_id FROM summary_request"), session(s, a).head_id);
}
