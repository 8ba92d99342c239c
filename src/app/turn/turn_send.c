/*
 * Sending. A send is prepared with reads (the path, the context). Then the loop calls the provider while this
 * thread commits the message, so the two waits overlap. Conditions that only the transaction can decide
 * (another turn runs, the client id was used) are also checked before, so that the provider is rarely asked
 * for an answer that is then discarded.
 */
#include "app/turn/turn_plan.h"

#include <sched.h>
#include <stdio.h>

#include "app/session/workspace.h"
#include "base/clock.h"
#include "store/account/user.h"

bool plan_adds_message(const struct turn_request *r)
{
    return r->kind == TURN_SEND || r->kind == TURN_EDIT;
}

static enum rc check_text(const struct plan *p, struct err *e)
{
    const struct turn_request *r = p->req;
    if (!plan_adds_message(r))
        return RC_OK;
    if (r->kind == TURN_SEND && str_trim(r->text).len == 0 && str_trim(r->pictures).len == 0)
        return err_say(e, RC_BAD_INPUT, "chat.empty_message");
    if (r->text.len > (size_t)p->en->set.config->limits.message_bytes)
        return err_say(e, RC_TOO_BIG, "chat.message_too_long",
            arg_limit("max", p->en->set.config->limits.message_bytes));
    return RC_OK;
}

static enum rc find_workspace(struct plan *p, struct err *e)
{
    enum rc rc = p->req->session || !p->req->workspace
                     ? RC_OK
                     : workspace_name(p->turn->arena, str_of(p->req->workspace), &p->workspace, e);
    if (p->workspace && !*p->workspace)
        p->workspace = NULL;
    return rc;
}

static void fill_ids(struct turn_started *ids, const struct turn_row *row, const char *session)
{
    *ids = (struct turn_started){.owner = row->owner,
        .session_id = row->session_id,
        .asked_id = row->asked_id,
        .reply_id = row->reply_id,
        .slot = row->slot};
    snprintf(ids->turn, sizeof ids->turn, "%s", row->pub);
    snprintf(ids->session, sizeof ids->session, "%s", session);
}

/* The turn that began with this question or new answer, and the second one if it was a comparison. */
static enum rc find_turns(struct db *db, struct arena *a, struct plan *p, const struct message *m,
    struct turn_row *row, struct err *e)
{
    struct turn_row second;
    struct session s;
    int64_t owner = p->req->owner, asked = m->role == ROLE_USER ? m->id : m->parent_id;
    struct turn_asked_key key = {owner, m->session_id, asked, m->created_at, .slot = 0};
    enum rc first = store_turn_by_asked(db, a, &key, row, e);
    if (first != RC_OK && first != RC_NOT_FOUND)
        return first;
    key.slot = 1;
    enum rc rc = store_turn_by_asked(db, a, &key, first == RC_OK ? &second : row, e);
    if (first != RC_OK || rc != RC_OK)
        return rc == RC_NOT_FOUND ? first : rc;
    rc = store_session_by_id(db, a, owner, second.session_id, &s, e);
    if (rc == RC_OK)
        fill_ids(&p->out->second, &second, s.pub);
    return rc;
}

enum rc plan_find_repeated(struct db *db, struct arena *a, struct plan *p, struct err *e)
{
    struct message m;
    struct turn_row row;
    struct session s;
    int64_t owner = p->req->owner;
    if (!p->req->client_id)
        return RC_OK;
    enum rc rc = store_message_by_client(db, a, owner, p->req->client_id, &m, e);
    if (rc == RC_OK) {
        rc = find_turns(db, a, p, &m, &row, e);
    } else if (rc == RC_NOT_FOUND) {
        rc = store_turn_by_client(db, a, owner, p->req->client_id, &row, e);
        if (rc == RC_NOT_FOUND)
            return RC_OK;
    }
    if (rc == RC_OK)
        rc = store_session_by_id(db, a, owner, row.session_id, &s, e);
    if (rc != RC_OK)
        return rc;
    fill_ids(&p->out->ids, &row, s.pub);
    p->out->repeated = p->repeated = true;
    return RC_OK;
}

static enum rc message_of_session(struct db *db, struct plan *p, int64_t id, struct message *m, struct err *e)
{
    enum rc rc = store_message_get(db, p->turn->arena, p->req->owner, id, m, e);
    if (rc == RC_OK && m->session_id != p->session.id)
        rc = err_set(e, RC_NOT_FOUND, "message %lld is of another session", (long long)id);
    return rc;
}

