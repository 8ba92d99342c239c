/* The model, persona and effort of a turn: those of the request, else of the session, else of the user. */
#include "app/turn/turn_plan.h"

#include "app/usage/budget.h"

/* A program may ask for more efforts than a session has. */
static enum rc choose_effort(struct plan *p, struct err *e)
{
    const char *asked = p->req->effort;
    p->turn->model.effort = asked ? NULL : p->session.effort;
    if (!asked || !*asked)
        return RC_OK;
    const char *known = llm_effort(str_of(asked));
    if (known && (p->turn->given || llm_usual_effort(known) == known))
        p->turn->model.effort = known;
    return p->turn->model.effort ? RC_OK : err_say(e, RC_BAD_INPUT, "chat.bad_effort");
}

/* The model of a chat that has none of its own: the user's, else the server's. */
static const struct provider_choice *usual_choice(const struct plan *p)
{
    return providers_wanted(p->en->set.providers, p->settings[SETTING_MODEL]);
}

/* The persona of the request, else that of the session. When a persona is newly chosen, the turn uses the
 * persona's model, unless the sender has chosen another model than the session's. */
static enum rc choose_persona(struct db *db, struct plan *p, struct err *e)
{
    struct turn *t = p->turn;
    const struct providers *all = p->en->set.providers;
    struct library_entry persona;
    if (t->given)
        return RC_OK;
    t->model.temperature = p->session.id ? p->session.temperature : TEMPERATURE_NONE;
    t->model.answer_tokens = p->session.answer_tokens;
    p->persona_id = p->req->sets_persona ? p->req->persona_id : p->session.persona_id;
    if (!p->persona_id)
        return RC_OK;
    enum rc rc = store_library_get(db, t->arena, p->req->owner, LIBRARY_PERSONA, p->persona_id, &persona, e);
    if (rc == RC_NOT_FOUND && p->req->sets_persona)
        return err_say(e, RC_BAD_INPUT, "library.no_persona");
    if (rc == RC_NOT_FOUND) {
        p->persona_id = 0;
        return RC_OK;
    }
    if (rc != RC_OK)
        return rc;
    if (t->model.temperature == TEMPERATURE_NONE)
        t->model.temperature = persona.temperature;
    rc = tool_sets_denied(persona.tools, &t->denied, e);
    if (rc != RC_OK || p->persona_id == p->session.persona_id || !persona.choice)
        return rc;
    const struct provider_choice *own =
        p->session.provider ? providers_by_name(all, p->session.provider, p->session.model) : NULL;
    if (!own)
        own = usual_choice(p);
    if (!p->req->choice || strcmp(p->req->choice, own->value) == 0)
        t->model.choice = providers_find(all, persona.choice);
    p->persona_model = t->model.choice != NULL;
    return RC_OK;
}

static bool asks_with_pictures(const struct plan *p)
{
    const struct turn_given *g = p->turn->given;
    bool any = p->pictures_n > 0;
    for (size_t i = 0; g && i < g->messages_n; i++)
        any |= g->messages[i].pictures_n > 0;
    return any;
}

enum rc plan_cannot_see(const struct provider_choice *c, struct err *e)
{
    if (provider_choice_is_offline(c))
        return err_say(e, RC_BAD_INPUT, "picture.offline");
    return err_say(e, RC_BAD_INPUT, "picture.cannot_see", arg_text("model", c->label));
}

void turn_use_model(struct turn_model *m, const struct provider_choice *c)
{
    m->choice = c;
    m->window = c->window;
    m->pictures = turn_pictures_of(c);
    m->without_tools = c->tools == LLM_NO;
    m->sends_reasoning = c->sends_reasoning;
    m->responses = c->responses;
    m->form = c->form;
}

/* A local server that was found does not answer now. Its models come back with it, so the session keeps its
 * own. */
static bool is_away(const struct providers *all, const char *provider)
{
    const struct provider_source *s = providers_source(all, provider);
    return s && s->found_only && !providers_by_name(all, provider, NULL);
}

static enum rc choose_model(struct plan *p, struct err *e)
{
    const struct providers *all = p->en->set.providers;
    struct turn *t = p->turn;
    if (t->beside) {
        enum rc rc = plan_choose_beside(p, e);
        return rc == RC_OK ? choose_effort(p, e) : rc;
    }
    if (!t->model.choice && p->req->choice && !(t->model.choice = providers_find(all, p->req->choice)))
        return err_say(e, RC_BAD_INPUT, "chat.model_not_set_up");
    if (!t->model.choice && p->unfinished.provider)
        t->model.choice = providers_by_name(all, p->unfinished.provider, p->unfinished.model);
    if (!t->model.choice && p->session.provider)
        t->model.choice = providers_by_name(all, p->session.provider, p->session.model);
    if (!t->model.choice)
        t->model.choice = usual_choice(p);
    if (!p->req->choice && !p->unfinished.id && !p->persona_model && p->session.provider &&
        strcmp(p->session.model, t->model.choice->model) != 0) {
        p->replaced = !is_away(all, p->session.provider);
        t->end.note = said_new(t->arena, p->replaced ? "answer.other_model" : "answer.model_away",
            SAID_ARGS(arg_text("model", p->session.model), provider_choice_said("other", t->model.choice)));
    }
    if (t->model.choice->images == LLM_NO && asks_with_pictures(p))
        return plan_cannot_see(t->model.choice, e);
    turn_use_model(&t->model, t->model.choice);
    return choose_effort(p, e);
}

/* Whether the model may use the web: the user's setting, and what the owner allows of the tools for it. */
static void choose_web(struct plan *p)
{
    struct turn *t = p->turn;
    const char *value = p->settings[SETTING_WEB_SEARCH];
    unsigned denied = tool_web_denied(p->en->set.config);
    t->web_search = value && strcmp(value, "yes") == 0;
    t->web_off = !t->given && !t->web_search && !(denied & TOOL_SET_PAGES);
    t->denied |= t->web_search ? denied : TOOL_SET_WEB;
}

enum rc plan_read_connected(struct db *db, struct plan *p, struct turn *t, struct err *e)
{
    if (t->denied & TOOL_SET_CONNECTED)
        return RC_OK;
    return connected_read(db, t->arena, p->en->set.config, p->req->owner, tool_is_own, &t->connected, e);
}

/* The tools of MCP servers. A program that sends its own context gets none, as with the web. */
static enum rc choose_connected(struct db *db, struct plan *p, struct err *e)
{
    struct turn *t = p->turn;
    const char *value = p->settings[SETTING_CONNECTED_TOOLS];
    if (t->given || (value && strcmp(value, "no") == 0))
        t->denied |= TOOL_SET_CONNECTED;
    return plan_read_connected(db, p, t, e);
}

enum rc plan_check_budget(struct db *db, const struct plan *p, const struct provider_choice *c, struct err *e)
{
    return budget_check(db, p->en->set.config, p->req->owner, c->name, c->model, p->turn->zone, p->now, e);
}

enum rc plan_choose(struct db *db, struct plan *p, struct err *e)
{
    enum rc rc = choose_persona(db, p, e);
    if (rc == RC_OK)
        rc = choose_model(p, e);
    if (rc == RC_OK) {
        choose_web(p);
        p->turn->denied |= tool_drawing_denied(p->en->set.config) | tool_python_denied(p->en->set.config);
    }
    return rc == RC_OK ? choose_connected(db, p, e) : rc;
}
