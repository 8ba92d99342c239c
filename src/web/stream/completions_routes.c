#include "web/stream/completions_routes.h"

#include "app/turn/turn.h"
#include "base/utf8.h"
#include "store/account/library.h"
#include "web/http/respond.h"
#include "web/http/web.h"
#include "web/stream/completions_events.h"
#include "web/stream/completions_place.h"
#include "web/stream/stream.h"

static const struct provider_choice *find_model(const struct req *r, const char *name)
{
    const struct provider_list *all = providers_list(r->web->providers);
    const struct provider_choice *found = providers_find(r->web->providers, name);
    size_t n = 0;
    if (found)
        return found;
    for (size_t i = 0; i < all->n; i++) /* without the provider, when one model has the name */
        if (strcmp(all->choices[i]->model, name) == 0) {
            found = all->choices[i];
            n++;
        }
    return n == 1 ? found : NULL;
}

/* The name of the conversation: metadata.session_id, else the header. */
static enum rc session_name(
    struct req *r, const struct completion_request *c, const char **out, struct err *e)
{
    const char *header = req_param(r, "HTTP_X_SESSION_ID");
    *out = c->session ? c->session : header && *header ? header : NULL;
    if (!*out || (strlen(*out) <= COMPLETION_KEY_MAX && utf8_valid_text(str_of(*out))))
        return RC_OK;
    r->wrong_param = "X-Session-Id";
    return err_say(e, RC_BAD_INPUT, "v1.bad_value", arg_text("param", r->wrong_param));
}

static struct turn_given given_of(
    const struct req *r, const struct completion_request *c, const struct completion_place *p)
{
    struct message *added;
    size_t n;
    completion_new_messages(r->arena, c, p->from, &added, &n);
    return (struct turn_given){.messages = c->messages,
        .messages_n = c->messages_n,
        .added = added,
        .added_n = n,
        .prefix = c->prefix,
        .tools = c->tools,
        .tools_n = c->tools_n,
        .use_memory = r->who.token.use_memory,
        .use_tools = r->who.token.use_tools,
        .no_calls = c->no_calls,
        .params = c->params,
        .temperature = c->sets_temperature ? c->temperature : TEMPERATURE_NONE,
        .answer_tokens = c->answer_tokens,
        .history = p->history,
        .own_key = p->own_key};
}

static struct str title_source(const struct turn_given *g)
{
    for (size_t i = 0; i < g->added_n; i++)
        if (g->added[i].role == ROLE_USER)
            return g->added[i].text;
    return STR("");
}

static void stop_turn(void *web, const char *turn)
{
    stream_stop_turn(web, turn);
}

static struct reader_rewrite answer_of(
    struct req *r, struct resp *out, const struct completion_request *c, const struct turn_started *ids)
{
    AUTO_STRBUF stream, json;
    strbuf_init(&stream, RESPONSE_HEAD_MAX);
    strbuf_init(&json, RESPONSE_HEAD_MAX);
    resp_header(out, "X-Session-Id", "%s", ids->session);
    out->type = "application/json";
    respond_head(r, out, &json);
    resp_header(out, "X-Accel-Buffering", "no");
    out->type = "text/event-stream; charset=utf-8";
    respond_head(r, out, &stream);
    strbuf_adds(&stream, "\r\n");
    struct str lines = strbuf_str(&json);
    str_cut(&lines, '\n'); /* without the line "Status: ..." */
    struct completion_reader_setup s = {.turn = ids->turn,
        .model = c->model,
        .created_at = r->now,
        .stream = c->stream,
        .include_usage = c->include_usage,
        .skip = c->prefix.len,
        .share = long_body_keep(r),
        .stream_head = strbuf_str(&stream),
        .json_head = lines};
    return (struct reader_rewrite){.fn = completion_reader_rewrite,
        .release = completion_reader_free,
        .gone = stop_turn,
        .arg = completion_reader_new(&s),
        .web = r->web};
}