enum rc plan_gone_on(const struct plan *p, int64_t head, int64_t branch, struct err *e)
{
    p->out->gone_on = true;
    p->out->head_id = head;
    p->out->branch_id = branch;
    return err_say(e, RC_CONFLICT, "chat.gone_on");
}

static enum rc find_parent(struct db *db, struct plan *p, struct err *e)
{
    struct message m;
    struct err why = ERR_INIT;
    enum rc rc = message_of_session(db, p, p->req->parent_id, &m, &why);
    if (rc == RC_NOT_FOUND) {
        p->out->gone_on = true;
        p->out->head_id = p->session.head_id;
        return err_say(e, RC_NOT_FOUND, TURN_PLACE_GONE);
    }
    if (rc != RC_OK)
        *e = why;
    return rc;
}

static void keep_pictures(struct plan *p, const struct message *m)
{
    p->pictures = picture_list_copy(p->turn->arena, m->pictures, m->pictures_n);
    p->pictures_n = m->pictures_n;
}

/* The question of an answer, which may have called tools. `begins`: the answer's first message. */
static enum rc find_question(
    struct db *db, struct plan *p, const struct message *answer, int64_t *id, int64_t *begins, struct err *e)
{
    struct message m = *answer;
    enum rc rc;
    while (m.role != ROLE_USER && m.parent_id) {
        *begins = m.id;
        if ((rc = message_of_session(db, p, m.parent_id, &m, e)) != RC_OK)
            return rc;
    }
    *id = m.id;
    if (p->req->kind == TURN_REGENERATE)
        keep_pictures(p, &m);
    return m.role == ROLE_USER ? RC_OK : err_say(e, RC_BAD_INPUT, "chat.not_an_answer");
}

/* Only the last answer of a branch can be continued: later messages refer to the text as it is. */
static enum rc find_unfinished(struct db *db, struct plan *p, struct message *m, struct err *e)
{
    int64_t leaf, begins = 0;
    enum rc rc = store_message_leaf(db, p->req->owner, m->id, &leaf, e);
    if (rc != RC_OK)
        return rc;
    if (!message_can_continue(m))
        return err_say(e, RC_BAD_INPUT, "chat.is_complete");
    if (leaf != m->id)
        return err_say(e, RC_CONFLICT, "chat.gone_on_below");
    p->unfinished = *m;
    p->parent_id = m->parent_id;
    return find_question(db, p, m, &p->asked_id, &begins, e);
}

/* Results of tools belong to the question before them. */
static enum rc find_given_place(struct db *db, struct plan *p, struct err *e)
{
    struct message m;
    int64_t begins = 0;
    p->parent_id = p->req->parent_id;
    enum rc rc = p->parent_id ? message_of_session(db, p, p->parent_id, &m, e) : RC_OK;
    if (rc == RC_OK && p->parent_id && find_question(db, p, &m, &p->asked_id, &begins, NULL) != RC_OK)
        p->asked_id = 0;
    turn_given_keep(p->turn, p->req->given);
    return rc;
}

static enum rc find_end(struct db *db, struct plan *p, struct err *e)
{
    const struct turn_request *r = p->req;
    struct message m;
    enum rc rc =
        store_pictures_find(db, p->turn->arena, r->owner, r->pictures, &p->pictures, &p->pictures_n, e);
    if (rc != RC_OK)
        return rc;
    p->parent_id = r->parent_id ? r->parent_id : p->session.head_id;
    if (r->parent_id)
        return find_parent(db, p, e);
    if (!r->end_id || r->end_id == p->parent_id)
        return RC_OK;
    bool exists = message_of_session(db, p, r->end_id, &m, NULL) == RC_OK;
    return plan_gone_on(p, p->parent_id, exists ? r->end_id : 0, e);
}

static enum rc find_edited(struct plan *p, const struct message *m, struct err *e)
{
    const struct turn_request *r = p->req;
    if (m->role != ROLE_USER)
        return err_say(e, RC_BAD_INPUT, "chat.resend_own_only");
    if (str_trim(r->text).len == 0 && m->pictures_n == 0)
        return err_say(e, RC_BAD_INPUT, "chat.empty_message");
    p->parent_id = m->parent_id;
    p->pasted_from = message_pasted_after_edit(m, r->text, p->pasted_from);
    keep_pictures(p, m);
    return RC_OK;
}

static enum rc find_answered(struct db *db, struct plan *p, const struct message *m, struct err *e)
{
    int64_t begins = 0;
    enum rc rc = find_question(db, p, m, &p->asked_id, &begins, e);
    p->parent_id = p->asked_id;
    return rc == RC_OK && plan_compares(p) ? plan_beside(db, p, m, begins, e) : rc;
}

