/* Shared by the tests of suggestions: a store with two users, messages, calls of tools, and decisions. */
#ifndef ALFRED_TESTS_APP_SUGGESTION_RIG_H
#define ALFRED_TESTS_APP_SUGGESTION_RIG_H

#include "app/store_rig.h"

#include <stdio.h>

#include "app/memory/memory.h"
#include "app/suggestion/suggestion.h"
#include "app/suggestion/typed_answer.h"
#include "app/tasks/tasks.h"
#include "app/tools/tools.h"
#include "codec/json/json.h"
#include "store/account/user.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define NOW INT64_C(1700000000000)

/* Ann's sessions 1, 2 and 4 (without a title), and Bob's session 3. */
struct home {
    struct store *store;
    struct arena *a;
    int64_t now, asked, head;
    bool untrusted;
};

__attribute__((unused)) static enum rc users_tx(struct db *db, void *arg, struct err *e)
{
    int64_t *id = arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, 1, "ses_a", NULL, NULL, NOW, id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, 1, "ses_b", NULL, NULL, NOW, id, e);
    if (rc == RC_OK)
        rc = store_session_rename(db, 1, "ses_b", "Rome", e);
    if (rc == RC_OK)
        rc = store_user_add(db, "bob", USER_MEMBER, "x", NOW, id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, 2, "ses_c", NULL, NULL, NOW, id, e);
    return rc == RC_OK ? store_session_add(db, 1, "ses_d", NULL, NULL, NOW, id, e) : rc;
}

__attribute__((unused)) static struct home home(void)
{
    int64_t id;
    struct home h = {.a = arena_new(), .now = NOW};
    h.store = rig_store(users_tx, &id);
    return h;
}

__attribute__((unused)) static void leave(struct home *h)
{
    store_free(h->store);
    arena_free(h->a);
}

struct added {
    struct message m;
    bool shows; /* changes by the tools */
};

__attribute__((unused)) static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct added *a = arg;
    enum rc rc = store_message_add(db, 1, &a->m, e);
    return rc == RC_OK && a->shows ? store_suggestion_show(db, 1, 1, a->m.id, e) : rc;
}

__attribute__((unused)) static int64_t add(
    struct home *h, int64_t parent, enum message_role role, const char *text, int64_t typed)
{
    struct added a = {.m = {.session_id = 1,
                          .parent_id = parent,
                          .role = role,
                          .channel = "web",
                          .text = str_of(text),
                          .created_at = h->now,
                          .pasted_from = typed},
        .shows = role == ROLE_ASSISTANT};
    assert_ok(store_write(h->store, add_tx, &a, NULL));
    return h->head = a.m.id;
}

__attribute__((unused)) static void says(struct home *h, const char *text)
{
    h->asked = add(h, h->head, ROLE_USER, text, MESSAGE_TYPED);
}

__attribute__((unused)) static int64_t answers(struct home *h, const char *text)
{
    return add(h, h->head, ROLE_ASSISTANT, text, MESSAGE_TYPED);
}

__attribute__((unused)) static json_t *call(struct home *h, const char *name, const char *args)
{
    AUTO_STRBUF out;
    strbuf_init(&out, TOOL_RESULT_MAX);
    struct tool_context c = {.store = h->store,
        .owner = 1,
        .session_id = 1,
        .asked_id = h->asked,
        .untrusted = h->untrusted,
        .now = h->now};
    tool_run(&c, &(struct llm_tool_call){"call", name, args}, &out);
    json_t *v = NULL;
    assert_ok(json_parse(strbuf_str(&out), TOOL_RESULT_MAX, &v, NULL));
    if (json_object_get(v, "error") && getenv("SHOW"))
        printf("%s: %s\n", name, out.s);
    return v;
}

__attribute__((unused)) static bool waits(struct home *h, const char *name, const char *args)
{
    AUTO(json_t) v = call(h, name, args);
    if (json_object_get(v, "error"))
        fail_msg("%s %s: %s", name, args, json_string_value(json_object_get(v, "error")));
    return json_object_get(v, "status") != NULL;
}

__attribute__((unused)) static bool fails(struct home *h, const char *name, const char *args)
{
    AUTO(json_t) v = call(h, name, args);
    return json_object_get(v, "error") != NULL;
}

__attribute__((unused)) static int64_t kept(struct home *h, const char *text)
{
    struct memory m;
    struct memory_input w = {.owner = 1, .text = str_of(text), .permanent = true, .now = h->now};
    assert_ok(memory_add(h->store, &w, h->a, &m, NULL, NULL));
    return m.id;
}

__attribute__((unused)) static int64_t listed(struct home *h, const char *text)
{
    struct task t;
    struct task_input w = {.owner = 1, .text = str_of(text), .now = h->now};
    assert_ok(tasks_add(h->store, &w, h->a, &t, NULL));
    return t.id;
}

/* All facts and open tasks, newest fact first. */
__attribute__((unused)) static const char *stored(struct home *h)
{
    struct memory *m;
    size_t n;
    struct tasks_page p;
    const char *all = "";
    struct memory_filter f = {.limit = 99};
    struct db *db = store_read(h->store);
    assert_ok(store_memory_list(db, h->a, 1, h->now, &f, &m, &n, NULL));
    assert_ok(tasks_list(db, h->a, 1, TASKS_OPEN, NULL, 99, &p, NULL));
    store_read_done(h->store, db);
    for (size_t i = 0; i < n; i++)
        all = arena_printf(h->a, "%s%s|", all, m[i].text.s);
    for (size_t i = 0; i < p.n; i++)
        all = arena_printf(h->a, "%s%s|", all, p.rows[i].text.s);
    return all;
}

/* The newest suggestion of all. */
__attribute__((unused)) static int64_t newest(struct home *h)
{
    struct suggestion s;
    int64_t id = 0;
    struct db *db = store_read(h->store);
    while (store_suggestion_get(db, h->a, 1, id + 1, 0, &s, NULL) == RC_OK)
        id++;
    store_read_done(h->store, db);
    return id;
}

__attribute__((unused)) static enum rc decide_as(
    struct home *h, int64_t owner, int64_t id, enum suggestion_verdict verdict)
{
    struct suggestion s;
    struct suggestion_decision d = {owner, id, verdict, h->now};
    return suggestion_decide(h->store, h->a, &d, &s, NULL);
}

__attribute__((unused)) static enum rc decide(struct home *h, int64_t id, enum suggestion_verdict verdict)
{
    return decide_as(h, 1, id, verdict);
}

__attribute__((unused)) static struct suggestion_look look(struct home *h, int64_t id)
{
    struct suggestion s;
    struct suggestion_look l;
    struct db *db = store_read(h->store);
    assert_ok(store_suggestion_get(db, h->a, 1, id, h->now, &s, NULL));
    assert_ok(suggestion_look(db, h->a, 1, &s, h->now, &l, NULL));
    store_read_done(h->store, db);
    return l;
}

#endif
