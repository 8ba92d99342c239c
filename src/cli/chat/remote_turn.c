#include "cli/chat/remote_turn.h"

#include <stdio.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "cli/chat/signals.h"
#include "codec/sse.h"

#define RETRY_FIRST_MS 250
#define RETRY_MAX_MS   5000
#define SEND_WITHIN_MS (2 * MS_PER_MIN)
#define FOLLOW_LOST_MS (10 * MS_PER_MIN) /* without a connection */
#define SILENCE_MS     60000             /* the server sends a comment every 15 seconds */
#define EVENT_MAX      ((size_t)32 * 1024 * 1024)
#define EVENT_ID_MAX   64
#define STEPS_LIMIT    "100" /* messages of one turn that are read again */

/* ---- sending ---- */

static json_t *request_of(const struct remote_send *what)
{
    char id[ID_SIZE];
    json_t *v = json_object();
    id_new(ID_TURN, id);
    json_object_set_new(v, "text", json_stringn(what->text.s, what->text.len));
    json_object_set_new(v, "client_id", json_string(id));
    json_object_set_new(v, "channel", json_string("terminal"));
    if (what->choice)
        json_object_set_new(v, "choice", json_string(what->choice));
    if (what->temporary && !what->session)
        json_object_set_new(v, "temporary", json_true());
    return v;
}

static bool copy_str(const json_t *v, const char *key, char *out, size_t size)
{
    struct str s = {0};
    if (!json_get_str(v, key, &s) || s.len >= size)
        return false;
    snprintf(out, size, "%.*s", STR_FMT(s));
    return true;
}

static bool worth_retry(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_TIMEOUT;
}

enum rc remote_send(struct server *s, const struct remote_send *what, struct remote_ids *out, struct err *e)
{
    AUTO(json_t) body = request_of(what);
    AUTO(json_t) answer = NULL;
    char path[ID_SIZE + 32];
    struct backoff wait = {.first_ms = RETRY_FIRST_MS, .max_ms = RETRY_MAX_MS};
    int64_t until = clock_mono_ms() + SEND_WITHIN_MS;
    bool told = false;
    struct err why = ERR_INIT;
    snprintf(path, sizeof path, "/api/sessions/%s/messages", what->session ? what->session : "new");
    for (;;) {
        enum rc rc = server_call(s, "POST", path, body, &answer, &why);
        if (rc == RC_OK)
            break;
        if (!worth_retry(rc) || clock_mono_ms() > until) {
            *e = why;
            return rc;
        }
        if (!told)
            what->waits(what->arg, &why);
        told = true;
        if (!server_wait(s, backoff_next(&wait)))
            return err_tell(e, RC_CANCELLED, "Stopped.");
    }
    copy_str(answer, "reply", out->reply, sizeof out->reply);
    if (!copy_str(json_object_get(answer, "session"), "id", out->session, sizeof out->session) ||
        !copy_str(answer, "turn", out->turn, sizeof out->turn))
        return err_tell(e, RC_UPSTREAM, "The server's answer has no turn. Is it Alfred?");
    return RC_OK;
}

/* ---- following ---- */

struct follow {
    struct server *server;
    const struct remote_reader *r;
    struct remote_end *out;
    struct sse_parser *sse;
    struct strbuf refusal; /* the body of another status than 200 */
    char last_id[EVENT_ID_MAX];
    char session[ID_SIZE];
    char message[REMOTE_MESSAGE_MAX]; /* id of the answer whose text arrives */
    char reply[REMOTE_MESSAGE_MAX];   /* id of the newest answer that the events have named */
    char ahead[REMOTE_MESSAGE_MAX];   /* id of the answer at which the turn is now, when steps before it were
                                         missed; empty: none were */
    char asks[REMOTE_MESSAGE_MAX];    /* id of the last question for which the turn waited */
    bool ask;                         /* it is new */
    bool begun;                       /* the event "turn" came */
    json_t *end;                      /* data of the last event */
    size_t received;                  /* bytes of its text */
    int status;
    bool closed; /* the connection */
    bool heard;  /* it brought an event */
    bool ended;
    enum rc rc;
    struct err err;
};