/* Finds the place of the new message: parent_id, and the question when it exists. */
static enum rc find_place(struct db *db, struct plan *p, struct err *e)
{
    struct message m;
    enum turn_kind kind = p->req->kind;
    if (kind == TURN_GIVEN)
        return find_given_place(db, p, e);
    if (kind == TURN_SEND)
        return find_end(db, p, e);
    enum rc rc = message_of_session(db, p, p->req->message_id, &m, e);
    if (rc != RC_OK)
        return rc;
    if (kind == TURN_EDIT)
        return find_edited(p, &m, e);
    return kind == TURN_CONTINUE ? find_unfinished(db, p, &m, e) : find_answered(db, p, &m, e);
}

/* A context has all pictures of a message or none of them (context_pictures.h). It has none if they have more
 * bytes than this. */
static enum rc check_pictures(const struct plan *p, struct err *e)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < p->pictures_n; i++)
        bytes += p->pictures[i].bytes;
    return bytes <= CONTEXT_PICTURE_BYTES_MAX
               ? RC_OK
               : err_say(e, RC_TOO_BIG, "picture.all_too_big", arg_limit("max", CONTEXT_PICTURE_BYTES_MAX));
}

/* A message that decides about a suggestion is not sent to a model. */
static enum rc read_decision(struct db *db, struct plan *p, struct err *e)
{
    struct turn *t = p->turn;
    struct typed_message m = {.owner = p->req->owner,
        .session_id = p->session.id,
        .parent_id = p->parent_id,
        .text = p->req->text,
        .now = p->now};
    if (p->req->kind != TURN_SEND)
        return RC_OK;
    enum rc rc = typed_answer_read(db, t->arena, &m, &p->answer, e);
    if (rc == RC_OK && p->answer.decides)
        t->plain = str_of(suggestion_reply(t->arena, t->lang ? t->lang : lang_english(),
            &p->answer.suggestion, &p->answer.look, p->answer.keep));
    return rc;
}

/* Reads the session of the request, in which no turn may run. */
static enum rc read_session(struct db *db, struct plan *p, struct err *e)
{
    struct arena *a = p->turn->arena;
    struct turn_row *running;
    size_t n = 0;
    if (!p->req->session) {
        bool begins = p->req->kind == TURN_SEND || p->req->kind == TURN_GIVEN;
        return begins ? RC_OK : err_set(e, RC_NOT_FOUND, "edit without a session");
    }
    enum rc rc = store_session_get(db, a, p->req->owner, p->req->session, &p->session, e);
    if (rc == RC_OK)
        rc = store_turns_running(db, a, p->req->owner, p->session.id, &running, &n, e);
    /* It is no earlier attempt of this send: plan_find_repeated() has read the same state. */
    if (rc == RC_OK && n)
        return err_say(e, RC_CONFLICT, "chat.other_answer");
    return rc;
}

/* Sets the input of the context. */
static void set_asked(struct plan *p)
{
    struct turn *t = p->turn;
    t->asked = (struct turn_asked){.owner = p->req->owner,
        .temporary = p->temporary,
        .session_id = p->session.id,
        .parent_id = p->parent_id,
        .question_id = p->asked_id,
        .workspace = p->session.id ? p->session.workspace : p->workspace,
        .persona_id = p->persona_id,
        .now = p->now};
    if (plan_adds_message(p->req))
        t->asked.text = arena_str(t->arena, p->req->text);
    t->asked.pictures = p->pictures;
    t->asked.pictures_n = p->pictures_n;
}

