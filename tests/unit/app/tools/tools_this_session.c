/* The tools that read a session and arrange the next turn, on a store of their own. */
#include "app/store_rig.h"

#include <stdio.h>

#include "app/config/config.h"
#include "app/tools/context_override.h"
#include "app/memory/memory.h"
#include "app/models/providers.h"
#include "app/tools/tools.h"
#include "codec/json.h"
#include "store/message/message.h"
#include "store/session/session.h"
#include "store/memory/summary.h"
#include "store/account/user.h"

#define NOW    INT64_C(1700000000000)
#define WINDOW 8192

#define assert_rc(call, want) assert_string_equal(rc_name(call), rc_name(want))
#define assert_ok(call)       assert_rc(call, RC_OK)

struct home {
    struct store *store;
    struct arena *a;
    struct config config;
    struct providers *providers; /* none but the built-in one: summaries are by rule */
    int64_t session[2];          /* of ann and of bob */
    int64_t asked[2];
    int64_t head[2];
};

struct said {
    struct home *h;
    int64_t owner, session, parent;
    enum message_role role;
    const char *text;
    int64_t id;
};

static enum rc say_tx(struct db *db, void *arg, struct err *e)
{
    struct said *s = arg;
    struct message m = {.session_id = s->session,
        .parent_id = s->parent,
        .role = s->role,
        .channel = "web",
        .text = str_of(s->text),
        .tool = s->role == ROLE_TOOL ? "current_time" : NULL,
        .created_at = NOW,
        .pasted_from = MESSAGE_TYPED};
    enum rc rc = store_message_add(db, s->owner, &m, e);
    s->id = m.id;
    return rc;
}

/* Behind the last one of this session of the owner's, unless `parent` says where. */
static int64_t say_at(struct home *h, int64_t owner, int64_t parent, enum message_role role, const char *text)
{
    struct said s = {h, owner, h->session[owner - 1], parent, role, text, 0};
    assert_ok(store_write(h->store, say_tx, &s, NULL));
    return h->head[owner - 1] = s.id;
}

static int64_t say(struct home *h, int64_t owner, enum message_role role, const char *text)
{
    return say_at(h, owner, h->head[owner - 1], role, text);
}

static enum rc users_tx(struct db *db, void *arg, struct err *e)
{
    struct home *h = arg;
    int64_t id;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, &id, e);
    if (rc == RC_OK)
        rc = store_user_add(db, "bob", USER_MEMBER, "x", NOW, &id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, 1, "ses_a", NULL, NULL, NOW, &h->session[0], e);
    return rc == RC_OK ? store_session_add(db, 2, "ses_b", NULL, NULL, NOW, &h->session[1], e) : rc;
}

static struct home home(void)
{
    struct home h = {.a = arena_new()};
    h.config.server.data_dir = unit_tmp();
    static struct config none = {.models.default_model = ""}; /* outlives the providers */
    assert_ok(providers_new(&none, &h.providers, NULL));
    h.store = rig_store(users_tx, &h);
    return h;
}

static void leave(struct home *h)
{
    store_free(h->store);
    providers_free(h->providers);
    arena_free(h->a);
}

/* Ann's talk: eight messages, the third and fourth a call and its result; and what she asks now. */
static void talk(struct home *h)
{
    say(h, 1, ROLE_USER, "The gate code is 4711. Café Größe is where we meet.");
    say(h, 1, ROLE_ASSISTANT, "Noted, the gate code is 4711.");
    say(h, 1, ROLE_USER, "What time is it?");
    say(h, 1, ROLE_TOOL, "{\"gate\": \"of the tool\"}");
    say(h, 1, ROLE_ASSISTANT, "It is noon.");
    say(h, 1, ROLE_USER, "The cellar is damp.");
    say(h, 1, ROLE_ASSISTANT, "Air it. GATE CODE unchanged.");
    h->asked[0] = say(h, 1, ROLE_USER, "Where did I say the gate code?");
}

static json_t *call_as(struct home *h, int64_t owner, const char *name, const char *args)
{
    AUTO_STRBUF out;
    strbuf_init(&out, TOOL_RESULT_MAX);
    struct tool_context c = {.store = h->store,
        .config = &h->config,
        .providers = h->providers,
        .owner = owner,
        .session_id = h->session[owner - 1],
        .asked_id = h->asked[owner - 1],
        .now = NOW};
    struct llm_tool_call asked = {"id", name, args};
    tool_run(&c, &asked, &out);
    json_t *v = NULL;
    assert_ok(json_parse(strbuf_str(&out), TOOL_RESULT_MAX, &v, NULL));
    return v;
}

