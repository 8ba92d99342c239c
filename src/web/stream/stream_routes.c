#include "web/stream/stream_routes.h"

#include "app/config/config.h"
#include "app/turn/turn.h"
#include "base/clock.h"
#include "store/session/session.h"
#include "store/session/workspace.h"
#include "web/chat/chat_page.h"
#include "web/command/command_routes.h"
#include "web/http/resource.h"
#include "web/http/respond.h"
#include "web/page/pages.h"
#include "web/session/session_resource.h"
#include "web/stream/live.h"
#include "web/stream/stream.h"
#include "web/stream/turn_events.h"

#define CHANNEL_TERMINAL "terminal" /* of messages that `alfred chat` sends; the others: the page's */
#define CLIENT_ID_CHARS  MESSAGE_CLIENT_ID_MAX
#define LIVE_FROM_MAX    (INT64_C(1) << 53) /* the largest exact integer in JavaScript */

static struct turn_request request_of(const struct req *r, enum turn_kind kind)
{
    const char *session = req_text(r, F_SESSION), *choice = req_text(r, F_CHOICE);
    const char *client_id = req_text(r, F_CLIENT_ID);
    return (struct turn_request){.kind = kind,
        .owner = r->who.user_id,
        .session = strcmp(session, "new") == 0 ? NULL : session,
        .message_id = req_int(r, F_MESSAGE),
        .parent_id = req_int(r, F_PARENT),
        .end_id = req_int(r, F_END),
        .text = req_has(r, F_TEXT) ? req_str(r, F_TEXT) : STR(""),
        .pictures = req_has(r, F_PICTURES) ? req_str(r, F_PICTURES) : STR(""),
        .client_id = client_id && *client_id ? client_id : NULL,
        .channel = str_is(req_str(r, F_CHANNEL), CHANNEL_TERMINAL) ? CHANNEL_TERMINAL : NULL,
        .choice = choice && *choice ? choice : NULL,
        .once = req_int(r, F_ONCE) != 0,
        .compare_with = req_text(r, F_COMPARE_WITH),
        .lang = r->lang,
        .effort = req_has(r, F_EFFORT) ? req_text(r, F_EFFORT) : NULL,
        .sets_persona = req_has(r, F_PERSONA),
        .persona_id = req_int(r, F_PERSONA),
        .workspace = req_text(r, F_WORKSPACE),
        .temporary = req_int(r, F_TEMPORARY) != 0,
        .sets_pasted = req_has(r, F_PASTED_FROM),
        .pasted_from = req_int(r, F_PASTED_FROM)};
}

static bool wants_events(const struct req *r)
{
    const char *accept = req_param(r, "HTTP_ACCEPT");
    return accept && strstr(accept, "text/event-stream");
}

static struct event_frame frame_of(const struct req *r)
{
    return (struct event_frame){
        .web = r->web, .lang = r->lang, .owner = r->who.user_id, .csrf = r->csrf, .zone = r->zone};
}

/* The content of the event "turn". It is read in the transaction of the send, which saves a second one. */
struct first_event {
    struct req *req;
    struct turn_shown shown;
};

static void read_first_event(struct db *db, void *arg, const struct turn_started *ids)
{
    struct first_event *f = arg;
    struct event_frame frame = frame_of(f->req);
    (void)event_turn_read(&frame, db, f->req->arena, ids, &f->shown, NULL); /* event_turn() tries again */
}

/* The caller has called stream_check_turn_readers(). */
static enum rc follow(struct req *r, struct resp *out, const struct turn_started *ids,
    struct turn_shown *shown, const char *position, struct err *e)
{
    AUTO_STRBUF first;
    strbuf_init(&first, EVENT_MAX);
    struct event_frame frame = frame_of(r);
    enum event_form form = r->surface == SURFACE_SCRIPT ? EVENTS_PAGE : EVENTS_DATA;
    enum rc rc = event_turn(&frame, ids, form, shown, &first, e);
    if (rc != RC_OK)
        return rc;
    struct reader_request request = {
        .turn = ids->turn, .form = form, .first = strbuf_str(&first), .position = position};
    stream_attach(r, out, &request);
    return RC_OK;
}

