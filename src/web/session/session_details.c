#include "web/session/session_details.h"

#include "app/summary/compact.h"
#include "app/usage/usage.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/session/session_resource.h"

#define BRANCHES_SHOWN 50

static void count_costs(struct req *r, struct session_details *d)
{
    struct session_stats *s = &d->stats;
    d->cost = -1;
    d->costs = ARENA_ARRAY(r->arena, int64_t, s->models_n + 1);
    for (size_t i = 0; i < s->models_n; i++) {
        const struct model_stats *m = &s->models[i];
        struct usage_sum sum = {
            .tokens_in = m->tokens_in, .tokens_out = m->tokens_out, .tokens_cached = m->tokens_cached};
        d->costs[i] = -1;
        if (usage_cost(r->web->config, m->provider, m->model, &sum, &d->costs[i]))
            d->cost = (d->cost < 0 ? 0 : d->cost) + d->costs[i];
    }
}

static enum rc read_rows(struct req *r, struct db *db, struct session_details *d, struct err *e)
{
    int64_t owner = r->who.user_id;
    enum rc rc = store_session_get(db, r->arena, owner, req_text(r, F_SESSION), &d->session, e);
    if (rc == RC_OK)
        rc = store_session_stats(db, r->arena, owner, d->session.id, BRANCHES_SHOWN, &d->stats, e);
    if (rc == RC_OK)
        rc = store_session_tags(db, r->arena, owner, d->session.id, &d->tags, &d->tags_n, e);
    return rc;
}

enum rc session_details_read(struct req *r, struct session_details *out, struct err *e)
{
    int64_t transcripts = 0;
    *out = (struct session_details){0};
    struct db *db = store_read(r->web->store);
    enum rc rc = read_rows(r, db, out, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        rc = compact_transcripts_bytes(r->web->config->server.data_dir, out->session.pub, &transcripts, e);
    if (rc != RC_OK)
        return rc;
    out->bytes = out->stats.text_bytes + out->stats.picture_bytes + out->stats.summary_bytes + transcripts;
    count_costs(r, out);
    return RC_OK;
}

static void put_cost(struct view *v, int64_t cost)
{
    if (cost < 0)
        view_null(v, "cost");
    else
        view_int(v, "cost", cost);
}

void session_details_resource(struct req *r, struct view *v, const struct session_details *d)
{
    const struct session_stats *s = &d->stats;
    session_resource(r->arena, r->lang, view_obj(v, "session"), &d->session);
    view_at(v, "created_at", d->session.created_at);
    view_int(v, "questions", s->asked);
    view_int(v, "answers", s->answered);
    view_int(v, "tool_calls", s->tool_results);
    view_int(v, "bytes", d->bytes);
    view_int(v, "compactions", s->compactions);
    view_int(v, "summaries", s->summaries);
    view_int(v, "branch_count", s->branches_n);
    view_text(v, "currency", d->cost >= 0 ? r->web->config->usage.currency : NULL);
    put_cost(v, d->cost);
    struct view *models = view_list(v, "models");
    for (size_t i = 0; i < s->models_n; i++) {
        const struct model_stats *m = &s->models[i];
        struct view *item = view_item(models);
        view_text(item, "provider", m->provider);
        view_text(item, "model", m->model);
        view_int(item, "answers", m->answers);
        view_int(item, "input_tokens", m->tokens_in);
        view_int(item, "output_tokens", m->tokens_out);
        view_int(item, "cached_tokens", m->tokens_cached);
        view_int(item, "reasoning_tokens", m->tokens_reasoning);
        put_cost(item, d->costs[i]);
    }
    struct view *tools = view_list(v, "tools");
    for (size_t i = 0; i < s->tools_n; i++) {
        struct view *item = view_item(tools);
        view_text(item, "name", s->tools[i].tool);
        view_int(item, "calls", s->tools[i].calls);
    }
    struct view *channels = view_list(v, "channels");
    for (size_t i = 0; i < s->channels_n; i++)
        view_item_text(channels, s->channels[i]);
    struct view *branches = view_list(v, "branches");
    for (size_t i = 0; i < s->branches_shown; i++) {
        struct view *item = view_item(branches);
        view_id(r->arena, item, "last_message", s->branches[i].id);
        view_text(item, "url", message_url(r->arena, d->session.pub, s->branches[i].id));
        view_bool(item, "current", s->branches[i].id == d->session.head_id);
        view_at(item, "created_at", s->branches[i].created_at);
    }
}
