#include "cli/chat/chat.h"

#include <stdio.h>

#include "cli/chat/files.h"

#define CONFLICTS_MAX  5
#define QUESTION_STATE "open"

void chat_use(struct chat *c, const char *session)
{
    struct err e = ERR_INIT;
    snprintf(c->session, sizeof c->session, "%s", session ? session : "");
    if (c->remembers && files_session_store(c->remembers, session, &e) != RC_OK)
        output_note(c->out, "The session cannot be remembered: %s.", e.text);
}

static const char *kept(struct chat *c, const json_t *v, const char *key)
{
    struct str s = {"", 0};
    json_get_str(v, key, &s);
    return arena_strndup(c->arena, s.s, s.len);
}

enum rc chat_look(struct chat *c, const char *session, struct chat_session *out, struct err *e)
{
    AUTO(json_t) v = NULL;
    *out = (struct chat_session){.title = "", .last = "", .text = ""};
    enum rc rc = server_call(
        c->server, "GET", arena_printf(c->arena, "/api/sessions/%s?limit=1", session), NULL, &v, e);
    if (rc != RC_OK)
        return rc;
    const json_t *messages = json_object_get(v, "messages");
    const json_t *last = json_array_get(messages, json_array_size(messages) - 1);
    snprintf(out->turn, sizeof out->turn, "%s", kept(c, v, "turn"));
    out->title = kept(c, json_object_get(v, "session"), "title");
    out->last = kept(c, last, "id");
    out->text = kept(c, last, "text");
    return RC_OK;
}

enum rc chat_watch(struct chat *c, const char *turn, const char *reply, struct remote_end *end, struct err *e)
{
    struct remote_reader reader = output_reader(c->out);
    output_begin(c->out, c->server->loop);
    enum rc rc = remote_follow(c->server, turn, reply, &reader, end, e);
    output_end(c->out);
    return rc;
}

/* Another program's answer is shown at a prompt only: a pipe gets the answer to its own message. */
static enum rc await_answer(struct chat *c, struct err *e)
{
    static const struct remote_reader silent = {0};
    struct chat_session now;
    struct remote_end end;
    struct err own = ERR_INIT;
    enum rc rc = chat_look(c, c->session, &now, &own);
    if (rc == RC_OK && !*now.turn)
        return RC_OK;
    output_note(c->out, "An answer is being written in this session. Your message follows it.");
    if (rc == RC_OK)
        rc = output_mode(c->out) == OUTPUT_TERMINAL
                 ? chat_watch(c, now.turn, NULL, &end, &own)
                 : remote_follow(c->server, now.turn, NULL, &silent, &end, &own);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        *e = own;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static void on_waits(void *arg, const struct err *why)
{
    output_note(arg, "%s Trying again.", why->text);
}

static enum rc send_message(struct chat *c, struct str text, struct remote_ids *ids, struct err *e)
{
    for (int conflicts = 0;;) {
        struct remote_send what = {.session = *c->session ? c->session : NULL,
            .text = text,
            .choice = c->choice,
            .temporary = c->temporary,
            .waits = on_waits,
            .arg = c->out};
        enum rc rc = remote_send(c->server, &what, ids, e);
        if (rc == RC_CONFLICT && *c->session && conflicts++ < CONFLICTS_MAX) {
            if ((rc = await_answer(c, e)) == RC_OK)
                continue;
        } else if ((rc == RC_NOT_FOUND || rc == RC_GONE) && *c->session) {
            output_note(c->out, "The session was deleted. A new one begins.");
            chat_use(c, NULL);
            continue;
        }
        return rc;
    }
}

enum rc chat_say(struct chat *c, struct str text, struct remote_end *end, struct err *e)
{
    struct remote_ids ids;
    enum rc rc = send_message(c, text, &ids, e);
    if (rc != RC_OK)
        return rc;
    if (strcmp(ids.session, c->session) != 0)
        chat_use(c, ids.session);
    rc = chat_watch(c, ids.turn, ids.reply, end, e);
    /* Marks the session as read. A token without the scope to write cannot, which is harmless. */
    if (rc == RC_OK) {
        AUTO(json_t) body = json_object();
        server_call(
            c->server, "POST", arena_printf(c->arena, "/api/sessions/%s/seen", c->session), body, NULL, NULL);
    }
    return rc;
}

static bool waits(const json_t *suggestion, const char *session)
{
    struct str state = {0}, of = {0};
    return json_is_true(json_object_get(suggestion, "asks")) && json_get_str(suggestion, "state", &state) &&
           str_is(state, QUESTION_STATE) && json_get_str(suggestion, "session", &of) && str_is(of, session);
}

enum rc chat_questions(struct chat *c, json_t **out, struct err *e)
{
    AUTO(json_t) v = NULL;
    *out = NULL;
    enum rc rc = server_call(c->server, "GET", "/api/suggestions", NULL, &v, e);
    if (rc != RC_OK)
        return rc;
    json_t *all = json_object_get(v, "suggestions"), *list = json_array();
    for (size_t i = json_array_size(all); i-- > 0;) /* the oldest first */
        if (waits(json_array_get(all, i), c->session))
            json_array_append(list, json_array_get(all, i));
    *out = list;
    return RC_OK;
}

enum rc chat_decide(struct chat *c, const char *suggestion, bool keep, struct err *e)
{
    AUTO(json_t) body = json_object();
    const char *path =
        arena_printf(c->arena, "/api/suggestions/%s/%s", suggestion, keep ? "keep" : "dismiss");
    return server_call(c->server, "POST", path, body, NULL, e);
}