static enum rc prepare(struct db *db, struct plan *p, struct err *e)
{
    AUTO(arena) a = arena_new(); /* of p->settings, which may have long texts */
    struct turn *t = p->turn;
    t->lang = p->req->lang;
    providers_refresh(p->en->set.providers, db);
    enum rc rc = plan_find_repeated(db, t->arena, p, e);
    if (rc == RC_OK && !p->repeated)
        rc = store_user_time_zone(db, t->arena, p->req->owner, &t->zone_name, e);
    if (rc != RC_OK || p->repeated)
        return rc;
    turn_find_zone(t);
    if (!p->req->given && (rc = store_setting_all(db, a, p->req->owner, p->settings, e)) != RC_OK)
        return rc;
    if ((rc = read_session(db, p, e)) != RC_OK || (rc = find_place(db, p, e)) != RC_OK ||
        (rc = check_pictures(p, e)) != RC_OK || (rc = plan_choose(db, p, e)) != RC_OK)
        return rc;
    if ((rc = read_decision(db, p, e)) != RC_OK || p->answer.decides)
        return rc;
    if ((rc = plan_check_budget(db, p, t->model.choice, e)) != RC_OK)
        return rc;
    p->temporary = p->session.id ? p->session.ends_at != 0 : p->req->temporary;
    if (p->temporary)
        t->denied |= TOOL_SET_ALL | TOOL_SET_CHANGES;
    if (plan_compares(p))
        t->denied |= TOOL_SET_CHANGES;
    set_asked(p);
    if (p->unfinished.id)
        turn_continue_begin(t, &p->unfinished);
    else if (t->given && t->given->prefix.len)
        turn_continue_begin(t, &(struct message){.text = t->given->prefix});
    rc = turn_read_context(db, t, p->settings, e);
    return rc == RC_OK ? plan_second(db, p, e) : rc;
}

/* From here on the loop owns the turns, apart from their logs, which it uses after turn_committed(). */
static enum rc launch_and_commit(struct plan *p, struct err *e)
{
    struct turn_engine *en = p->en;
    struct turn *turns[] = {p->turn, p->second};
    size_t n = p->second ? 2 : 1;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < n; i++)
        loop_post(en->set.loop, turn_launch, turns[i]);
    sched_yield(); /* the request leaves first, also where the loop shares this thread's processor */
    for (size_t i = 0; i < n && rc == RC_OK; i++)
        rc = turnlog_create(en->logs, turns[i]->ids.turn, &turns[i]->out.log, e);
    if (rc == RC_OK)
        rc = store_write(en->set.store, plan_commit, p, e);
    if (rc != RC_OK || p->repeated) {
        for (size_t i = 0; i < n; i++) {
            turnlog_remove(en->set.config->server.data_dir, turns[i]->ids.turn, NULL);
            loop_post(en->set.loop, turn_abandon, turns[i]);
        }
        return rc;
    }
    p->turn->asked_id = p->turn->ids.asked_id;
    p->turn->reply_id = p->turn->ids.reply_id;
    p->turn->wants_title = !p->session.named && !p->turn->beside;
    p->out->ids = p->turn->ids;
    if (p->second)
        p->out->second = p->second->ids;
    for (size_t i = 0; i < n; i++)
        loop_post(en->set.loop, turn_committed, turns[i]);
    return RC_OK;
}

/* Both turns of a comparison have the same session. */
static enum rc place(struct plan *p, struct turn *t, struct err *e)
{
    struct turn_started *ids = &t->ids;
    enum rc rc = turn_take_place(t, p->req->owner, e);
    if (rc != RC_OK)
        return rc;
    ids->owner = p->req->owner;
    id_new(ID_TURN, ids->turn);
    if (p->session.id)
        snprintf(ids->session, sizeof ids->session, "%s", p->session.pub);
    else if (t != p->turn)
        memcpy(ids->session, p->turn->ids.session, sizeof ids->session);
    return RC_OK;
}

static enum rc plan_and_place(struct plan *p, struct err *e)
{
    struct db *db = store_read_state(p->en->set.store);
    enum rc rc = prepare(db, p, e);
    store_read_done(p->en->set.store, db);
    if (rc != RC_OK || p->repeated)
        return rc;
    if (!p->session.id)
        id_new(ID_SESSION, p->turn->ids.session);
    rc = place(p, p->turn, e);
    return rc == RC_OK && p->second ? place(p, p->second, e) : rc;
}

enum rc turn_send(
    struct turn_engine *en, const struct turn_request *r, struct turn_ticket *out, struct err *e)
{
    struct plan p = {.en = en, .req = r, .now = clock_wall_ms(), .turn = turn_new(en), .out = out};
    if (r->given)
        p.turn->channel = TURN_GIVEN_CHANNEL;
    else if (r->channel)
        p.turn->channel = arena_strdup(p.turn->arena, r->channel);
    p.pasted_from = r->sets_pasted ? r->pasted_from : MESSAGE_TYPED;
    *out = (struct turn_ticket){0};
    enum rc rc = check_text(&p, e);
    if (rc == RC_OK)
        rc = find_workspace(&p, e);
    if (rc == RC_OK)
        rc = plan_and_place(&p, e);
    if (rc != RC_OK || p.repeated) {
        turn_free(p.turn);
        turn_free(p.second);
        return rc;
    }
    return launch_and_commit(&p, e);
}
