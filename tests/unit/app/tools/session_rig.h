/* Shared by the tests of tools for a session: a store with two users, messages, and calls of tools. */
#ifndef ALFRED_TESTS_APP_TOOLS_SESSION_RIG_H
#define ALFRED_TESTS_APP_TOOLS_SESSION_RIG_H

#include "app/store_rig.h"

#include <stdio.h>

#include "app/config/config.h"
#include "app/memory/memory.h"
#include "app/models/providers.h"
#include "app/tools/context_override.h"
#include "app/tools/tools.h"
#include "codec/json/json.h"
#include "store/account/user.h"
#include "store/memory/summary.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define NOW    INT64_C(1700000000000)
#define WINDOW 8192

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

__attribute__((unused)) static enum rc say_tx(struct db *db, void *arg, struct err *e)
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
__attribute__((unused)) static int64_t say_at(
    struct home *h, int64_t owner, int64_t parent, enum message_role role, const char *text)
{
    struct said s = {h, owner, h->session[owner - 1], parent, role, text, 0};
    assert_ok(store_write(h->store, say_tx, &s, NULL));
    return h->head[owner - 1] = s.id;
}

__attribute__((unused)) static int64_t say(
    struct home *h, int64_t owner, enum message_role role, const char *text)
{
    return say_at(h, owner, h->head[owner - 1], role, text);
}

__attribute__((unused)) static enum rc users_tx(struct db *db, void *arg, struct err *e)
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

__attribute__((unused)) static struct home home(void)
{
    struct home h = {.a = arena_new()};
    h.config.server.data_dir = unit_tmp();
    static struct config none = {.models.default_model = ""}; /* outlives the providers */
    assert_ok(providers_new(&none, &h.providers, NULL));
    h.store = rig_store(users_tx, &h);
    return h;
}

__attribute__((unused)) static void leave(struct home *h)
{
    store_free(h->store);
    providers_free(h->providers);
    arena_free(h->a);
}

/* Ann's talk: eight messages, the third and fourth a call and its result; and what she asks now. */
__attribute__((unused)) static void talk(struct home *h)
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

__attribute__((unused)) static json_t *call_as(
    struct home *h, int64_t owner, const char *name, const char *args)
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

__attribute__((unused)) static json_t *call(struct home *h, const char *name, const char *args)
{
    return call_as(h, 1, name, args);
}

__attribute__((unused)) static const char *text_at(
    const json_t *v, const char *list, size_t i, const char *key)
{
    return json_string_value(json_object_get(json_array_get(json_object_get(v, list), i), key));
}

__attribute__((unused)) static json_int_t int_at(const json_t *v, const char *list, size_t i, const char *key)
{
    return json_integer_value(json_object_get(json_array_get(json_object_get(v, list), i), key));
}

__attribute__((unused)) static size_t count_at(const json_t *v, const char *list)
{
    assert_non_null(json_object_get(v, list));
    return json_array_size(json_object_get(v, list));
}

__attribute__((unused)) static const char *error_of(const json_t *v)
{
    const char *s = json_string_value(json_object_get(v, "error"));
    assert_non_null(s);
    return s;
}

#endif
