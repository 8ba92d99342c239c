/* The transaction of a send. */
#include "app/turn/turn_plan.h"

#include "app/summary/title.h"
#include "store/account/user.h"
#include "store/memory/memory.h"
#include "store/message/comparison.h"
#include "store/message/turn_order.h"
#include "store/session/context_override.h"
#include "store/session/temporary.h"
#include "store/session/workspace.h"

/* In the transaction of the send. The reply shows the result. */
static enum rc carry_out_answer(
    struct db *db, struct arena *a, const struct plan *p, int64_t reply_id, struct err *e)
{
    struct suggestion s = {0};
    struct suggestion_decision d = {.owner = p->req->owner,
        .id = p->answer.suggestion.id,
        .verdict = p->answer.keep ? SUGGESTION_KEEP : SUGGESTION_DISMISS,
        .now = p->now};
    enum rc rc = suggestion_decide_in(db, a, &d, reply_id, &s, e);
    return rc == RC_NOT_FOUND ? err_set(e, RC_CONFLICT, "the suggestion is gone") : rc;
}

/* A send without a parent means the end of the conversation. If another turn has begun and ended since the
 * path was read, the context lacks its messages, and the message would open an unintended branch. */
static enum rc check_end(struct db *db, struct arena *a, const struct plan *p, struct err *e)
{
    struct session s;
    if (!p->session.id || p->req->kind != TURN_SEND || p->req->parent_id)
        return RC_OK;
    enum rc rc = store_session_by_id(db, a, p->req->owner, p->session.id, &s, e);
    if (rc == RC_OK && s.head_id != p->parent_id && s.running_turns > 0)
        return err_say(e, RC_CONFLICT, "chat.other_answer");
    if (rc == RC_OK && s.head_id != p->parent_id && p->req->end_id)
        return plan_gone_on(p, s.head_id, p->req->end_id, e);
    if (rc == RC_OK && s.head_id != p->parent_id)
        rc = err_say(e, RC_CONFLICT, "chat.just_gone_on");
    return rc;
}

/* A session has a title from its first question on, also when the answer fails. NULL: the title stays. */
static const char *first_title(struct arena *a, const struct plan *p)
{
    if ((!plan_adds_message(p->req) && !p->req->given) || p->parent_id || p->session.named)
        return NULL;
    AUTO_STRBUF title;
    strbuf_init(&title, TITLE_BYTES_MAX);
    title_by_rule(p->req->text, &title);
    if (!title.len && p->pictures_n)
        return lang_text(p->turn->lang ? p->turn->lang : lang_english(), "picture.title");
    return title.len ? arena_strndup(a, title.s, title.len) : NULL;
}

/* The rows of the send in its transaction. */
struct added {
    int64_t session_id;
    int64_t asked_id, reply_id; /* taken for new messages; 0: none are added */
    struct message asked;       /* only the id, when it is not new */
    struct message reply;
};

static bool begins_session(const struct plan *p)
{
    return !p->session.id && plan_adds_message(p->req);
}

static enum rc take_ids(struct db *db, const struct plan *p, struct added *x, struct err *e)
{
    int64_t first;
    if (!plan_adds_message(p->req))
        return RC_OK;
    enum rc rc = store_message_ids(db, p->req->owner, 2, &first, e);
    if (rc == RC_OK) {
        x->asked_id = first;
        x->reply_id = first + 1;
    }
    return rc;
}

static enum rc add_question(
    struct db *db, struct arena *a, const struct plan *p, struct added *x, struct err *e)
{
    const struct turn_request *r = p->req;
    struct picture *pictures = picture_list_copy(a, p->pictures, p->pictures_n);
    enum rc rc = store_pictures_free(db, a, r->owner, pictures, p->pictures_n, p->now, e);
    if (rc != RC_OK)
        return rc;
    x->asked = (struct message){.taken_id = x->asked_id,
        .session_id = x->session_id,
        .parent_id = p->parent_id,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = p->turn->channel,
        .text = r->text,
        .client_id = r->client_id,
        .created_at = p->now,
        .ended_at = p->now,
        .index_later = true,
        .with_turn = true,
        .pictures = pictures,
        .pictures_n = p->pictures_n,
        .pasted_from = p->pasted_from};
    return store_message_add(db, r->owner, &x->asked, e);
}