static void take_text(struct follow *f, const char *message, struct str piece)
{
    if (strcmp(message, f->message) != 0) {
        snprintf(f->message, sizeof f->message, "%s", message);
        f->received = 0;
    }
    f->received += piece.len;
    if (piece.len && f->r->text)
        f->r->text(f->r->arg, piece);
}

/* The text that came while there was no connection is in the whole message. */
static void take_rest(struct follow *f, const json_t *message)
{
    char id[REMOTE_MESSAGE_MAX] = "";
    struct str text = {"", 0};
    copy_str(message, "id", id, sizeof id);
    json_get_str(message, "text", &text);
    size_t from = strcmp(id, f->message) == 0 ? f->received : 0;
    if (text.len <= from)
        return;
    text = str_from(text, from);
    take_text(f, id, text);
    if (f->r->event) {
        AUTO(json_t) v = json_object();
        json_object_set_new(v, "message", json_string(id));
        json_object_set_new(v, "text", json_stringn(text.s, text.len));
        AUTO_FREE char *json = json_dumps(v, JSON_COMPACT);
        f->r->event(f->r->arg, STR("text"), str_of(json));
    }
}

static void take_step(struct follow *f, const json_t *v)
{
    take_rest(f, json_object_get(v, "message"));
    if (f->r->step)
        f->r->step(f->r->arg, v);
    copy_str(v, "reply", f->reply, sizeof f->reply);
}

/* The steps of a turn that ended while there was no connection: its events do not come again. */
static void catch_up(struct follow *f, const char *last)
{
    char path[ID_SIZE + 64], id[REMOTE_MESSAGE_MAX] = "";
    struct str role;
    AUTO(json_t) v = NULL;
    AUTO(json_t) step = NULL;
    snprintf(path, sizeof path, "/api/sessions/%s/messages?limit=" STEPS_LIMIT, f->session);
    if (server_call(f->server, "GET", path, NULL, &v, NULL) != RC_OK)
        return;
    const json_t *all = json_object_get(v, "messages");
    for (size_t i = 0; i < json_array_size(all) && strcmp(id, last) != 0; i++) {
        json_t *message = json_array_get(all, i);
        copy_str(message, "id", id, sizeof id);
        bool answers = json_get_str(message, "role", &role) && str_is(role, "assistant");
        if (answers && step) {
            json_object_set_new(step, "reply", json_string(id));
            take_step(f, step);
            if (f->r->event) {
                AUTO_FREE char *json = json_dumps(step, JSON_COMPACT);
                f->r->event(f->r->arg, STR("step"), str_of(json));
            }
        }
        if (answers && (step || strcmp(id, f->reply) == 0)) {
            json_decref(step);
            step = json_object();
            json_object_set(step, "message", message);
            json_object_set_new(step, "results", json_array());
        } else if (step) {
            json_array_append(json_object_get(step, "results"), message);
        }
    }
}

/* Must not run in a callback: it may call the server. */
static void take_end(struct follow *f)
{
    const json_t *message = json_object_get(f->end, "message");
    char id[REMOTE_MESSAGE_MAX] = "";
    copy_str(message, "id", id, sizeof id);
    if (*f->reply && strcmp(id, f->reply) != 0)
        catch_up(f, id);
    take_rest(f, message);
    copy_str(f->end, "status", f->out->status, sizeof f->out->status);
    copy_str(message, "error", f->out->error, sizeof f->out->error);
    if (f->r->event) {
        AUTO_FREE char *json = json_dumps(f->end, JSON_COMPACT);
        f->r->event(f->r->arg, STR("end"), str_of(json));
    }
}

static enum rc take_status(struct follow *f, const json_t *v, struct err *e)
{
    struct str status = {"", 0}, text = {"", 0};
    char asks[REMOTE_MESSAGE_MAX] = "";
    json_get_str(v, "status", &status);
    json_get_str(v, "text", &text);
    if (f->r->status)
        f->r->status(f->r->arg, status, text);
    copy_str(v, "suggestion", asks, sizeof asks);
    if (!f->r->asks || !*asks || strcmp(asks, f->asks) == 0)
        return RC_OK;
    snprintf(f->asks, sizeof f->asks, "%s", asks);
    f->ask = true;
    return err_set(e, RC_CANCELLED, "a question waits");
}