static json_t *call(struct home *h, const char *name, const char *args)
{
    return call_as(h, 1, name, args);
}

static const char *text_at(const json_t *v, const char *list, size_t i, const char *key)
{
    return json_string_value(json_object_get(json_array_get(json_object_get(v, list), i), key));
}

static json_int_t int_at(const json_t *v, const char *list, size_t i, const char *key)
{
    return json_integer_value(json_object_get(json_array_get(json_object_get(v, list), i), key));
}

static size_t count_at(const json_t *v, const char *list)
{
    assert_non_null(json_object_get(v, list));
    return json_array_size(json_object_get(v, list));
}

static const char *error_of(const json_t *v)
{
    const char *s = json_string_value(json_object_get(v, "error"));
    assert_non_null(s);
    return s;
}

/* ---- search_this_session ---- */

TEST(search_finds_places_newest_first_and_folds_case_and_accents)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) v = call(&h, "search_this_session", "{\"query\":\"gate CODE\"}");
    assert_int_equal(count_at(v, "matches"), 3);
    assert_int_equal(int_at(v, "matches", 0, "position"), 7);
    assert_int_equal(int_at(v, "matches", 2, "position"), 1);
    assert_string_equal(text_at(v, "matches", 2, "role"), "user");
    assert_non_null(strstr(text_at(v, "matches", 2, "url"), "/s/ses_a?at="));
    assert_int_equal(json_integer_value(json_object_get(v, "positions")), 7);
    AUTO(json_t) folded = call(&h, "search_this_session", "{\"query\":\"cafe grosse\"}");
    AUTO(json_t) umlaut = call(&h, "search_this_session", "{\"query\":\"CAF\\u00c9 GR\\u00d6\"}");
    assert_int_equal(count_at(folded, "matches"), 0); /* sharp s is one letter */
    assert_int_equal(count_at(umlaut, "matches"), 1);
    AUTO(json_t) one = call(&h, "search_this_session", "{\"query\":\"gate code\",\"limit\":1}");
    assert_int_equal(count_at(one, "matches"), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "messages_found")), 3);
    leave(&h);
}

TEST(search_stays_on_the_path_of_the_turn)
{
    struct home h = home();
    talk(&h);
    int64_t first = INT64_C(1) << 32 | 1;
    say_at(&h, 1, first, ROLE_ASSISTANT, "On another branch: the walrus.");
    AUTO(json_t) v = call(&h, "search_this_session", "{\"query\":\"walrus\"}");
    assert_int_equal(count_at(v, "matches"), 0);
    AUTO(json_t) own = call(&h, "search_this_session", "{\"query\":\"Where did I say\"}");
    assert_int_equal(count_at(own, "matches"), 0); /* the question itself */
    leave(&h);
}

TEST(an_excerpt_shows_the_match_and_is_whole_text)
{
    struct home h = home();
    char text[2048];
    AUTO_STRBUF long_text;
    strbuf_init(&long_text, 8192);
    for (int i = 0; i < 300; i++)
        strbuf_adds(&long_text, "ä·");
    strbuf_adds(&long_text, "needle");
    for (int i = 0; i < 300; i++)
        strbuf_adds(&long_text, "€");
    snprintf(text, sizeof text, "%s", long_text.s);
    say(&h, 1, ROLE_USER, long_text.s);
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    AUTO(json_t) v = call(&h, "search_this_session", "{\"query\":\"NEEDLE\"}");
    const char *excerpt = text_at(v, "matches", 0, "excerpt");
    assert_non_null(strstr(excerpt, "needle"));
    assert_true(strncmp(excerpt, "…", 3) == 0 && strlen(excerpt) < 500);
    leave(&h);
}

/* ---- read_messages ---- */

TEST(read_gives_a_range_by_place_by_id_and_by_number)
{
    struct home h = home();
    char args[128];
    talk(&h);
    AUTO(json_t) v = call(&h, "read_messages", "{\"from\":\"3\",\"to\":\"5\"}");
    assert_int_equal(count_at(v, "messages"), 3);
    assert_string_equal(text_at(v, "messages", 1, "role"), "tool");
    assert_string_equal(text_at(v, "messages", 1, "tool"), "current_time");
    assert_string_equal(text_at(v, "messages", 2, "text"), "It is noon.");
    assert_null(json_object_get(v, "left_out"));
    snprintf(args, sizeof args, "{\"from\":\"%s\"}", text_at(v, "messages", 2, "id"));
    AUTO(json_t) by_id = call(&h, "read_messages", args);
    assert_int_equal(count_at(by_id, "messages"), 3);
    AUTO(json_t) last = call(&h, "read_messages", "{\"last\":2}");
    assert_int_equal(int_at(last, "messages", 0, "position"), 6);
    AUTO(json_t) many = call(&h, "read_messages", "{\"last\":200}");
    assert_int_equal(count_at(many, "messages"), 7);
    leave(&h);
}