/* The empty answer. */
static enum rc add_reply(struct db *db, const struct plan *p, int64_t below, struct added *x, struct err *e)
{
    const struct turn_request *r = p->req;
    const struct provider_choice *choice = p->answer.decides ? NULL : p->turn->model.choice;
    x->reply = (struct message){.taken_id = x->reply_id,
        .session_id = x->session_id,
        .parent_id = below,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = p->turn->channel,
        .text = STR(""),
        .client_id = plan_adds_message(r) ? NULL : r->client_id,
        .provider = choice ? choice->name : NULL,
        .model = choice ? choice->model : NULL,
        .created_at = p->now,
        .compared = p->beside_id ? 2
                    : p->second  ? 1
                                 : 0,
        .beside = p->beside_id != 0,
        .with_turn = true};
    return store_message_add(db, r->owner, &x->reply, e);
}

/* Stores the question, if it is new, and the empty answer, or reopens the answer to continue. */
static enum rc add_messages(
    struct db *db, struct arena *a, const struct plan *p, struct added *x, struct err *e)
{
    const struct turn_request *r = p->req;
    int64_t below = p->asked_id;
    enum rc rc = RC_OK;
    if (r->given) {
        struct message at = {.session_id = x->session_id, .parent_id = p->parent_id, .created_at = p->now};
        rc = turn_given_store(db, r, &at, &x->asked.id, e);
        below = at.parent_id;
    }
    if (rc == RC_OK && p->unfinished.id) {
        x->reply.id = p->unfinished.id;
        return store_message_reopen(db, r->owner, x->session_id, x->reply.id, p->now, e);
    }
    if (rc == RC_OK && plan_adds_message(r)) {
        rc = add_question(db, a, p, x, e);
        below = x->asked.id;
    }
    return rc == RC_OK ? add_reply(db, p, below, x, e) : rc;
}

/* The answer that the new one is compared with is the end of the conversation until the choice. */
static enum rc show_beside(struct db *db, const struct plan *p, int64_t session_id, struct err *e)
{
    int64_t leaf;
    enum rc rc = store_message_leaf(db, p->req->owner, p->req->message_id, &leaf, e);
    if (rc == RC_OK && leaf != p->req->message_id)
        return err_say(e, RC_CONFLICT, "chat.just_gone_on");
    if (rc == RC_OK)
        rc = store_comparison_mark(db, p->req->owner, session_id, p->beside_id, 1, e);
    return rc == RC_OK ? store_session_set_head(db, p->req->owner, session_id, p->req->message_id, e) : rc;
}

/* A session that begins with a question is stored in its final form, which saves an update of its indexes. */
static enum rc add_session(
    struct db *db, struct arena *a, const struct plan *p, struct added *x, struct err *e)
{
    const struct provider_choice *choice = p->turn->model.choice;
    struct session_beginning b = {.owner = p->req->owner,
        .pub = p->turn->ids.session,
        .provider = choice->name,
        .model = choice->model,
        .channel = p->turn->channel,
        .title = first_title(a, p),
        .answer_id = x->reply_id,
        .now = p->now};
    return begins_session(p)
               ? store_session_begin(db, &b, &x->session_id, e)
               : store_session_add(db, b.owner, b.pub, b.provider, b.model, b.now, &x->session_id, e);
}

