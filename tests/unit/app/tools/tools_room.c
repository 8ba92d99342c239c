/* Results for a model whose window is nearly full. */
#include "session_rig.h"

#include "app/reminder/reminder.h"
#include "app/tasks/tasks.h"

#define MANY 50

static enum rc memories_tx(struct db *db, void *arg, struct err *e)
{
    struct home *h = arg;
    enum rc rc = RC_OK;
    for (int i = 0; i < MANY && rc == RC_OK; i++) {
        struct memory m = {.text = str_of(arena_printf(h->a, "w%dx likes gate %d", i * 7919, i)),
            .tags = "a b",
            .created_at = NOW};
        memory_embed(h->a, &m);
        rc = store_memory_add(db, 1, &m, e);
    }
    return rc;
}

static struct home full_home(void)
{
    struct home h = home();
    struct task t;
    struct reminder r;
    for (int i = 0; i < MANY; i++) {
        struct str text = str_of(arena_printf(h.a, "Gate %d", i));
        struct task_input task = {.owner = 1, .text = text, .now = NOW};
        struct reminder_input input = {
            .owner = 1, .text = text, .start = STR("2024-07-01T17:00"), .now = NOW};
        assert_ok(tasks_add(h.store, &task, h.a, &t, NULL));
        assert_ok(reminders_add(h.store, &input, h.a, &r, NULL));
        say(&h, 1, i % 2 ? ROLE_ASSISTANT : ROLE_USER, "The gate code.");
    }
    assert_ok(store_write(h.store, memories_tx, &h, NULL));
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    return h;
}

/* The result in a buffer of `room` bytes; the number of its entries. */
static size_t entries(struct home *h, const char *name, const char *args, const char *list, size_t room)
{
    AUTO_STRBUF out;
    strbuf_init(&out, room);
    struct tool_context c = {.store = h->store,
        .config = &h->config,
        .providers = h->providers,
        .owner = 1,
        .session_id = h->session[0],
        .asked_id = h->asked[0],
        .now = NOW,
        .room = room};
    struct llm_tool_call asked = {"id", name, args};
    tool_run(&c, &asked, &out);
    AUTO(json_t) v = NULL;
    assert_ok(json_parse(strbuf_str(&out), TOOL_RESULT_MAX, &v, NULL));
    if (json_object_get(v, "error"))
        fail_msg("%s, %zu bytes: %s", name, room, out.s);
    return count_at(v, list);
}

TEST(lists_are_shortened_to_the_room_that_a_result_has)
{
    static const struct {
        const char *name, *args, *list;
        size_t all;
    } tools[] = {{"list_tasks", "{}", "tasks", MANY}, {"list_reminders", "{}", "reminders", MANY},
        {"search_memories", "{\"query\":\"\",\"top_k\":20}", "memories", 20},
        {"read_messages", "{\"last\":40}", "messages", 40},
        {"search_this_session", "{\"query\":\"gate\",\"limit\":30}", "matches", 30}};
    struct home h = full_home();
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        size_t before = 0;
        for (size_t room = 1024; room <= TOOL_RESULT_MAX; room *= 2) {
            size_t n = entries(&h, tools[i].name, tools[i].args, tools[i].list, room);
            assert_true(n > 0 && n >= before);
            before = n;
        }
        assert_int_equal(before, tools[i].all);
    }
    leave(&h);
}
