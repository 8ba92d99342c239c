#include "web/stream/completions_place.h"

#include "app/context/context.h"
#include "app/picture/picture.h"
#include "codec/base64.h"
#include "store/session/history_place.h"
#include "store/session/session.h"
#include "web/http/web.h"
#include "web/stream/completions_request_private.h"

#define CALLS_MAX ((size_t)4 * 1024 * 1024)

struct search {
    struct req *r;
    const struct completion_request *c;
    struct history *after;  /* [i]: the history up to and including message i */
    struct session session; /* id 0: the request names none */
    struct completion_place *out;
};

/* RC_NOT_FOUND: the session or the message is gone. */
static enum rc take(
    struct db *db, struct search *s, const struct history_place *p, size_t from, struct err *e)
{
    struct arena *a = s->r->arena;
    int64_t owner = s->r->who.user_id;
    struct session by_id, session = {0};
    struct message m = {0};
    enum rc rc = store_session_by_id(db, a, owner, p->session_id, &by_id, e);
    if (rc == RC_OK)
        rc = store_session_get(db, a, owner, by_id.pub, &session, e);
    if (rc == RC_OK)
        rc = store_message_get(db, a, owner, p->message_id, &m, e);
    bool fits = rc == RC_OK && m.session_id == session.id && (!s->session.id || s->session.id == session.id);
    if (rc == RC_OK && !fits)
        return err_set(e, RC_NOT_FOUND, "the place is of another session");
    if (rc != RC_OK)
        return rc;
    s->out->session = session.pub;
    s->out->by_history = s->session.id == 0;
    s->out->parent_id = m.id;
    s->out->from = from;
    return RC_OK;
}

/* The longest beginning of the conversation that is known. */
static enum rc find_by_history(struct db *db, struct search *s, struct err *e)
{
    for (size_t i = s->c->messages_n; i-- > 0;) {
        struct history_place p;
        char key[HISTORY_KEY];
        if (s->c->messages[i].role != LLM_ASSISTANT)
            continue;
        history_key(&s->after[i], key);
        struct err why = ERR_INIT;
        enum rc rc = store_history_place_find(db, s->r->who.user_id, key, &p, &why);
        if (rc == RC_OK)
            rc = take(db, s, &p, i + 1, &why);
        if (rc != RC_NOT_FOUND) {
            if (rc != RC_OK)
                *e = why;
            return rc;
        }
    }
    return err_set(e, RC_NOT_FOUND, "the conversation is not known");
}

