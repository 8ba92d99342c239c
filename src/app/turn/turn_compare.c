/*
 * Two models answer one question. Each has a turn of its own, with a context that fits its window. Both turns
 * begin in one transaction. The second one (slot 1) leaves the session alone: its head, model, effort, title,
 * summaries and compaction belong to the first. Tools that change something are not offered, so that the
 * choice between the answers changes no data.
 */
#include "app/turn/turn_plan.h"

#include <stdio.h>

#include "store/memory/memory.h"
#include "store/message/comparison.h"

bool plan_compares(const struct plan *p)
{
    return p->req->compare_with && *p->req->compare_with && !p->answer.decides;
}

enum rc plan_beside(struct db *db, struct plan *p, const struct message *m, int64_t begins, struct err *e)
{
    int64_t leaf;
    enum rc rc = store_message_leaf(db, p->req->owner, m->id, &leaf, e);
    if (rc == RC_OK && leaf != m->id)
        return err_say(e, RC_CONFLICT, "chat.compare_last");
    p->beside_id = begins;
    p->turn->beside = true;
    return rc;
}

static enum rc find_choice(const struct plan *p, const struct provider_choice **out, struct err *e)
{
    *out = providers_find(p->en->set.providers, p->req->compare_with);
    if (!*out)
        return err_say(e, RC_BAD_INPUT, "chat.model_not_set_up");
    return p->pictures_n && (*out)->images == LLM_NO ? plan_cannot_see(*out, e) : RC_OK;
}

enum rc plan_choose_beside(struct plan *p, struct err *e)
{
    const struct provider_choice *c;
    enum rc rc = find_choice(p, &c, e);
    if (rc == RC_OK)
        turn_use_model(&p->turn->model, c);
    return rc;
}

/* Both turns own what they read: the first may end before the second. */
static struct turn *turn_like(const struct turn *first)
{
    struct turn *t = turn_new(first->en);
    t->channel = arena_strdup(t->arena, first->channel);
    const struct turn_asked *asked = &first->asked;
    t->beside = true;
    t->zone_name = arena_strdup(t->arena, first->zone_name);
    turn_find_zone(t);
    t->lang = first->lang;
    t->model.effort = arena_strdup(t->arena, first->model.effort);
    t->model.temperature = first->model.temperature;
    t->model.answer_tokens = first->model.answer_tokens;
    t->denied = first->denied;
    t->web_search = first->web_search;
    t->web_off = first->web_off;
    t->asked = *asked;
    if (asked->text.s)
        t->asked.text = arena_str(t->arena, asked->text);
    t->asked.pictures = picture_list_copy(t->arena, asked->pictures, asked->pictures_n);
    t->asked.workspace = arena_strdup(t->arena, asked->workspace);
    return t;
}

enum rc plan_second(struct db *db, struct plan *p, struct err *e)
{
    const struct provider_choice *c;
    if (!plan_compares(p) || p->turn->beside)
        return RC_OK;
    enum rc rc = find_choice(p, &c, e);
    if (rc != RC_OK)
        return rc;
    if (strcmp(c->value, p->turn->model.choice->value) == 0)
        return err_say(e, RC_BAD_INPUT, "chat.compare_other");
    if ((rc = plan_check_budget(db, p, c, e)) != RC_OK)
        return rc;
    p->second = turn_like(p->turn);
    turn_use_model(&p->second->model, c);
    if ((rc = plan_read_connected(db, p, p->second, e)) != RC_OK)
        return rc;
    return turn_read_context(db, p->second, p->settings, e);
}

enum rc plan_add_second(
    struct db *db, const struct plan *p, int64_t session_id, int64_t asked_id, struct err *e)
{
    struct turn *t = p->second;
    struct turn_started *ids = &t->ids;
    struct message reply = {.session_id = session_id,
        .parent_id = asked_id,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = t->channel,
        .text = STR(""),
        .provider = t->model.choice->name,
        .model = t->model.choice->model,
        .created_at = p->now,
        .compared = 2,
        .beside = true,
        .with_turn = true};
    enum rc rc = store_message_add(db, p->req->owner, &reply, e);
    if (rc != RC_OK)
        return rc;
    struct turn_row row = {.pub = ids->turn,
        .owner = p->req->owner,
        .session_id = session_id,
        .asked_id = asked_id,
        .reply_id = reply.id,
        .runner = p->en->set.runner,
        .started_at = p->now,
        .slot = 1,
        .joins = true,
        .last = &reply,
        .messages = 1};
    rc = store_turn_add(db, &row, &t->row_id, e);
    if (rc == RC_OK)
        rc = store_memory_used(
            db, p->req->owner, reply.id, t->context.memories, t->context.memories_n, p->now, e);
    ids->session_id = session_id;
    ids->asked_id = t->asked_id = asked_id;
    ids->reply_id = t->reply_id = reply.id;
    ids->parent_id = p->parent_id;
    ids->slot = 1;
    return rc;
}
