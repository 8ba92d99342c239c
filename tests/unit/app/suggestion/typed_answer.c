#include "unit.h"

#include "app/suggestion/typed_answer.h"

TEST(a_bare_answer_is_nothing_but_a_yes_or_a_no)
{
    static const struct {
        const char *text;
        enum typed_word word;
    } table[] = {{"yes", TYPED_YES}, {" Yes! ", TYPED_YES}, {"Do it.", TYPED_YES}, {"Ja, bitte", TYPED_YES},
        {"No", TYPED_NO}, {"cancel", TYPED_NO}, {"No, don't", TYPED_NO}, {"Nein danke!", TYPED_NO},
        {"yes, but what is the time?", TYPED_OTHER}, {"yesterday", TYPED_OTHER}, {"", TYPED_OTHER},
        {"?!", TYPED_OTHER}, {"y\u0435s", TYPED_OTHER}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (typed_bare(str_of(table[i].text)) != table[i].word)
            fail_msg("%s", table[i].text);
}

TEST(an_answer_may_point_at_the_subject)
{
    static const struct {
        const char *text, *kind;
        enum typed_word word;
    } table[] = {{"yes, delete it", SUGGESTION_DELETE_TASK, TYPED_YES},
        {"delete it please", SUGGESTION_DELETE_SESSION, TYPED_YES}, {"keep it", SUGGESTION_FORGET, TYPED_NO},
        {"No, keep that.", SUGGESTION_DELETE_TASK, TYPED_NO}, {"keep it", SUGGESTION_REMEMBER, TYPED_YES},
        {"Don't delete it", SUGGESTION_DELETE_TASK, TYPED_NO},
        {"Ja, lösche es", SUGGESTION_DELETE_TASK, TYPED_YES},
        {"Lösche es nicht", SUGGESTION_DELETE_TASK, TYPED_NO},
        {"yes, forget it", SUGGESTION_FORGET, TYPED_YES}, {"forget it", SUGGESTION_FORGET, TYPED_OTHER},
        {"no, delete it", SUGGESTION_DELETE_TASK, TYPED_OTHER},
        {"yes, keep it", SUGGESTION_DELETE_TASK, TYPED_OTHER},
        {"yes, delete it and sum it up", SUGGESTION_DELETE_TASK, TYPED_OTHER},
        {"yes, remember it", SUGGESTION_DELETE_TASK, TYPED_OTHER}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (typed_pointing(str_of(table[i].text), table[i].kind) != table[i].word)
            fail_msg("%s", table[i].text);
}

TEST(an_answer_may_name_the_action_and_the_kind)
{
    static const struct {
        const char *text, *kind, *subject;
        enum typed_word word;
    } table[] = {{"Yes, delete the session", SUGGESTION_DELETE_SESSION, "Rome", TYPED_YES},
        {"yes delete the chat about Rome", SUGGESTION_DELETE_SESSION, "Rome", TYPED_YES},
        {"Ja, lösche bitte die Sitzung!", SUGGESTION_DELETE_SESSION, "Rom", TYPED_OTHER},
        {"Ja, bitte lösche die Sitzung", SUGGESTION_DELETE_SESSION, "Rom", TYPED_YES},
        {"Ja, den Chat löschen", SUGGESTION_DELETE_SESSION, "Rom", TYPED_YES},
        {"yes, please delete the task", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_YES},
        {"yes, delete the to-do buy milk", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_YES},
        {"ja, lösche die Aufgabe Milch kaufen", SUGGESTION_DELETE_TASK, "Milch kaufen", TYPED_YES},
        {"yes, forget the fact", SUGGESTION_FORGET, "Likes tea", TYPED_YES},
        {"Ja, vergiss diese Erinnerung", SUGGESTION_FORGET, "Mag Tee", TYPED_YES},
        {"yes, mark the task as done", SUGGESTION_COMPLETE_TASK, "Buy milk", TYPED_YES},
        {"yes, change the fact", SUGGESTION_CHANGE_MEMORY, "Likes tea", TYPED_YES},
        {"yes, remember this fact", SUGGESTION_REMEMBER, "Likes tea", TYPED_YES},
        {"no, keep the task", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_NO},
        {"Don't delete the session", SUGGESTION_DELETE_SESSION, "Rome", TYPED_NO},
        {"Nein, behalte die Aufgabe", SUGGESTION_DELETE_TASK, "Milch", TYPED_NO},
        {"Lösche die Aufgabe nicht", SUGGESTION_DELETE_TASK, "Milch", TYPED_NO},
        {"yes", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"yes, delete it", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"delete the task", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"yes, delete the task call Bob", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"yes, delete the task buy", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"yes, delete the session", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"yes, sum up the session", SUGGESTION_DELETE_SESSION, "Rome", TYPED_OTHER},
        {"no, delete the task", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"yes, keep the task", SUGGESTION_DELETE_TASK, "Buy milk", TYPED_OTHER},
        {"", SUGGESTION_DELETE_TASK, "", TYPED_OTHER}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (typed_named(str_of(table[i].text), table[i].kind, str_of(table[i].subject)) != table[i].word)
            fail_msg("%s", table[i].text);
}

TEST(an_answer_that_says_anything_else_may_ask_something_else)
{
    static const struct {
        const char *text, *kind;
        bool only;
    } table[] = {{"", SUGGESTION_DELETE_SESSION, true},
        {"Shall I delete this chat with all its messages? Say yes or no.\n\n> Trip to Rome\n",
            SUGGESTION_DELETE_SESSION, true},
        {"I found the chat “Trip to Rome” with 42 messages. Should I delete it?", SUGGESTION_DELETE_SESSION,
            true},
        {"Would you like me to delete the session Trip to Rome? Are you sure?", SUGGESTION_DELETE_SESSION,
            true},
        {"Soll ich die Sitzung „Trip to Rome“ wirklich löschen? Ja oder nein?", SUGGESTION_DELETE_SESSION,
            true},
        {"Shall I delete the task?\n\n> Trip to Rome, due 2026-12-01 (overdue)\n", SUGGESTION_DELETE_TASK,
            true},
        {"Shall I forget this? Say yes or no.\n\n> Trip to Rome\n", SUGGESTION_FORGET, true},
        {"Shall I change this fact? Say yes or no.\n\n> Trip to Rome\n\nChange it to:\n\n> Trip to Oslo\n",
            SUGGESTION_CHANGE_MEMORY, true},
        {"Shall I add this task to your list? Say yes or no.\n\n> Trip to Rome, due today (2026-12-01)\n",
            SUGGESTION_ADD_TASK, true},
        {"Shall I mark this task as done? Say yes or no.\n\n> Trip to Rome\n", SUGGESTION_COMPLETE_TASK,
            true},
        {"Shall I remember this? Say yes or no.\n\n> Trip to Rome\n", SUGGESTION_REMEMBER, true},
        {"Shall I move this chat to the workspace? Say yes or no.\n\n> Trip to Rome", SUGGESTION_WORKSPACE,
            true},
        {"Shall I delete the chat? Shall I sum it up first? Just say yes.", SUGGESTION_DELETE_SESSION, false},
        {"I could also sum it up. Just say yes.", SUGGESTION_DELETE_SESSION, false},
        {"Shall I sum up the session before you delete the chat?", SUGGESTION_DELETE_SESSION, false},
        {"Very well. I've asked you to confirm, above the message box.", SUGGESTION_DELETE_SESSION, true},
        {"Very well. Shall I use the buttons?", SUGGESTION_DELETE_SESSION, false},
        {"As you wish. Say yes.", SUGGESTION_DELETE_SESSION, false},
        {"Do you really like this chat? Just say yes.", SUGGESTION_DELETE_SESSION, false},
        {"Do you really like this chat\uFF1F Delete it\uFF1F", SUGGESTION_DELETE_SESSION, false},
        {"Do you like this chat. Say yes", SUGGESTION_DELETE_SESSION, false},
        {"Shall I not delete the chat?", SUGGESTION_DELETE_SESSION, false},
        {"Shall I keep the chat?", SUGGESTION_DELETE_SESSION, false},
        {"Say no to delete it, yes to keep it.", SUGGESTION_DELETE_SESSION, false},
        {"Shall I delete the chat Trip to Milan?", SUGGESTION_DELETE_SESSION, false},
        {"Shall I delete all your chats?", SUGGESTION_DELETE_SESSION, false},
        {"Soll ich die Sitzung zusammenfassen? Sag einfach ja.", SUGGESTION_DELETE_SESSION, false},
        {"Shall I remember this? Say yes or no.", SUGGESTION_FORGET, false}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (typed_asks_nothing_else(str_of(table[i].text), table[i].kind, STR("Trip to Rome"),
                STR("Trip to Oslo")) != table[i].only)
            fail_msg("%s", table[i].text);
}