TEST(read_continues_after_a_full_result)
{
    struct home h = home();
    AUTO_STRBUF big, got;
    strbuf_init(&big, 100000);
    strbuf_init(&got, 100000);
    for (int i = 0; big.len < 60000; i++)
        strbuf_addf(&big, "<%d \"ö\"\n", i);
    say(&h, 1, ROLE_USER, big.s);
    say(&h, 1, ROLE_ASSISTANT, "short");
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    char args[128] = "{\"from\":\"1\"}";
    for (int calls = 0;; calls++) {
        AUTO(json_t) v = call(&h, "read_messages", args);
        assert_true(calls < 20);
        for (size_t i = 0; i < count_at(v, "messages"); i++)
            strbuf_adds(&got, text_at(v, "messages", i, "text"));
        const json_t *next = json_object_get(v, "left_out");
        if (!next)
            break;
        snprintf(args, sizeof args, "{\"from\":\"%s\",\"to\":\"%s\",\"offset\":%lld}",
            json_string_value(json_object_get(next, "from")), json_string_value(json_object_get(next, "to")),
            (long long)json_integer_value(json_object_get(next, "offset")));
    }
    strbuf_adds(&big, "short");
    assert_string_equal(got.s, big.s);
    leave(&h);
}

TEST(many_small_messages_come_in_pages)
{
    struct home h = home();
    for (int i = 0; i < 100; i++)
        say(&h, 1, i % 2 ? ROLE_ASSISTANT : ROLE_USER, "x");
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    AUTO(json_t) v = call(&h, "read_messages", "{\"last\":100}");
    size_t n = count_at(v, "messages");
    const json_t *left = json_object_get(v, "left_out");
    assert_true(n < 100);
    assert_int_equal(json_integer_value(json_object_get(left, "messages")), 100 - n);
    leave(&h);
}

TEST(another_session_of_the_user_is_read_but_never_a_strangers)
{
    struct home h = home();
    talk(&h);
    say(&h, 2, ROLE_USER, "Bob's secret");
    h.asked[1] = say(&h, 2, ROLE_USER, "?");
    static const char *const tools[] = {"read_messages", "search_this_session", "summarize_range"};
    static const char *const args[] = {"{\"session\":\"ses_b\",\"last\":5}",
        "{\"session\":\"ses_b\",\"query\":\"secret\"}", "{\"session\":\"ses_b\",\"last\":5}"};
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        AUTO(json_t) v = call(&h, tools[i], args[i]);
        assert_string_equal(error_of(v), "There is no session with this id.");
    }
    /* a message of bob is not on ann's path */
    AUTO(json_t) v = call(&h, "read_messages", "{\"from\":\"8589934593\"}");
    error_of(v);
    AUTO(json_t) own = call_as(&h, 2, "read_messages", "{\"session\":\"ses_b\",\"last\":5}");
    assert_string_equal(text_at(own, "messages", 0, "text"), "Bob's secret");
    leave(&h);
}

TEST(broken_arguments_are_told)
{
    struct home h = home();
    static const struct {
        const char *name, *args;
    } bad[] = {{"search_this_session", "{\"query\":\"  \"}"}, {"search_this_session", "{}"},
        {"search_this_session", "{\"query\":\"x\",\"limit\":0}"}, {"search_this_session", "{\"query\":7}"},
        {"read_messages", "{}"}, {"read_messages", "{\"from\":1}"}, {"read_messages", "{\"from\":\"0\"}"},
        {"read_messages", "{\"from\":\"-1\"}"}, {"read_messages", "{\"from\":\"9\"}"},
        {"read_messages", "{\"from\":\"5\",\"to\":\"2\"}"}, {"read_messages", "{\"from\":\"1\",\"last\":2}"},
        {"read_messages", "{\"last\":0}"}, {"read_messages", "{\"last\":1,\"owner\":2}"},
        {"summarize_range", "{}"}, {"summarize_range", "{\"all\":false}"},
        {"summarize_range", "{\"all\":true,\"last\":3}"}, {"set_context_preferences", "{}"},
        {"set_context_preferences", "{\"memories\":[\"x\"]}"},
        {"set_context_preferences", "{\"memories\":\"1\"}"}, {"set_context_preferences", "{\"recent\":-1}"},
        {"set_context_preferences", "{\"from\":\"99\"}"}, {"set_workspace", "{}"},
        {"set_workspace", "{\"name\":\"a\\nb\"}"},
        {"set_workspace",
            "{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}"}};
    talk(&h);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(json_t) v = call(&h, bad[i].name, bad[i].args);
        if (!json_object_get(v, "error") || strcmp(error_of(v), "The tool failed.") == 0)
            fail_msg("%s %s", bad[i].name, bad[i].args);
    }
    leave(&h);
}