/* The server does not send steps again. When a new connection begins with a later answer, steps were missed:
 * the connection is closed until they have been read. */
static enum rc take_turn(struct follow *f, const json_t *v, struct err *e)
{
    char reply[REMOTE_MESSAGE_MAX] = "";
    copy_str(v, "session", f->session, sizeof f->session);
    copy_str(v, "reply", reply, sizeof reply);
    if (*f->reply && strcmp(reply, f->reply) != 0) {
        snprintf(f->ahead, sizeof f->ahead, "%s", reply);
        return err_set(e, RC_CANCELLED, "steps are missing");
    }
    snprintf(f->reply, sizeof f->reply, "%s", reply);
    return RC_OK;
}

static enum rc on_event(void *arg, const struct sse_event *ev, struct err *e)
{
    struct follow *f = arg;
    AUTO(json_t) v = NULL;
    char message[REMOTE_MESSAGE_MAX] = "";
    struct str piece = {"", 0};
    enum rc rc;
    if (json_parse(ev->data, EVENT_MAX, &v, NULL) != RC_OK)
        return err_tell(e, RC_UPSTREAM, "The server sent an event that is no JSON. Is it Alfred?");
    f->heard = true;
    if (str_is(ev->name, "text")) {
        json_get_str(v, "text", &piece);
        copy_str(v, "message", message, sizeof message);
        take_text(f, message, piece);
    } else if (str_is(ev->name, "step")) {
        take_step(f, v);
    } else if (str_is(ev->name, "turn")) {
        rc = take_turn(f, v, e);
        if (f->begun || rc != RC_OK) /* each connection begins with it */
            return rc;
        f->begun = true;
    } else if (str_is(ev->name, "status")) {
        if ((rc = take_status(f, v, e)) != RC_OK)
            return rc;
    } else if (str_is(ev->name, "end")) {
        f->end = json_incref(v);
        f->ended = true;
        loop_stop(f->server->loop);
        return RC_OK;
    }
    if (f->r->event)
        f->r->event(f->r->arg, ev->name, ev->data);
    if (ev->id.len && ev->id.len < sizeof f->last_id)
        snprintf(f->last_id, sizeof f->last_id, "%.*s", STR_FMT(ev->id));
    return RC_OK;
}

static void on_status(void *arg, int status, int retry_after_s)
{
    struct follow *f = arg;
    (void)retry_after_s;
    f->status = status;
}

static bool on_data(void *arg, struct str piece)
{
    struct follow *f = arg;
    if (f->status != 200) {
        strbuf_addstr(&f->refusal, piece);
        return true;
    }
    return f->ended || sse_feed(f->sse, piece, &f->err) == RC_OK;
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct follow *f = arg;
    f->closed = true;
    f->rc = rc;
    if (rc != RC_OK && rc != RC_CANCELLED) /* cancelled: on_data has set the cause */
        f->err = *e;
    loop_stop(f->server->loop);
}

/* Until the connection or the turn has ended. RC_CANCELLED: the second Ctrl-C. */
static enum rc read_events(struct follow *f, const char *turn, int *stops, struct err *e)
{
    char path[ID_SIZE + 32];
    while (!f->closed && !f->ended) {
        if (signals_interrupts() <= *stops) {
            loop_run(f->server->loop);
            continue;
        }
        if (++*stops > 1) /* maybe pressed during the call below, which then ended early */
            return err_tell(e, RC_CANCELLED, "The answer goes on without this terminal.");
        snprintf(path, sizeof path, "/api/turns/%s/stop", turn);
        struct err ignored = ERR_INIT; /* the events report the end */
        AUTO(json_t) body = json_object();
        server_call(f->server, "POST", path, body, NULL, &ignored);
    }
    return RC_OK;
}

