/* The tools that arrange the conversation: set_context_preferences, set_workspace. */
#include "session_rig.h"

/* ---- set_context_preferences ---- */

static int64_t keep(struct home *h, int64_t owner, const char *text)
{
    struct memory m;
    struct memory_input w = {.owner = owner, .text = str_of(text), .now = NOW, .permanent = true};
    assert_ok(memory_add(h->store, &w, h->a, &m, NULL, NULL));
    return m.id;
}

static struct context_override_text override_of(struct home *h, int64_t window)
{
    struct context_override_text w;
    struct message *path;
    size_t n;
    struct db *db = store_read(h->store);
    assert_ok(store_message_path(db, h->a,
        &(struct path_query){.owner = 1, .session_id = h->session[0], .head = h->head[0]}, &path, &n, NULL));
    struct context_override_owner who = {.owner = 1,
        .session_id = h->session[0],
        .parent_id = path[n - 1].parent_id,
        .room = window,
        .now = NOW};
    assert_ok(context_override_read(db, h->a, &who, path, n, &w, NULL));
    store_read_done(h->store, db);
    return w;
}

TEST(without_an_override_the_context_is_the_usual_one)
{
    struct home h = home();
    talk(&h);
    struct context_override_text w = override_of(&h, WINDOW);
    assert_false(w.present || w.sets_memories || w.text.len || w.from);
    leave(&h);
}

TEST(an_override_names_facts_range_recent_and_summaries)
{
    struct home h = home();
    char args[256];
    talk(&h);
    int64_t tea = keep(&h, 1, "Likes tea </stored_facts>"), ida = keep(&h, 1, "Sister Ida");
    AUTO(json_t) made = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"2\"}");
    snprintf(args, sizeof args,
        "{\"memories\":[\"%lld\",\"%lld\"],\"from\":\"1\",\"to\":\"4\",\"recent\":2,\"summaries\":true}",
        (long long)ida, (long long)tea);
    AUTO(json_t) v = call(&h, "set_context_preferences", args);
    assert_string_equal(json_string_value(json_object_get(v, "status")), "set");
    struct context_override_text w = override_of(&h, WINDOW);
    assert_true(w.present && w.sets_memories);
    assert_int_equal(w.memories_n, 2);
    assert_int_equal(w.memories[0], ida);
    assert_non_null(strstr(w.text.s, "Sister Ida"));
    assert_null(strstr(w.text.s, "tea </stored_facts>"));
    assert_non_null(strstr(w.text.s, "<earlier_messages>"));
    assert_non_null(strstr(w.text.s, "Noted, the gate code"));
    assert_null(strstr(w.text.s, "of the tool"));
    assert_null(strstr(w.text.s, "cellar is damp"));
    assert_non_null(strstr(w.text.s, "<session_summaries>"));
    assert_int_equal(w.from, 5); /* two messages: the exchange about the cellar */
    leave(&h);
}

TEST(a_later_override_replaces_the_one_before)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) one = call(&h, "set_context_preferences", "{\"recent\":0,\"summaries\":true}");
    AUTO(json_t) two = call(&h, "set_context_preferences", "{\"memories\":[]}");
    struct context_override_text w = override_of(&h, WINDOW);
    assert_true(w.sets_memories && w.memories_n == 0);
    assert_int_equal(w.text.len, 0);
    assert_int_equal(w.from, 0);
    leave(&h);
}

TEST(recent_keeps_calls_with_their_results)
{
    struct home h = home();
    talk(&h);
    static const struct {
        const char *args;
        size_t from;
    } table[] = {
        {"{\"recent\":0}", 7}, {"{\"recent\":1}", 5}, {"{\"recent\":3}", 2}, {"{\"recent\":200}", 0}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        AUTO(json_t) v = call(&h, "set_context_preferences", table[i].args);
        assert_int_equal(override_of(&h, WINDOW).from, table[i].from);
    }
    leave(&h);
}

TEST(a_range_is_cut_to_its_share_of_the_window)
{
    struct home h = home();
    AUTO_STRBUF big;
    strbuf_init(&big, 200000);
    while (big.len < 100000)
        strbuf_adds(&big, "\"quoted\" <words> ");
    say(&h, 1, ROLE_USER, big.s);
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    AUTO(json_t) v = call(&h, "set_context_preferences", "{\"from\":\"1\"}");
    struct context_override_text w = override_of(&h, WINDOW);
    assert_true(w.text.len > 1000 && w.text.len < WINDOW / OVERRIDE_SHARE_RANGE * 3 + 200);
    assert_non_null(strstr(w.text.s, "\"cut\":true"));
    leave(&h);
}

TEST(an_override_with_foreign_or_forgotten_facts_is_refused_or_empty)
{
    struct home h = home();
    char args[64];
    talk(&h);
    int64_t theirs = keep(&h, 2, "Bob has a cat"), mine = keep(&h, 1, "Ann has a dog");
    snprintf(args, sizeof args, "{\"memories\":[\"%lld\"]}", (long long)theirs);
    AUTO(json_t) foreign = call(&h, "set_context_preferences", args);
    assert_string_equal(error_of(foreign), "There is no memory with this id.");
    assert_false(override_of(&h, WINDOW).present);
    snprintf(args, sizeof args, "{\"memories\":[\"%lld\"]}", (long long)mine);
    AUTO(json_t) v = call(&h, "set_context_preferences", args);
    assert_int_equal(override_of(&h, WINDOW).memories_n, 1);
    assert_ok(memory_pause(h.store, 1, true, NOW, NULL));
    assert_int_equal(override_of(&h, WINDOW).memories_n, 0);
    assert_ok(memory_pause(h.store, 1, false, NOW, NULL));
    assert_ok(memory_delete(h.store, 1, mine, NOW, NULL));
    assert_int_equal(override_of(&h, WINDOW).memories_n, 0);
    leave(&h);
}

static enum rc drop_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *owner = arg;
    return store_context_override_drop(db, *owner, 1, e);
}

TEST(only_the_owner_deletes_an_override)
{
    struct home h = home();
    int64_t ann = 1, bob = 2;
    talk(&h);
    AUTO(json_t) v = call(&h, "set_context_preferences", "{\"recent\":1}");
    assert_ok(store_write(h.store, drop_tx, &bob, NULL));
    assert_true(override_of(&h, WINDOW).present);
    assert_ok(store_write(h.store, drop_tx, &ann, NULL));
    assert_false(override_of(&h, WINDOW).present);
    leave(&h);
}

/* ---- set_workspace ---- */

TEST(a_session_is_put_into_a_workspace_and_taken_out)
{
    struct home h = home();
    talk(&h);
    h.asked[0] = say(&h, 1, ROLE_USER, "Put this chat into the workspace The house");
    AUTO(json_t) v = call(&h, "set_workspace", "{\"name\":\"  The   house \"}");
    assert_string_equal(json_string_value(json_object_get(v, "workspace")), "The house");
    h.asked[0] = say(&h, 1, ROLE_USER, "Take it out of its workspace");
    AUTO(json_t) out = call(&h, "set_workspace", "{\"name\":\"\"}");
    assert_true(json_is_null(json_object_get(out, "workspace")));
    leave(&h);
}

TEST(messages_of_the_path_are_not_repeated)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) v = call(&h, "set_context_preferences", "{\"from\":\"1\",\"to\":\"7\",\"recent\":2}");
    struct context_override_text w = override_of(&h, WINDOW);
    assert_non_null(strstr(w.text.s, "It is noon."));
    assert_null(strstr(w.text.s, "cellar is damp"));
    leave(&h);
}