static enum rc accepted(struct req *r, struct resp *out, const struct turn_started *ids,
    const struct turn_started *second, struct err *e)
{
    struct session s;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, r->who.user_id, ids->session, &s, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &s);
    view_text(v, "turn", ids->turn);
    view_text(v, "asked", id_text(r->arena, ids->asked_id));
    view_text(v, "reply", id_text(r->arena, ids->reply_id));
    if (second->turn[0]) {
        struct view *other = view_obj(v, "second");
        view_text(other, "turn", second->turn);
        view_text(other, "reply", id_text(r->arena, second->reply_id));
    } else {
        view_null(v, "second");
    }
    return resp_json(out, 202, v, e);
}

/* The conversation has newer messages than the sender knows. The answer names both places from which the
 * sender can choose: the end as it is now, and the message that the sender has seen. */
static enum rc answer_gone_on(
    struct req *r, struct resp *out, const struct turn_ticket *ticket, const struct err *why, struct err *e)
{
    struct view *v = error_view(r, why);
    view_id(r->arena, v, "end", ticket->head_id);
    view_id(r->arena, v, "branch", ticket->branch_id);
    return resp_json(out, http_status(why->rc), v, e);
}

static enum rc api_turn(struct req *r, struct resp *out, enum turn_kind kind, struct err *e)
{
    struct turn_request request = request_of(r, kind);
    struct turn_ticket ticket = {0};
    struct err why = ERR_INIT;
    struct first_event first = {.req = r};
    if (r->surface == SURFACE_SCRIPT && wants_events(r)) {
        request.look = read_first_event;
        request.look_arg = &first;
    }
    if (req_str(r, F_CHANNEL).len && !request.channel)
        return err_say(e, RC_BAD_INPUT, "message.bad_channel", arg_text("channel", CHANNEL_TERMINAL));
    enum rc rc = wants_events(r) ? stream_check_turn_readers(r->web, &why) : RC_OK;
    if (rc == RC_OK)
        rc = turn_send(stream_engine(r->web), &request, &ticket, &why);
    if (rc != RC_OK && ticket.gone_on)
        return answer_gone_on(r, out, &ticket, &why, e);
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    return wants_events(r) ? follow(r, out, &ticket.ids, &first.shown, NULL, e)
                           : accepted(r, out, &ticket.ids, &ticket.second, e);
}

static enum rc api_send(struct req *r, struct resp *out, struct err *e)
{
    return api_turn(r, out, TURN_SEND, e);
}

static enum rc api_edit(struct req *r, struct resp *out, struct err *e)
{
    return api_turn(r, out, TURN_EDIT, e);
}

static enum rc api_regenerate(struct req *r, struct resp *out, struct err *e)
{
    return api_turn(r, out, TURN_REGENERATE, e);
}

static enum rc api_continue(struct req *r, struct resp *out, struct err *e)
{
    return api_turn(r, out, TURN_CONTINUE, e);
}

/* Reads the turn of the path and the public id of its session. */
static enum rc load_turn(struct req *r, struct turn_row *row, struct session *s, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_turn_get(db, r->arena, r->who.user_id, req_text(r, F_TURN), row, e);
    if (rc == RC_OK)
        rc = store_session_by_id(db, r->arena, r->who.user_id, row->session_id, s, e);
    store_read_done(r->web->store, db);
    return rc;
}

static enum rc api_events(struct req *r, struct resp *out, struct err *e)
{
    struct turn_row row;
    struct session s;
    enum rc rc = load_turn(r, &row, &s, e);
    if (rc == RC_OK)
        rc = stream_check_turn_readers(r->web, e);
    if (rc != RC_OK)
        return rc;
    struct turn_started ids = {.owner = row.owner,
        .session_id = row.session_id,
        .asked_id = row.asked_id,
        .reply_id = row.reply_id,
        .slot = row.slot};
    memcpy(ids.turn, row.pub, ID_SIZE);
    memcpy(ids.session, s.pub, ID_SIZE);
    const char *position = req_param(r, "HTTP_LAST_EVENT_ID");
    return follow(r, out, &ids, &(struct turn_shown){0}, position ? position : req_text(r, F_FROM), e);
}