TEST(an_empty_session_has_nothing_to_read)
{
    struct home h = home();
    h.asked[0] = say(&h, 1, ROLE_USER, "Hello");
    AUTO(json_t) read = call(&h, "read_messages", "{\"last\":5}");
    assert_int_equal(count_at(read, "messages"), 0);
    AUTO(json_t) found = call(&h, "search_this_session", "{\"query\":\"Hello\"}");
    assert_int_equal(count_at(found, "matches"), 0);
    AUTO(json_t) v = call(&h, "summarize_range", "{\"last\":5}");
    error_of(v);
    leave(&h);
}

/* ---- summarize_range ---- */

static enum rc keep_summary_tx(struct db *db, void *arg, struct err *e)
{
    return store_summary_add(db, 1, arg, e);
}

TEST(a_range_is_summed_up_at_once_and_only_once)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) v = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"5\"}");
    const json_t *s = json_object_get(v, "summary");
    assert_false(json_is_true(json_object_get(v, "made_before")));
    assert_non_null(strstr(json_string_value(json_object_get(s, "by")), "rule"));
    assert_non_null(strstr(json_string_value(json_object_get(s, "text")), "4711"));
    assert_int_equal(json_integer_value(json_object_get(s, "to")), 5);
    AUTO(json_t) again = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"5\"}");
    assert_true(json_is_true(json_object_get(again, "made_before")));
    AUTO(json_t) other = call(&h, "summarize_range", "{\"last\":2}");
    assert_false(json_is_true(json_object_get(other, "made_before")));
    AUTO(json_t) all = call(&h, "summarize_range", "{\"all\":true}");
    assert_int_equal(count_at(all, "summaries"), 2);
    assert_int_equal(int_at(all, "summaries", 0, "version"), 2);
    leave(&h);
}

TEST(a_models_summary_of_the_range_is_preferred)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) by_rule = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"2\"}");
    struct summary s = {.session_id = h.session[0],
        .first_id = INT64_C(1) << 32 | 1,
        .last_id = INT64_C(1) << 32 | 2,
        .messages = 2,
        .text = STR("What a model wrote."),
        .provider = "openai",
        .model = "m",
        .created_at = NOW};
    assert_ok(store_write(h.store, keep_summary_tx, &s, NULL));
    AUTO(json_t) v = call(&h, "summarize_range", "{\"from\":\"1\",\"to\":\"2\"}");
    const json_t *got = json_object_get(v, "summary");
    assert_string_equal(json_string_value(json_object_get(got, "text")), "What a model wrote.");
    assert_string_equal(json_string_value(json_object_get(got, "by")), "a model");
    leave(&h);
}

TEST(all_summaries_come_in_pages)
{
    struct home h = home();
    AUTO_STRBUF text;
    strbuf_init(&text, 8000);
    while (text.len < 7000)
        strbuf_adds(&text, "A \"long\" line.\n");
    talk(&h);
    for (int i = 0; i < 9; i++) {
        struct summary s = {.session_id = h.session[0],
            .first_id = INT64_C(1) << 32 | 1,
            .last_id = INT64_C(1) << 32 | 2,
            .text = strbuf_str(&text),
            .provider = "openai",
            .model = "m"};
        assert_ok(store_write(h.store, keep_summary_tx, &s, NULL));
    }
    char args[64] = "{\"all\":true}";
    size_t seen = 0;
    for (int calls = 0;; calls++) {
        AUTO(json_t) v = call(&h, "summarize_range", args);
        assert_true(calls < 10);
        seen += count_at(v, "summaries");
        const json_t *before = json_object_get(v, "before");
        if (!before)
            break;
        snprintf(args, sizeof args, "{\"all\":true,\"before\":%lld}", (long long)json_integer_value(before));
    }
    assert_int_equal(seen, 9);
    leave(&h);
}

/* ---- set_context_preferences ---- */

static int64_t keep(struct home *h, int64_t owner, const char *text)
{
    struct memory m;
    struct memory_wish w = {.owner = owner, .text = str_of(text), .now = NOW, .permanent = true};
    assert_ok(memory_add(h->store, &w, h->a, &m, NULL, NULL));
    return m.id;
}