/* The session as the send wants it: a new one, or the changes that the request makes to the existing one. */
static enum rc store_session(
    struct db *db, struct arena *a, const struct plan *p, struct added *x, struct err *e)
{
    const struct turn_request *r = p->req;
    const char *session = p->turn->ids.session;
    const struct provider_choice *choice = p->turn->model.choice;
    const char *effort = p->turn->model.effort;
    bool takes_model = (r->choice && !r->once) || p->replaced || p->persona_model || !p->session.provider;
    enum rc rc = RC_OK;
    x->session_id = p->session.id;
    if (!p->session.id)
        rc = add_session(db, a, p, x, e);
    else if (takes_model)
        rc = store_session_set_model(db, r->owner, session, choice->name, choice->model, e);
    if (rc == RC_OK && r->sets_persona && p->persona_id != p->session.persona_id)
        rc = store_session_set_persona(db, r->owner, session, p->persona_id, e);
    if (rc == RC_OK && r->effort)
        rc = store_session_set_effort(db, r->owner, session, effort ? llm_usual_effort(effort) : NULL, e);
    if (rc == RC_OK && !p->session.id && p->workspace)
        rc = store_session_set_workspace(db, r->owner, session, p->workspace, e);
    if (rc == RC_OK && p->turn->context.overridden)
        rc = store_context_override_drop(db, r->owner, x->session_id, e);
    if (rc != RC_OK || !p->temporary)
        return rc;
    if (p->session.id)
        return store_temporary_touch(db, x->session_id, p->now, &(bool){false}, e);
    return store_temporary_begin(
        db, x->session_id, p->en->set.config->temporary.minutes * MS_PER_MIN, p->now, e);
}

static enum rc add_turn(
    struct db *db, struct arena *a, const struct plan *p, const struct added *x, struct err *e)
{
    const struct message *asked = &x->asked, *reply = &x->reply;
    const struct turn_row row = {.pub = p->turn->ids.turn,
        .owner = p->req->owner,
        .session_id = x->session_id,
        .asked_id = asked->id,
        .reply_id = reply->id,
        .runner = p->en->set.runner,
        .client_id = p->unfinished.id ? p->req->client_id : NULL,
        .started_at = p->now,
        .slot = p->beside_id ? 1 : 0,
        .indexes_asked = asked->index_later,
        .last = reply->with_turn ? reply : NULL,
        .messages = (asked->with_turn && asked->counts) + (reply->with_turn && reply->counts),
        .asks = asked->with_turn,
        .title = begins_session(p) ? NULL : first_title(a, p),
        .begins = begins_session(p)};
    enum rc rc = store_turn_add(db, &row, &p->turn->row_id, e);
    return rc == RC_CONFLICT ? err_say(e, RC_CONFLICT, "chat.other_answer") : rc;
}

enum rc plan_commit(struct db *db, void *plan, struct err *e)
{
    struct plan *p = plan;
    AUTO(arena) a = arena_new(); /* the turn's arena belongs to the loop by now */
    const struct turn_request *r = p->req;
    const struct turn *t = p->turn;
    struct turn_started *ids = &p->turn->ids;
    struct added x = {.asked = {.id = p->asked_id}};
    enum rc rc = plan_find_repeated(db, a, p, e);
    if (rc != RC_OK || p->repeated)
        return rc;
    if (r->order_id && (rc = store_turn_order_delete(db, r->order_id, e)) != RC_OK)
        return rc;
    rc = store_user_check_active(db, r->owner, e); /* the user may have been disabled since the request */
    if (rc == RC_OK)
        rc = check_end(db, a, p, e);
    if (rc == RC_OK)
        rc = take_ids(db, p, &x, e);
    if (rc == RC_OK)
        rc = store_session(db, a, p, &x, e);
    if (rc == RC_OK && p->session.id) /* a new one has none */
        rc = store_comparison_close(db, r->owner, x.session_id, e);
    if (rc == RC_OK && p->beside_id)
        rc = show_beside(db, p, x.session_id, e);
    if (rc == RC_OK)
        rc = add_messages(db, a, p, &x, e);
    if (rc == RC_OK)
        rc = add_turn(db, a, p, &x, e);
    if (rc == RC_OK && p->answer.decides)
        rc = carry_out_answer(db, a, p, x.reply.id, e);
    if (rc == RC_OK) /* now, so that an answer cut by a crash has its facts, too */
        rc = store_memory_used(
            db, r->owner, x.reply.id, t->context.memories, t->context.memories_n, p->now, e);
    if (rc != RC_OK)
        return rc;
    ids->session_id = x.session_id;
    ids->parent_id = p->parent_id;
    ids->asked_id = x.asked.id;
    ids->reply_id = x.reply.id;
    ids->slot = p->beside_id ? 1 : 0;
    if (p->second)
        rc = plan_add_second(db, p, x.session_id, x.asked.id, e);
    if (rc == RC_OK && r->look)
        r->look(db, r->look_arg, ids);
    return rc;
}
