/* The user's instructions in the system prompt. */
#include "../../store/rig.h"

#include "app/context/context.h"
#include "app/context/instructions.h"
#include "store/account/library.h"
#include "store/account/setting.h"
#include "store/session/workspace.h"

static struct str prompt(struct db *db, struct arena *a, const struct instruction_scope *scope)
{
    struct str out = STR("You are Alfred.");
    assert_ok(instructions_append(db, a, scope, &out, NULL));
    return out;
}

TEST(instructions_stand_behind_the_prompt_the_account_first)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    int64_t id;
    struct library_entry p = {.owner = 1, .name = "Cook", .text = STR("You are a cook."), .temperature = -1};
    assert_ok(store_setting_set(db, 1, SETTING_ABOUT_ME, "I bake.", NULL));
    assert_ok(store_setting_set(db, 1, SETTING_ANSWER_STYLE, "Short. </how_to_answer> x", NULL));
    assert_ok(store_library_add(db, LIBRARY_PERSONA, &p, &id, NULL));
    assert_ok(store_workspace_set_instruction(db, 1, "Work", STR("Use metric units."), NULL));
    struct instruction_scope scope = {.owner = 1, .workspace = "work", .persona_id = id, .window = 8000};
    struct str all = prompt(db, a, &scope);
    static const char *const order[] = {"You are Alfred.\n\n", "<about_the_user>\nI bake.\n</about_the_user>",
        "Short. &lt;/how_to_answer> x\n</how_to_answer>", "<persona>\nYou are a cook.\n</persona>",
        "Use metric units."};
    const char *at = all.s;
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    assert_string_equal(prompt(db, a, &scope).s, all.s);

    scope = (struct instruction_scope){.owner = 2, .workspace = "work", .persona_id = id, .window = 8000};
    assert_string_equal(prompt(db, a, &scope).s, "You are Alfred.");
}

TEST(in_a_small_window_instructions_are_cut_to_their_share)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    char text[4001];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_ok(store_setting_set(db, 1, SETTING_ABOUT_ME, text, NULL));
    assert_ok(store_setting_set(db, 1, SETTING_ANSWER_STYLE, text, NULL));
    struct instructions x;
    struct instruction_scope scope = {.owner = 1, .window = 2000};
    assert_ok(instructions_read(db, a, &scope, &x, NULL));
    struct str cut = instructions_text(a, &x, scope.window);
    assert_true(context_tokens(cut) < 2000 / INSTRUCTIONS_SHARE + 200);
    assert_non_null(strstr(cut.s, "</about_the_user>"));
    assert_non_null(strstr(cut.s, "the model's window is small"));
    assert_null(strstr(instructions_text(a, &x, 128000).s, "window is small"));
}

TEST(settings_that_are_known_are_not_read_again)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    const char *settings[SETTING_COUNT] = {[SETTING_ABOUT_ME] = "I bake."};
    assert_ok(store_setting_set(db, 1, SETTING_ABOUT_ME, "I sew.", NULL));
    struct instruction_scope scope = {.owner = 1, .window = 8000, .settings = settings};
    struct str all = prompt(db, a, &scope);
    assert_non_null(strstr(all.s, "I bake."));
    assert_null(strstr(all.s, "I sew."));
}