static struct context_override_text wished(struct home *h, int64_t window)
{
    struct context_override_text w;
    struct message *path;
    size_t n;
    struct db *db = store_read(h->store);
    assert_ok(
        store_message_path(db, h->a, 1, h->session[0], h->head[0], MESSAGE_PATH_MAX, &path, &n, NULL, NULL));
    struct context_override_owner who = {.owner = 1,
        .session_id = h->session[0],
        .parent_id = path[n - 1].parent_id,
        .room = window,
        .now = NOW};
    assert_ok(context_override_read(db, h->a, &who, path, n, &w, NULL));
    store_read_done(h->store, db);
    return w;
}

TEST(without_a_wish_nothing_is_wished)
{
    struct home h = home();
    talk(&h);
    struct context_override_text w = wished(&h, WINDOW);
    assert_false(w.present || w.sets_memories || w.text.len || w.from);
    leave(&h);
}

TEST(a_wish_names_facts_range_recent_and_summaries)
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
    struct context_override_text w = wished(&h, WINDOW);
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

TEST(a_later_wish_replaces_the_one_before)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t) one = call(&h, "set_context_preferences", "{\"recent\":0,\"summaries\":true}");
    AUTO(json_t) two = call(&h, "set_context_preferences", "{\"memories\":[]}");
    struct context_override_text w = wished(&h, WINDOW);
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
        assert_int_equal(wished(&h, WINDOW).from, table[i].from);
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
    struct context_override_text w = wished(&h, WINDOW);
    assert_true(w.text.len > 1000 && w.text.len < WINDOW / OVERRIDE_SHARE_RANGE * 3 + 200);
    assert_non_null(strstr(w.text.s, "\"cut\":true"));
    leave(&h);
}

TEST(a_wish_for_foreign_or_forgotten_facts_is_refused_or_empty)
{
    struct home h = home();
    char args[64];
    talk(&h);
    int64_t theirs = keep(&h, 2, "Bob has a cat"), mine = keep(&h, 1, "Ann has a dog");
    snprintf(args, sizeof args, "{\"memories\":[\"%lld\"]}", (long long)theirs);
    AUTO(json_t) foreign = call(&h, "set_context_preferences", args);
    assert_string_equal(error_of(foreign), "There is no memory with this id.");
    assert_false(wished(&h, WINDOW).present);
    snprintf(args, sizeof args, "{\"memories\":[\"%lld\"]}", (long long)mine);
    AUTO(json_t) v = call(&h, "set_context_preferences", args);
    assert_int_equal(wished(&h, WINDOW).memories_n, 1);
    assert_ok(memory_pause(h.store, 1, true, NOW, NULL));
    assert_int_equal(wished(&h, WINDOW).memories_n, 0);
    assert_ok(memory_pause(h.store, 1, false, NOW, NULL));
    assert_ok(memory_delete(h.store, 1, mine, NOW, NULL));
    assert_int_equal(wished(&h, WINDOW).memories_n, 0);
    leave(&h);
}

static enum rc drop_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *owner = arg;
    return store_context_override_drop(db, *owner, 1, e);
}

TEST(only_the_owner_takes_a_wish_away)
{
    struct home h = home();
    int64_t ann = 1, bob = 2;
    talk(&h);
    AUTO(json_t) v = call(&h, "set_context_preferences", "{\"recent\":1}");
    assert_ok(store_write(h.store, drop_tx, &bob, NULL));
    assert_true(wished(&h, WINDOW).present);
    assert_ok(store_write(h.store, drop_tx, &ann, NULL));
    assert_false(wished(&h, WINDOW).present);
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
    struct context_override_text w = wished(&h, WINDOW);
    assert_non_null(strstr(w.text.s, "It is noon."));
    assert_null(strstr(w.text.s, "cellar is damp"));
    leave(&h);
}

TEST(a_long_text_is_cut_between_characters)
{
    struct home h = home();
    AUTO_STRBUF euros;
    strbuf_init(&euros, 40000);
    for (int i = 0; i < 10000; i++)
        strbuf_adds(&euros, "€");
    say(&h, 1, ROLE_USER, euros.s);
    h.asked[0] = say(&h, 1, ROLE_USER, "?");
    AUTO(json_t) v = call(&h, "read_messages", "{\"from\":\"1\"}");
    const char *text = text_at(v, "messages", 0, "text");
    assert_int_equal(strlen(text) % strlen("€"), 0);
    json_int_t next = json_integer_value(json_object_get(json_object_get(v, "left_out"), "offset"));
    assert_int_equal(next, strlen(text) / strlen("€"));
    assert_true(next > 5000);
    leave(&h);
}
