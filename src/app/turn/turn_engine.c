/* The engine: its providers, the list of running turns, and stops by name. */
#include <stdlib.h>
#include <string.h>

#include "app/drawing/drawing.h"
#include "app/mcp/remote_call.h"
#include "app/python/python.h"
#include "app/suggestion/permission.h"
#include "app/turn/turn_private.h"
#include "app/web_fetch/web_fetch.h"
#include "base/time_zones.h"

enum rc turn_engine_new(const struct turn_engine_setup *s, struct turn_engine **out, struct err *e)
{
    struct turn_engine *en = xcalloc(1, sizeof *en);
    en->set = *s;
    en->zones = time_zones_new();
    pthread_mutex_init(&en->places_lock, NULL);
    if (!en->set.save_retry.first_ms)
        en->set.save_retry = TURN_SAVE_RETRY;
    en->logs = turnlogs_new(s->config->server.data_dir);
    en->llm = xcalloc(s->providers->sources_n, sizeof(struct llm_provider *));
    for (size_t i = 0; i < s->providers->sources_n; i++) {
        const struct provider_source *source = &s->providers->sources[i];
        struct llm_settings settings = source->settings;
        settings.limits = (struct http_limits){
            .connect_ms = TURN_CONNECT_MS,
            .first_ms = (int)(s->config->turn.first_byte_seconds * MS_PER_S),
            .silence_ms = (int)(s->config->turn.silence_seconds * MS_PER_S),
            .total_ms = (int)(s->config->turn.total_minutes * MS_PER_MIN),
            .body_max = TURN_WIRE_MAX,
        };
        enum rc rc = llm_provider_new(source->kind, &settings, s->loop, s->http, &en->llm[i], e);
        if (rc != RC_OK) {
            turn_engine_free(en);
            return rc;
        }
    }
    enum rc rc = mcp_servers_new(s->config, &en->mcp, e);
    if (rc != RC_OK) {
        turn_engine_free(en);
        return rc;
    }
    en->awaited[TURN_AWAITS_PERMISSION] = permission_client_new(s->loop, s->pool, s->store);
    en->awaited[TURN_AWAITS_FETCH] = web_client_new(s->loop, s->config);
    en->awaited[TURN_AWAITS_REMOTE] = remote_client_new(s->loop, en->mcp);
    en->awaited[TURN_AWAITS_DRAWING] = drawing_client_new(s->loop, s->http, s->config, s->providers);
    en->awaited[TURN_AWAITS_PYTHON] = python_client_new(s->loop, s->config);
    *out = en;
    return RC_OK;
}

void turn_engine_free(struct turn_engine *en)
{
    if (!en)
        return;
    for (size_t i = 0; i < en->set.providers->sources_n; i++)
        llm_provider_free(en->llm[i]);
    free(en->llm);
    for (size_t i = 0; i < ARRAY_LEN(en->awaited); i++)
        awaited_client_free(en->awaited[i]);
    mcp_servers_free(en->mcp);
    turnlogs_free(en->logs);
    time_zones_free(en->zones);
    pthread_mutex_destroy(&en->places_lock);
    free(en->places);
    free(en);
}

/* ---- running turns ---- */

void turn_enter_engine(struct turn *t)
{
    struct turn_engine *en = t->en;
    t->next = en->turns;
    if (t->next)
        t->next->prev = t;
    en->turns = t;
}

void turn_look_idle(struct turn_engine *en)
{
    if (en->draining && !en->turns && !en->checking)
        en->idle(en->idle_arg);
}

void turn_leave_engine(struct turn *t)
{
    struct turn_engine *en = t->en;
    if (t->prev)
        t->prev->next = t->next;
    else if (en->turns == t)
        en->turns = t->next;
    if (t->next)
        t->next->prev = t->prev;
    turn_free(t);
    turn_look_idle(en);
}

/* ---- stops ---- */

bool turn_stop(struct turn_engine *en, const char *turn)
{
    for (struct turn *t = en->turns; t; t = t->next)
        if (strcmp(t->ids.turn, turn) == 0) {
            turn_stop_now(t);
            return true;
        }
    return false;
}

/* The transaction of the send may be writing ids.session_id of a turn that is not committed. */
static int64_t session_of(const struct turn *t)
{
    return t->committed ? t->ids.session_id : t->asked.session_id;
}

/* `session` NULL: compares `session_id`. */
static void stop_session(struct turn_engine *en, int64_t session_id, const char *session)
{
    for (struct turn *t = en->turns, *next; t; t = next) {
        next = t->next;
        if (session ? strcmp(t->ids.session, session) == 0 : session_of(t) == session_id)
            turn_stop_now(t);
    }
}

void turn_stop_session(struct turn_engine *en, int64_t session_id)
{
    stop_session(en, session_id, NULL);
}

void turn_stop_session_named(struct turn_engine *en, const char *session)
{
    stop_session(en, 0, session);
}

void turn_stop_owner(struct turn_engine *en, int64_t owner)
{
    for (struct turn *t = en->turns, *next; t; t = next) {
        next = t->next;
        if (t->ids.owner == owner)
            turn_stop_now(t);
    }
}

void turn_look_permissions(struct turn_engine *en)
{
    permission_look(en->awaited[TURN_AWAITS_PERMISSION]);
}

void turn_engine_drain(struct turn_engine *en, loop_fn *idle, void *arg)
{
    en->draining = true;
    en->idle = idle;
    en->idle_arg = arg;
    if (!en->turns) {
        turn_look_idle(en);
        return;
    }
    for (struct turn *t = en->turns, *next; t; t = next) {
        next = t->next;
        turn_stop_now(t);
    }
}