/* A name that begins like an id of ours is one; any other is the program's own. */
static enum rc find_by_name(struct db *db, struct search *s, const char *name, struct err *e)
{
    struct arena *a = s->r->arena;
    int64_t owner = s->r->who.user_id;
    struct history_place p;
    if (id_valid(ID_SESSION, name))
        return store_session_get(db, a, owner, name, &s->session, e);
    s->out->own_key = arena_printf(a, "s:%s", name);
    enum rc rc = store_history_place_find(db, owner, s->out->own_key, &p, e);
    if (rc == RC_OK)
        rc = store_session_by_id(db, a, owner, p.session_id, &s->session, e);
    if (rc == RC_OK)
        rc = store_session_get(db, a, owner, s->session.pub, &s->session, e);
    if (rc == RC_NOT_FOUND)
        s->session = (struct session){0}; /* the name is new, or its session was deleted */
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static size_t last_question(const struct completion_request *c)
{
    size_t i = c->messages_n - 1;
    while (i > 0 && c->messages[i].role != LLM_USER)
        i--;
    return i;
}

static enum rc find(struct db *db, struct search *s, const char *name, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = name ? find_by_name(db, s, name, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    /* a new name is a new conversation, also with known messages */
    rc = name && !s->session.id ? RC_NOT_FOUND : find_by_history(db, s, &why);
    if (rc != RC_NOT_FOUND) {
        if (rc != RC_OK)
            *e = why;
        return rc;
    }
    if (s->session.id) { /* the program has cut or changed the history */
        s->out->session = s->session.pub;
        s->out->parent_id = s->session.head_id;
        s->out->from = last_question(s->c);
    }
    return RC_OK;
}

enum rc completion_find_place(struct req *r, const struct completion_request *c, const char *name,
    struct completion_place *out, struct err *e)
{
    struct search s = {.r = r, .c = c, .out = out};
    *out = (struct completion_place){0};
    s.after = ARENA_ARRAY(r->arena, struct history, c->messages_n);
    history_begin(&out->history);
    for (size_t i = 0; i < c->messages_n; i++) {
        history_add(&out->history, &c->messages[i]);
        s.after[i] = out->history;
    }
    struct db *db = store_read(r->web->store);
    enum rc rc = find(db, &s, name, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* ---- rows ---- */

static const enum message_role roles[] = {[LLM_SYSTEM] = ROLE_SYSTEM,
    [LLM_USER] = ROLE_USER,
    [LLM_ASSISTANT] = ROLE_ASSISTANT,
    [LLM_TOOL] = ROLE_TOOL};

static const char *calls_text(struct arena *a, const struct llm_tool_call *calls, size_t n)
{
    AUTO_STRBUF json;
    strbuf_init(&json, CALLS_MAX);
    context_calls_json(calls, n, &json);
    return json.failed ? NULL : arena_strndup(a, json.s, json.len);
}

static const struct llm_tool_call *call_of(const struct completion_request *c, size_t at)
{
    for (size_t i = at; i-- > 0;)
        for (size_t k = 0; k < c->messages[i].calls_n; k++)
            if (strcmp(c->messages[i].calls[k].id, c->messages[at].call_id) == 0)
                return &c->messages[i].calls[k];
    return NULL;
}

void completion_new_messages(
    struct arena *a, const struct completion_request *c, size_t from, struct message **out, size_t *n)
{
    *out = ARENA_ARRAY(a, struct message, c->messages_n + 1);
    *n = 0;
    for (size_t i = from; i < c->messages_n; i++) {
        const struct llm_message *m = &c->messages[i];
        if (m->role == LLM_SYSTEM)
            continue;
        struct message *row = &(*out)[(*n)++];
        *row = (struct message){.role = roles[m->role],
            .text = m->text,
            .call_id = m->call_id,
            .pictures = c->stored[i],
            .pictures_n = c->stored[i] ? m->pictures_n : 0};
        const struct llm_tool_call *call = m->role == LLM_TOOL ? call_of(c, i) : NULL;
        row->tool = call ? call->name : NULL;
        if (call)
            row->calls = calls_text(a, call, 1);
        else if (m->calls_n)
            row->calls = calls_text(a, m->calls, m->calls_n);
    }
}

/* ---- pictures ---- */

static enum rc store_one(struct req *r, const struct llm_picture *p, struct picture *out, struct err *e)
{
    size_t bytes = 0;
    AUTO_FREE char *data = base64_decode(p->base64, &bytes);
    if (!data)
        return err_set(e, RC_INTERNAL, "a picture that was read cannot be decoded again");
    return picture_store(
        r->web->store, r->web->config, r->arena, r->who.user_id, (struct str){data, bytes}, out, e);
}

enum rc completion_store_pictures(
    struct req *r, const struct completion_request *c, size_t from, struct err *e)
{
    for (size_t i = from; i < c->messages_n; i++) {
        const struct llm_message *m = &c->messages[i];
        if (!m->pictures_n || c->stored[i])
            continue;
        struct picture *list = ARENA_ARRAY(r->arena, struct picture, m->pictures_n);
        for (size_t k = 0; k < m->pictures_n; k++) {
            enum rc rc = store_one(r, &m->pictures[k], &list[k], e);
            if (rc != RC_OK)
                return rc;
        }
        c->stored[i] = list;
    }
    return RC_OK;
}
