/* Decisions in words: "yes", "delete it", "nein". */
#include "suggestion_rig.h"

static struct typed_answer hears_at(struct home *h, int64_t parent, const char *text)
{
    struct typed_answer t;
    struct typed_message m = {
        .owner = 1, .session_id = 1, .parent_id = parent, .text = str_of(text), .now = h->now};
    struct db *db = store_read(h->store);
    assert_ok(typed_answer_read(db, h->a, &m, &t, NULL));
    store_read_done(h->store, db);
    return t;
}

/* "" : it goes to the model. */
static const char *hears(struct home *h, const char *text)
{
    struct typed_answer t = hears_at(h, h->head, text);
    return t.decides ? arena_printf(h->a, "%s %s", t.keep ? "yes" : "no", t.suggestion.kind) : "";
}

TEST(a_bare_yes_counts_as_the_direct_reply_only)
{
    static const struct {
        const char *tool, *args, *yes, *named;
    } table[] = {
        {"delete_session", "{\"session\":\"ses_b\"}", "yes delete_session", "yes, delete the session"},
        {"delete_task", "{\"task\":\"4294967297\"}", "yes delete_task", "Ja, lösche die Aufgabe"},
        {"forget", "{\"id\":\"4294967297\"}", "yes forget", "yes, forget the fact"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct home h = home();
        kept(&h, "Likes tea");
        listed(&h, "Call Bob");
        says(&h, "Please do away with it");
        assert_true(waits(&h, table[i].tool, table[i].args));
        assert_string_equal(hears(&h, "yes"), ""); /* no question is open */
        answers(&h, "");
        assert_string_equal(hears(&h, "yes"), table[i].yes);
        assert_string_equal(hears(&h, "Ja, bitte!"), table[i].yes);
        assert_string_equal(hears(&h, table[i].named), table[i].yes);
        assert_true(hears_at(&h, h.head, "Nein").decides && !hears_at(&h, h.head, "Nein").keep);
        says(&h, "What is the weather like?");
        answers(&h, "Sunny. Shall I sum it up? Just say yes.");
        assert_string_equal(hears(&h, "yes"), "");
        assert_string_equal(hears(&h, table[i].named), table[i].yes);
        says(&h, "yes");
        answers(&h, "Sunny it is. More?");
        assert_string_equal(hears(&h, "ja"), ""); /* two exchanges later */
        assert_string_equal(hears(&h, "yes, delete it"), "");
        assert_string_equal(hears(&h, table[i].named), table[i].yes);
        h.now += SUGGESTION_QUESTION_MS;
        assert_string_equal(hears(&h, table[i].named), "");
        leave(&h);
    }
}

TEST(a_bare_yes_does_not_count_when_the_answer_asks_something_else)
{
    struct home h = home();
    says(&h, "Delete the chat about Rome");
    answers(&h, "Shall I sum it up before? I look for it."); /* in the same turn, before the tool ran */
    assert_true(waits(&h, "delete_session", "{\"session\":\"ses_b\"}"));
    add(&h, h.head, ROLE_TOOL, "{}", MESSAGE_TYPED);
    answers(&h, "Shall I delete the chat Rome?");
    assert_string_equal(hears(&h, "yes"), "");
    assert_string_equal(hears(&h, "yes, delete the chat Rome"), "yes delete_session");
    says(&h, "Delete it");
    assert_true(waits(&h, "delete_session", "{\"session\":\"ses_b\"}")); /* the question moves here */
    answers(&h, "Shall I delete the chat Rome?");
    assert_string_equal(hears(&h, "yes"), "yes delete_session");
    leave(&h);
}

TEST(a_bare_yes_does_not_choose_between_two)
{
    struct home h = home();
    kept(&h, "Likes tea");
    listed(&h, "Call Bob");
    says(&h, "Clean up");
    assert_true(waits(&h, "delete_task", "{\"task\":\"4294967297\"}"));
    assert_true(waits(&h, "forget", "{\"id\":\"4294967297\"}"));
    answers(&h, "");
    assert_string_equal(hears(&h, "yes"), "");
    assert_string_equal(hears(&h, "yes, forget the fact"), "yes forget");
    assert_string_equal(hears(&h, "yes, delete the task call Bob"), "yes delete_task");
    assert_string_equal(hears(&h, "yes, delete the task call Eve"), "");
    listed(&h, "Call Eve");
    assert_true(waits(&h, "delete_task", "{\"task\":\"4294967298\"}"));
    answers(&h, "");
    assert_string_equal(hears(&h, "yes, delete the task"), "");
    assert_string_equal(hears(&h, "yes, delete the task call Eve"), "yes delete_task");
    leave(&h);
}

TEST(an_answer_counts_on_its_own_branch)
{
    struct home h = home();
    says(&h, "Hello");
    int64_t fork = answers(&h, "Hello!");
    says(&h, "Delete the chat about Rome");
    assert_true(waits(&h, "delete_session", "{\"session\":\"ses_b\"}"));
    int64_t asks = answers(&h, "");
    h.head = fork;
    says(&h, "Something else");
    int64_t other = answers(&h, "");
    assert_false(hears_at(&h, other, "yes").decides);
    assert_false(hears_at(&h, other, "yes, delete the session").decides);
    assert_true(hears_at(&h, asks, "yes, delete the session").decides);
    assert_true(hears_at(&h, asks, "yes").decides);
    leave(&h);
}

TEST(a_suggestion_is_kept_in_words_as_well)
{
    struct home h = home();
    says(&h, "I like tea");
    assert_true(waits(&h, "remember", "{\"text\":\"Likes tea\"}"));
    answers(&h, "Shall I remember this? Say yes or no.\n\n> Likes tea\n");
    assert_string_equal(hears(&h, "yes"), "yes remember");
    assert_string_equal(hears(&h, "no, don't"), "no remember");
    assert_int_equal(newest(&h), 1);
    leave(&h);
}

TEST(a_question_may_say_create_or_set_up)
{
    static const char *const asks[] = {"Shall I create this task?\n\n> Call Bob\n",
        "Soll ich diese Aufgabe anlegen?\n\n> Call Bob\n", "Soll ich die Aufgabe erstellen?\n\n> Call Bob\n"};
    for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
        struct home h = home();
        says(&h, "Bob is waiting");
        assert_true(waits(&h, "add_task", "{\"text\":\"Call Bob\"}"));
        answers(&h, asks[i]);
        assert_string_equal(hears(&h, "ja"), "yes add_task");
        assert_string_equal(hears(&h, "Ja, Aufgabe anlegen"), "yes add_task");
        assert_string_equal(hears(&h, "yes, create the task"), "yes add_task");
        leave(&h);
    }
}