/* Changes made elsewhere. A position that cannot be read counts as one that is too old. */
static enum rc api_live(struct req *r, struct resp *out, struct err *e)
{
    struct reader_request request = {.live = true, .form = EVENTS_DATA, .known = req_int(r, F_FROM)};
    const char *last = req_param(r, "HTTP_LAST_EVENT_ID");
    if (last && *last && !live_position(str_of(last), &request.known))
        request.known = 1;
    enum rc rc = stream_check_live_readers(r->web, e);
    if (rc == RC_OK)
        stream_attach(r, out, &request);
    return rc;
}

static enum rc api_turn_get(struct req *r, struct resp *out, struct err *e)
{
    struct turn_row row;
    struct session s;
    enum rc rc = load_turn(r, &row, &s, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_text(v, "turn", row.pub);
    view_text(v, "status", message_status_name(row.status));
    view_text(v, "session", s.pub);
    view_text(v, "asked", id_text(r->arena, row.asked_id));
    view_text(v, "reply", id_text(r->arena, row.reply_id));
    return resp_json(out, 200, v, e);
}

static enum rc api_stop(struct req *r, struct resp *out, struct err *e)
{
    struct turn_row row;
    struct session s;
    enum rc rc = load_turn(r, &row, &s, e);
    if (rc != RC_OK)
        return rc;
    bool running = row.status == MESSAGE_RUNNING;
    if (running)
        stream_stop_turn(r->web, row.pub);
    struct view *v = view_new(r->arena);
    view_text(v, "turn", row.pub);
    view_text(v, "status", running ? "stopping" : message_status_name(row.status));
    return resp_json(out, 200, v, e);
}

/* Without script: the post waits for the end of the turn, then redirects to the finished page. The caller has
 * called stream_check_turn_readers(). */
static void wait_for_end(
    struct req *r, struct resp *out, const char *turn, const char *session, int64_t reply)
{
    struct reader_request request = {
        .turn = turn, .goes_to = arena_printf(r->arena, "/s/%s#m-%lld", session, (long long)reply)};
    stream_attach(r, out, &request);
}

static enum rc page_turn(struct req *r, struct resp *out, enum turn_kind kind, struct err *e)
{
    struct turn_request request = request_of(r, kind);
    struct turn_ticket ticket = {0};
    struct err why = ERR_INIT;
    if (kind == TURN_SEND && command_is(str_trim(request.text)))
        request.text = str_trim(request.text);
    enum rc rc = stream_check_turn_readers(r->web, &why);
    if (rc == RC_OK)
        rc = turn_send(stream_engine(r->web), &request, &ticket, &why);
    if (rc == RC_NOT_FOUND && req_str(r, F_TEXT).len)
        return page_chat_without(r, out, e);
    if (page_can_say(rc))
        return page_chat_show(r, out,
            &(struct chat_outcome){.why = &why,
                .text = req_text(r, F_TEXT),
                .retry = kind == TURN_SEND,
                .gone_on = ticket.gone_on,
                .branch_id = ticket.branch_id},
            e);
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    wait_for_end(r, out, ticket.ids.turn, ticket.ids.session, ticket.ids.reply_id);
    return RC_OK;
}

/* A command in the message box of a page without its script. */
static enum rc page_command(struct req *r, struct resp *out, struct err *e)
{
    struct command_reply reply;
    struct err why = ERR_INIT;
    const char *session = req_text(r, F_SESSION), *line = req_text(r, F_TEXT);
    enum rc rc = command_of_request(r, session, "web", str_of(line), &reply, &why);
    if (rc != RC_OK && why.for_user)
        return page_chat_show(r, out, &(struct chat_outcome){.why = &why, .text = line}, e);
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    const char *to = command_reply_url(r->arena, session, &reply);
    if (reply.file_name)
        to = arena_printf(r->arena, "/sessions/%s/export", session);
    if (to) {
        resp_redirect(out, "%s", to);
        return RC_OK;
    }
    return page_chat_show(r, out, &(struct chat_outcome){.reply = &reply, .typed = line}, e);
}

/* A line that looks like a command is a message when a blank precedes the slash. */
static enum rc page_send(struct req *r, struct resp *out, struct err *e)
{
    return command_is(req_str(r, F_TEXT)) ? page_command(r, out, e) : page_turn(r, out, TURN_SEND, e);
}

static enum rc page_edit(struct req *r, struct resp *out, struct err *e)
{
    return page_turn(r, out, TURN_EDIT, e);
}

static enum rc page_regenerate(struct req *r, struct resp *out, struct err *e)
{
    return page_turn(r, out, TURN_REGENERATE, e);
}

static enum rc page_continue(struct req *r, struct resp *out, struct err *e)
{
    return page_turn(r, out, TURN_CONTINUE, e);
}

static enum rc page_stop(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    const char *only = req_text(r, F_TURN); /* one of the two turns of a comparison; NULL or "": all */
    const struct turn_row *last = NULL;
    struct session s;
    struct turn_row *rows;
    size_t n;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, r->who.user_id, session, &s, e);
    if (rc == RC_OK)
        rc = store_turns_running(db, r->arena, r->who.user_id, s.id, &rows, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!only || !*only || strcmp(only, rows[i].pub) == 0) {
            stream_stop_turn(r->web, rows[i].pub);
            last = &rows[i];
        }
    if (last && stream_check_turn_readers(r->web, NULL) == RC_OK)
        wait_for_end(r, out, last->pub, session, last->reply_id);
    else /* the turn has ended already, or too many readers wait: the page shows the turn as it is */
        resp_redirect(out, "/s/%s", session);
    return RC_OK;
}