static enum rc connect_once(struct follow *f, const char *turn, int *stops, struct err *e)
{
    static const struct http_callbacks cb = {.on_status = on_status, .on_data = on_data, .on_done = on_done};
    struct http_header headers[SERVER_HEADERS];
    char url[SERVER_URL_MAX + ID_SIZE + 32];
    struct http_call *call;
    snprintf(url, sizeof url, "%s/api/turns/%s/events", f->server->url, turn);
    struct http_request r = server_request(f->server, "GET", url, headers);
    r.limits.silence_ms = SILENCE_MS;
    r.limits.total_ms = 0;
    if (*f->last_id)
        headers[r.headers_n++] = (struct http_header){"Last-Event-ID", f->last_id};
    f->closed = f->heard = false;
    f->status = 0;
    f->rc = RC_OK;
    strbuf_clear(&f->refusal);
    sse_parser_free(f->sse);
    f->sse = sse_parser_new(EVENT_MAX, on_event, f);
    enum rc rc = http_start(f->server->http, &r, &cb, f, &call, e);
    if (rc != RC_OK)
        return rc;
    rc = read_events(f, turn, stops, e);
    if (!f->closed)
        http_cancel(call);
    return rc;
}

/* The reason why the connection was closed. RC_OK: another connection can help. */
static enum rc lost(struct follow *f, struct err *e)
{
    enum rc rc = RC_OK;
    if (f->rc == RC_OK && f->status != 200) {
        rc = server_refused(f->status, strbuf_str(&f->refusal), &f->err);
        if (rc == RC_RATE_LIMITED || worth_retry(rc))
            rc = RC_OK;
    } else if (f->rc == RC_CANCELLED || f->rc == RC_BAD_INPUT) {
        rc = f->rc == RC_CANCELLED ? RC_UPSTREAM : f->rc;
    } else if (f->rc == RC_OK) {
        err_tell(&f->err, RC_UNAVAILABLE, "The server closed the connection.");
    }
    if (rc != RC_OK && e)
        *e = f->err;
    return rc;
}

static enum rc follow(struct follow *f, const char *turn, struct err *e)
{
    struct backoff wait = {.first_ms = RETRY_FIRST_MS, .max_ms = RETRY_MAX_MS};
    int64_t heard_at = clock_mono_ms();
    int stops = signals_interrupts();
    bool told = false;
    for (;;) {
        enum rc rc = connect_once(f, turn, &stops, e);
        if (rc != RC_OK || f->ended)
            return rc;
        if (f->ask) {
            f->ask = false;
            f->err = ERR_INIT;
            if ((rc = f->r->asks(f->r->arg, e)) != RC_OK)
                return rc;
            continue;
        }
        if (*f->ahead) {
            catch_up(f, f->ahead);
            snprintf(f->reply, sizeof f->reply, "%s", f->ahead);
            *f->ahead = *f->last_id = '\0';
            f->err = ERR_INIT;
            continue;
        }
        if ((rc = lost(f, e)) != RC_OK)
            return rc;
        if (f->heard) {
            heard_at = clock_mono_ms();
            backoff_reset(&wait);
            told = false;
        }
        if (clock_mono_ms() - heard_at > FOLLOW_LOST_MS) {
            if (e)
                *e = f->err;
            return RC_UNAVAILABLE;
        }
        if (!told && f->r->lost)
            f->r->lost(f->r->arg, &f->err);
        told = true;
        if (!server_wait(f->server, backoff_next(&wait)))
            return err_tell(e, RC_CANCELLED, "The answer goes on without this terminal.");
    }
}

enum rc remote_follow(struct server *s, const char *turn, const char *reply, const struct remote_reader *r,
    struct remote_end *out, struct err *e)
{
    struct follow f = {.server = s, .r = r, .out = out, .err = ERR_INIT};
    *out = (struct remote_end){0};
    snprintf(f.reply, sizeof f.reply, "%s", reply ? reply : "");
    strbuf_init(&f.refusal, SERVER_ANSWER_MAX);
    signals_forget();
    enum rc rc = follow(&f, turn, e);
    if (rc == RC_OK)
        take_end(&f);
    json_decref(f.end);
    strbuf_release(&f.refusal);
    sse_parser_free(f.sse);
    return rc;
}