static enum rc not_found(struct req *r, const char *param, const char *code, const char *key, struct err *e)
{
    r->wrong_param = param;
    r->wrong_code = code;
    return err_say(e, RC_NOT_FOUND, key);
}

/* Refuses parameters that the model's provider does not have: it would ignore them, or fail later. */
static enum rc check_params(
    struct req *r, const struct completion_request *c, const struct provider_choice *choice, struct err *e)
{
    const char *lacking = llm_lacking_param(choice->kind, choice->responses, &c->params);
    if (!lacking)
        return RC_OK;
    r->wrong_param = lacking;
    r->wrong_code = "unsupported_parameter";
    return err_say(
        e, RC_BAD_INPUT, "v1.model_cannot", arg_text("model", choice->label), arg_text("param", lacking));
}

static enum rc send(struct req *r, const struct completion_request *c, const struct provider_choice *choice,
    const struct completion_place *place, struct turn_ticket *ticket, struct err *e)
{
    enum rc rc = completion_store_pictures(r, c, place->from, e);
    if (rc != RC_OK)
        return rc;
    struct turn_given given = given_of(r, c, place);
    struct turn_request request = {.kind = TURN_GIVEN,
        .owner = r->who.user_id,
        .session = place->session,
        .parent_id = place->parent_id,
        .text = title_source(&given),
        .given = &given,
        .choice = choice->value,
        .effort = c->effort,
        .lang = r->lang};
    return turn_send(stream_engine(r->web), &request, ticket, e);
}

/* Parallel requests with one history are usual, because OpenAI keeps no state. While the session that was
 * found by the history is busy, the request gets one of its own. */
static enum rc send_at(struct req *r, const struct completion_request *c,
    const struct provider_choice *choice, struct completion_place *place, struct turn_ticket *ticket,
    struct err *e)
{
    struct err busy = ERR_INIT;
    enum rc rc = send(r, c, choice, place, ticket, place->by_history ? &busy : e);
    if (rc != RC_CONFLICT || !place->by_history) {
        if (rc != RC_OK && place->by_history)
            *e = busy;
        return rc;
    }
    *place = (struct completion_place){.history = place->history};
    return send(r, c, choice, place, ticket, e);
}

static enum rc start(
    struct req *r, const struct completion_request *c, struct turn_ticket *ticket, struct err *e)
{
    struct completion_place place;
    const char *name;
    const struct provider_choice *choice = find_model(r, c->model);
    if (!choice)
        return not_found(r, "model", "model_not_found", "v1.no_model", e);
    enum rc rc = check_params(r, c, choice, e);
    if (rc == RC_OK)
        rc = session_name(r, c, &name, e);
    if (rc == RC_OK)
        rc = completion_find_place(r, c, name, &place, e);
    if (rc == RC_NOT_FOUND)
        return not_found(r, "session_id", "session_not_found", "v1.no_session", e);
    if (rc != RC_OK)
        return rc;
    return send_at(r, c, choice, &place, ticket, e);
}

static enum rc v1_completions(struct req *r, struct resp *out, struct err *e)
{
    struct completion_request c = {0};
    struct turn_ticket ticket;
    enum rc rc = completion_parse(r->arena, r->body, &c, &r->wrong_param, e);
    if (rc == RC_OK)
        rc = stream_check_turn_readers(r->web, e);
    if (rc == RC_OK)
        rc = start(r, &c, &ticket, e);
    if (rc != RC_OK)
        return rc;
    struct reader_request request = {
        .turn = ticket.ids.turn, .form = EVENTS_DATA, .rewrite = answer_of(r, out, &c, &ticket.ids)};
    stream_attach(r, out, &request);
    return RC_OK;
}

static const struct route routes[] = {
    {HTTP_POST, "/v1/chat/completions", v1_completions, V1_CALL(SCOPE_CHAT), no_fields},
};

const struct route_table completions_routes = {routes, ARRAY_LEN(routes)};