/* clang-format off */
#define SESSION      {F_SESSION, FIELD_ID_SESSION, .required = true}
#define SESSION_NEW  {F_SESSION, FIELD_ID_SESSION_NEW, .required = true}
#define MESSAGE      {F_MESSAGE, FIELD_ID_ROW, .required = true}
#define TURN         {F_TURN, FIELD_ID_TURN, .required = true}
#define TEXT         {F_TEXT, FIELD_LINES, .required = true, .max = CONFIG_MESSAGE_BYTES_MAX}
#define CHOICE       {F_CHOICE, FIELD_LINE, .required = false}
#define EFFORT       {F_EFFORT, FIELD_LINE, .required = false}
#define PERSONA      {F_PERSONA, FIELD_ID_OR_NONE, .required = false, .min = 0, .max = INT64_MAX}
#define COMPARE_WITH {F_COMPARE_WITH, FIELD_LINE, .required = false}
#define CLIENT_ID    {F_CLIENT_ID, FIELD_LINE, .required = false, .max = CLIENT_ID_CHARS}
#define WORKSPACE    {F_WORKSPACE, FIELD_LINE, .required = false, .max = WORKSPACE_CHARS_MAX}
#define PASTED_FROM  {F_PASTED_FROM, FIELD_INT, .required = false, .min = 0, .max = CONFIG_MESSAGE_BYTES_MAX}
#define END          {.field = F_NONE}
/* clang-format on */

static const struct field_rule send_fields[] = {SESSION_NEW,
    {F_TEXT, FIELD_LINES, .required = false, .max = CONFIG_MESSAGE_BYTES_MAX},
    {F_PICTURES, FIELD_IDS_PICTURE, .required = false}, {F_PARENT, FIELD_ID_ROW, .required = false},
    {F_END, FIELD_ID_ROW, .required = false}, CHOICE, EFFORT, COMPARE_WITH, PERSONA, CLIENT_ID, WORKSPACE,
    {F_TEMPORARY, FIELD_BOOL, .required = false}, PASTED_FROM, {F_CHANNEL, FIELD_LINE, .required = false},
    END};
static const struct field_rule edit_fields[] = {
    SESSION, MESSAGE, TEXT, CHOICE, COMPARE_WITH, EFFORT, PERSONA, CLIENT_ID, PASTED_FROM, END};
