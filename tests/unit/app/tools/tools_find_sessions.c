/* search_sessions over a store that is embedded by the helper's task. */
#include "app/search/search_place.h"

#include "app/tools/tools.h"
#include "codec/json/json.h"

static size_t room = TOOL_RESULT_MAX;

static json_t *call(struct place *p, int64_t owner, int64_t session, const char *args)
{
    AUTO_STRBUF out;
    strbuf_init(&out, room);
    struct tool_context c = {.store = p->store,
        .config = p->config,
        .providers = p->providers,
        .owner = owner,
        .session_id = session,
        .now = NOW,
        .room = room};
    tool_run(&c, &(struct llm_tool_call){"id", "search_sessions", args}, &out);
    json_t *v = NULL;
    assert_false(out.failed);
    assert_ok(json_parse(strbuf_str(&out), TOOL_RESULT_MAX, &v, NULL));
    return v;
}

TEST(search_sessions_quotes_other_sessions_of_the_owner)
{
    struct place p = open_place("");
    struct said old = say(&p, p.ann, 0, 0, "The spare key lies under the blue pot");
    struct said here = say(&p, p.ann, 0, 0, "Where is the spare key?");
    say(&p, p.bob, 0, 0, "The spare key of bob");
    assert_ok(embed(&p, p.ann));
    AUTO(json_t) v = call(&p, p.ann, here.session, "{\"query\":\"Where is the spare key?\"}");
    const json_t *sessions = json_object_get(v, "sessions");
    assert_int_equal(json_array_size(sessions), 1);
    const json_t *m = json_array_get(json_object_get(json_array_get(sessions, 0), "messages"), 0);
    char id[32];
    struct str text, got;
    snprintf(id, sizeof id, "%lld", (long long)old.id);
    assert_true(json_get_str(m, "id", &got) && str_is(got, id));
    assert_true(json_get_str(m, "text", &text) && str_is(text, "The spare key lies under the blue pot"));
    close_place(&p);
}

TEST(search_sessions_refuses_other_arguments_and_stays_small)
{
    struct place p = open_place("");
    static const char *const bad[] = {"{}", "{\"query\":\"\"}", "{\"query\":\"  \"}", "{\"query\":[7]}",
        "{\"query\":\"x\",\"top_k\":0}", "{\"query\":\"x\",\"top_k\":11}",
        "{\"query\":\"x\",\"top_k\":\"three\"}", "{\"query\":\"x\",\"messages_per_session\":6}",
        "{\"query\":\"x\",\"after\":\"yesterday\"}", "{\"query\":\"x\",\"before\":\"2026-02-30\"}",
        "{\"query\":\"x\",\"owner\":2}", "{\"query\":\"x\",\"user\":\"bob\"}"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(json_t) v = call(&p, p.ann, 0, bad[i]);
        assert_non_null(json_object_get(v, "error"));
    }
    AUTO(arena) a = arena_new();
    char *long_text = arena_alloc(a, 20001);
    memset(long_text, '<', 20000);
    memcpy(long_text, "violin ", 7);
    for (int64_t i = 0, session = 0; i < 60; i++)
        session = say(&p, p.ann, i % 5 ? session : 0, i, long_text).session;
    assert_ok(embed(&p, p.ann));
    AUTO(json_t) v = call(&p, p.ann, 0, "{\"query\":\"violin\",\"top_k\":10,\"messages_per_session\":5}");
    assert_true(json_array_size(json_object_get(v, "sessions")) >= 1);
    for (room = 2048; room < TOOL_RESULT_MAX; room *= 2) {
        AUTO(json_t) less = call(&p, p.ann, 0, "{\"query\":\"violin\",\"messages_per_session\":5}");
        assert_true(json_array_size(json_object_get(less, "sessions")) >= 1);
    }
    room = TOOL_RESULT_MAX;
    close_place(&p);
}