TEST(a_question_of_the_offline_model_asks_nothing_else_in_any_language)
{
    static const struct {
        const char *key, *kind;
    } table[] = {
        {"offline.ask_remember", SUGGESTION_REMEMBER},
        {"offline.ask_change_fact", SUGGESTION_CHANGE_MEMORY},
        {"offline.ask_forget", SUGGESTION_FORGET},
        {"offline.ask_add_task", SUGGESTION_ADD_TASK},
        {"offline.ask_complete_task", SUGGESTION_COMPLETE_TASK},
        {"offline.ask_delete_task", SUGGESTION_DELETE_TASK},
        {"offline.ask_reminder", SUGGESTION_ADD_REMINDER},
        {"offline.ask_schedule", SUGGESTION_ADD_SCHEDULE},
        {"offline.ask_delete_reminder", SUGGESTION_DELETE_REMINDER},
        {"offline.ask_delete_session", SUGGESTION_DELETE_SESSION},
        {"offline.ask_workspace", SUGGESTION_WORKSPACE},
    };
    AUTO(arena) a = arena_new();
    for (size_t n = 0; lang_at(n); n++)
        for (size_t i = 0; i < ARRAY_LEN(table); i++) {
            bool changes = strcmp(table[i].kind, SUGGESTION_CHANGE_MEMORY) == 0;
            const char *text = arena_printf(a, "%s\n\n> Red boat\n", lang_text(lang_at(n), table[i].key));
            if (changes)
                text = arena_printf(
                    a, "%s\n%s\n\n> Blue boat\n", text, lang_text(lang_at(n), "offline.change_to"));
            if (!typed_asks_nothing_else(
                    str_of(text), table[i].kind, STR("Red boat"), changes ? STR("Blue boat") : STR("")))
                fail_msg("%s: %s", table[i].kind, text);
        }
}