static const struct field_rule regenerate_fields[] = {SESSION, MESSAGE, CHOICE,
    {F_ONCE, FIELD_BOOL, .required = false}, COMPARE_WITH, EFFORT, PERSONA, CLIENT_ID, END};
static const struct field_rule continue_fields[] = {SESSION, MESSAGE, CLIENT_ID, END};
static const struct field_rule turn_fields[] = {TURN, {F_FROM, FIELD_LINE, .required = false}, END};
static const struct field_rule stop_fields[] = {SESSION_NEW, {F_TURN, FIELD_ID_TURN, .required = false}, END};
static const struct field_rule live_fields[] = {{F_FROM, FIELD_INT, .min = 0, .max = LIVE_FROM_MAX}, END};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_POST, "/api/sessions/{session}/messages",                      api_send,        API_CHANGE(ACCESS_MEMBER, SCOPE_CHAT),  send_fields},
    {HTTP_POST, "/api/sessions/{session}/messages/{message}/edit",       api_edit,        API_CHANGE(ACCESS_MEMBER, SCOPE_CHAT),  edit_fields},
    {HTTP_POST, "/api/sessions/{session}/messages/{message}/regenerate", api_regenerate,  API_CHANGE(ACCESS_MEMBER, SCOPE_CHAT),  regenerate_fields},
    {HTTP_POST, "/api/sessions/{session}/messages/{message}/continue",   api_continue,    API_CHANGE(ACCESS_MEMBER, SCOPE_CHAT),  continue_fields},
    {HTTP_GET,  "/api/events",                                           api_live,        API_READ(ACCESS_MEMBER, SCOPE_READ | SCOPE_CHAT),    live_fields},
    {HTTP_GET,  "/api/turns/{turn}",                                     api_turn_get,    API_READ(ACCESS_MEMBER, SCOPE_READ | SCOPE_CHAT),    turn_fields},
    {HTTP_GET,  "/api/turns/{turn}/events",                              api_events,      API_READ(ACCESS_MEMBER, SCOPE_READ | SCOPE_CHAT),    turn_fields},
    {HTTP_POST, "/api/turns/{turn}/stop",                                api_stop,        API_CHANGE(ACCESS_MEMBER, SCOPE_CHAT),  turn_fields},

    {HTTP_POST, "/page/sessions/{session}/messages",                      api_send,        SCRIPT_CHANGE(ACCESS_MEMBER), send_fields},
    {HTTP_POST, "/page/sessions/{session}/messages/{message}/edit",       api_edit,        SCRIPT_CHANGE(ACCESS_MEMBER), edit_fields},
    {HTTP_POST, "/page/sessions/{session}/messages/{message}/regenerate", api_regenerate,  SCRIPT_CHANGE(ACCESS_MEMBER), regenerate_fields},
    {HTTP_POST, "/page/sessions/{session}/messages/{message}/continue",   api_continue,    SCRIPT_CHANGE(ACCESS_MEMBER), continue_fields},
    {HTTP_GET,  "/page/turns/{turn}/events",                             api_events,      SCRIPT_READ(ACCESS_MEMBER),   turn_fields},

    {HTTP_POST, "/s/{session}",                                          page_send,       PAGE_CHANGE(ACCESS_MEMBER), send_fields},
    {HTTP_POST, "/s/{session}/edit",                                     page_edit,       PAGE_CHANGE(ACCESS_MEMBER), edit_fields},
    {HTTP_POST, "/s/{session}/regenerate",                               page_regenerate, PAGE_CHANGE(ACCESS_MEMBER), regenerate_fields},
    {HTTP_POST, "/s/{session}/continue",                                 page_continue,   PAGE_CHANGE(ACCESS_MEMBER), continue_fields},
    {HTTP_POST, "/s/{session}/stop",                                     page_stop,       PAGE_CHANGE(ACCESS_MEMBER), stop_fields},
};
/* clang-format on */

const struct route_table stream_routes = {routes, ARRAY_LEN(routes)};
