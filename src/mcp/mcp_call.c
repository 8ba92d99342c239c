/* A call: one request of the user's, with what has to go before it. Each stage is one HTTP request. */
#include "mcp/mcp_private.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "base/version.h"

#define BODY_EXTRA 512 /* bytes of a request besides its params */

static void begin(struct mcp_call *c, enum mcp_stage stage);

static bool is_stateless(const struct mcp_call *c)
{
    return c->stage == MCP_DISCOVERS || (c->stage == MCP_ASKS && c->mine.era == MCP_STATELESS);
}

/* ---- the end ---- */

static void call_free(struct mcp_call *c)
{
    sse_parser_free(c->events);
    mcp_message_release(&c->reply);
    strbuf_release(&c->body);
    arena_free(c->arena);
    free(c->method);
    free(c->params);
    free(c);
}

static void report(void *arg)
{
    struct mcp_call *c = arg;
    c->done(c->arg, &c->answer);
    call_free(c);
}

/* The owner may be inside mcp_start() or a stop. */
static void end(struct mcp_call *c, enum rc rc)
{
    c->answer.rc = rc;
    loop_post(c->client->loop, report, c);
}

static void fail(struct mcp_call *c, enum rc rc, const char *key)
{
    end(c, err_say(&c->answer.err, rc, key, arg_text("server", c->server->label)));
}

static void fail_status(struct mcp_call *c)
{
    if (c->status == 401 || c->status == 403)
        fail(c, RC_FORBIDDEN, "mcp.refused");
    else if (c->status == 429)
        fail(c, RC_RATE_LIMITED, "mcp.too_often");
    else if (c->status >= 300 && c->status < 400)
        fail(c, RC_UPSTREAM, "mcp.redirects");
    else
        end(c, err_say(&c->answer.err, RC_UPSTREAM, "mcp.status", arg_text("server", c->server->label),
                   arg_int("status", c->status)));
}

/* The server's words are untrusted and may be long. */
static void fail_error(struct mcp_call *c)
{
    char words[ERR_TEXT_MAX / 2];
    snprintf(words, sizeof words, "%.*s", STR_FMT(utf8_head(c->reply.words, sizeof words - 1)));
    c->answer.code = c->reply.code;
    end(c, err_say(&c->answer.err, RC_BAD_INPUT, "mcp.error", arg_text("server", c->server->label),
               arg_text("words", words)));
}

/* With sessions, a broken connection is no sign to stop. A stateless server takes it as one. */
static void tell_cancelled(const struct mcp_call *c)
{
    if (c->stage != MCP_ASKS || is_stateless(c) || !c->sent)
        return;
    char params[64];
    AUTO_STRBUF body;
    strbuf_init(&body, BODY_EXTRA);
    snprintf(params, sizeof params, "\"requestId\":%lld", (long long)c->id);
    mcp_add_notification(&body, "notifications/cancelled", str_of(params));
    mcp_post(c->client, c->server, &c->mine, strbuf_str(&body), NULL, NULL);
}

void mcp_cancel(struct mcp_call *c)
{
    if (!c->http)
        return; /* it has ended */
    http_cancel(c->http);
    c->http = NULL;
    tell_cancelled(c);
    c->answer.perhaps_done = c->stage == MCP_ASKS && c->sent;
    fail(c, RC_CANCELLED, "mcp.stopped");
}

/* ---- what a server sends ---- */

static void on_header(void *arg, struct str name, struct str value)
{
    struct mcp_call *c = arg;
    if (c->stage != MCP_INITIALIZES || !str_eq_nocase(name, STR("mcp-session-id")) ||
        value.len >= sizeof c->session)
        return;
    for (size_t i = 0; i < value.len; i++)
        if (value.s[i] <= ' ' || value.s[i] > '~')
            return;
    memcpy(c->session, value.s, value.len);
    c->session[value.len] = '\0';
}

static void refuse(struct mcp_call *c, const struct mcp_message *m)
{
    AUTO_STRBUF body;
    strbuf_init(&body, BODY_EXTRA);
    mcp_add_refusal(&body, m);
    if (!body.len || is_stateless(c) || ++c->posts > MCP_POSTS_MAX)
        return;
    mcp_post(c->client, c->server, &c->mine, strbuf_str(&body), NULL, NULL);
}

/* RC_CANCELLED: it is the answer, so nothing after it is read. */
static enum rc take_message(struct mcp_call *c, struct str text, struct err *e)
{
    struct mcp_message m;
    enum rc rc = mcp_message_read(text, &m, e);
    if (rc != RC_OK)
        return rc;
    bool answers = m.kind == MCP_RESULT || m.kind == MCP_ERROR;
    if (answers && (m.id == c->id || (m.kind == MCP_ERROR && !m.id && !c->events))) {
        c->reply = m;
        return RC_CANCELLED;
    }
    if (m.kind == MCP_REQUEST)
        refuse(c, &m);
    if (m.kind == MCP_NOTIFICATION && str_is(m.method, "notifications/tools/list_changed"))
        c->answer.tools_changed = true;
    mcp_message_release(&m);
    return answers ? err_set(e, RC_UPSTREAM, "an answer to another request") : RC_OK;
}

static enum rc on_event(void *arg, const struct sse_event *ev, struct err *e)
{
    struct mcp_call *c = arg;
    return str_trim(ev->data).len ? take_message(c, ev->data, e) : RC_OK;
}

static void on_type(void *arg, const char *type)
{
    struct mcp_call *c = arg;
    if (str_starts_nocase(str_of(type), STR("text/event-stream")))
        c->events = sse_parser_new(MCP_BODY_MAX, on_event, c);
}

static void on_status(void *arg, int status, int retry_after_s)
{
    struct mcp_call *c = arg;
    (void)retry_after_s;
    c->status = status;
}

static bool on_data(void *arg, struct str piece)
{
    struct mcp_call *c = arg;
    if (c->events)
        return sse_feed(c->events, piece, NULL) == RC_OK;
    strbuf_addstr(&c->body, piece);
    return true;
}

static void on_sent(void *arg)
{
    struct mcp_call *c = arg;
    c->sent = true;
}

/* ---- the stages ---- */

/* An error that only stateless servers have. */
static bool is_stateless_error(const struct mcp_call *c)
{
    return c->reply.json && c->reply.kind == MCP_ERROR && c->reply.code <= MCP_WRONG_HEADERS &&
           c->reply.code >= MCP_WRONG_VERSION;
}

/* The request was refused by a server that has forgotten the session, or speaks the other era now. */
static bool restart(struct mcp_call *c)
{
    if (c->restarted)
        return false;
    c->restarted = true;
    /* Another call may have begun a newer session meanwhile. */
    if (strcmp(c->link->session, c->mine.session) == 0)
        c->link->open = false;
    c->mine.open = false;
    if (c->mine.era == MCP_STATELESS || is_stateless_error(c))
        c->mine.era = MCP_ERA_UNKNOWN;
    begin(c, c->mine.era == MCP_SESSIONS ? MCP_INITIALIZES : MCP_DISCOVERS);
    return true;
}

static void discovered(struct mcp_call *c)
{
    const json_t *versions = c->reply.kind == MCP_RESULT
                                 ? json_object_get(c->reply.result, "supportedVersions")
                                 : json_object_get(c->reply.data, "supported");
    bool known = is_stateless_error(c);
    if (c->reply.json && c->reply.kind == MCP_RESULT && mcp_list_has(versions, MCP_STATELESS_VERSION)) {
        c->mine.era = MCP_STATELESS;
        *c->link = c->mine;
        begin(c, MCP_ASKS);
    } else if (known && c->reply.code == MCP_WRONG_VERSION && !mcp_session_version(versions)) {
        fail(c, RC_UPSTREAM, "mcp.other_version");
    } else if (known && c->reply.code != MCP_WRONG_VERSION) {
        fail_error(c);
    } else if (c->status == 401 || c->status == 403 || c->status == 429) {
        fail_status(c);
    } else {
        begin(c, MCP_INITIALIZES);
    }
}

static void initialized(struct mcp_call *c)
{
    struct str text = {0};
    if (!c->link->open)
        c->link->era = MCP_ERA_UNKNOWN; /* unless this succeeds */
    if (!c->reply.json && c->status != 200) {
        fail_status(c);
        return;
    }
    if (!c->reply.json) {
        fail(c, RC_UPSTREAM, "mcp.no_server");
        return;
    }
    if (c->reply.kind == MCP_ERROR) {
        fail_error(c);
        return;
    }
    json_get_str(c->reply.result, "protocolVersion", &text);
    const char *version = mcp_session_version_of(text);
    if (!version) {
        fail(c, RC_UPSTREAM, "mcp.other_version");
        return;
    }
    c->mine.era = MCP_SESSIONS;
    c->mine.open = true;
    snprintf(c->mine.version, sizeof c->mine.version, "%s", version);
    memcpy(c->mine.session, c->session, sizeof c->mine.session);
    begin(c, MCP_CONFIRMS);
}

static void confirmed(struct mcp_call *c)
{
    if (c->status < 200 || c->status >= 300) {
        fail_status(c);
        return;
    }
    *c->link = c->mine; /* from here on other calls may use the session */
    begin(c, MCP_ASKS);
}

/* True for an answer that shows that the server did not run the request, and would not run it like this. An
 * error with the id of the request may come from the tool, unless its code says otherwise. */
static bool has_lost_us(const struct mcp_call *c)
{
    bool refused = c->status == 400 || c->status == 404 || c->status == 405;
    bool ours = c->reply.json && c->reply.id == c->id;
    int64_t code = c->reply.json && c->reply.kind == MCP_ERROR ? c->reply.code : 0;
    if (c->mine.era == MCP_STATELESS)
        return code == MCP_WRONG_VERSION || (refused && (!ours || code == MCP_BAD_REQUEST));
    /* The specification says 404 for a session that has ended; some servers answer 400. */
    return is_stateless_error(c) || (*c->mine.session && (c->status == 404 || (refused && !ours)));
}

static void answered(struct mcp_call *c)
{
    if (has_lost_us(c) && restart(c))
        return;
    if (c->reply.json && c->reply.kind == MCP_RESULT && c->status < 300) {
        c->answer.result = json_object_get(c->reply.json, "result");
        end(c, RC_OK);
        return;
    }
    if (c->reply.json && c->reply.kind == MCP_ERROR) {
        c->answer.tools_changed |= c->reply.code == MCP_WRONG_HEADERS ||
                                   c->reply.code == MCP_UNKNOWN_METHOD || c->reply.code == MCP_BAD_PARAMS;
        fail_error(c);
        return;
    }
    c->answer.perhaps_done = c->status < 300 || c->status >= 500;
    if (c->status >= 300)
        fail_status(c);
    else
        fail(c, RC_UPSTREAM, "mcp.no_message");
}

/* The connection failed before the answer was complete. */
static void broken(struct mcp_call *c, enum rc rc, const struct err *e)
{
    bool may_repeat = rc == RC_UNAVAILABLE || rc == RC_UPSTREAM;
    if (c->stage == MCP_ASKS && c->repeats && may_repeat && !c->repeated) {
        c->repeated = true;
        begin(c, MCP_ASKS);
        return;
    }
    c->answer.perhaps_done = c->stage == MCP_ASKS && c->sent;
    if (rc == RC_TIMEOUT) {
        tell_cancelled(c);
        fail(c, rc, "mcp.too_slow");
        return;
    }
    c->answer.err = *e;
    end(c, rc);
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct mcp_call *c = arg;
    c->http = NULL;
    if (rc == RC_CANCELLED) /* on_event() stopped reading: it has the answer, or there is none */
        rc = RC_OK;
    if (rc != RC_OK) {
        broken(c, rc, e);
        return;
    }
    if (!c->events && c->body.len)
        take_message(c, strbuf_str(&c->body), NULL); /* each stage says what it needs */
    switch (c->stage) {
    case MCP_DISCOVERS: discovered(c); break;
    case MCP_INITIALIZES: initialized(c); break;
    case MCP_CONFIRMS: confirmed(c); break;
    case MCP_ASKS: answered(c); break;
    }
}

/* ---- one request ---- */

static void write_body(struct mcp_call *c, struct strbuf *out)
{
    switch (c->stage) {
    case MCP_DISCOVERS: mcp_add_request(out, c->id, "server/discover", STR(""), true); break;
    case MCP_INITIALIZES:
        mcp_add_request(out, c->id, "initialize",
            STR("\"protocolVersion\":\"" MCP_SESSION_VERSION
                "\",\"capabilities\":{},\"clientInfo\":" MCP_CLIENT_INFO),
            false);
        break;
    case MCP_CONFIRMS: mcp_add_notification(out, "notifications/initialized", STR("")); break;
    case MCP_ASKS: mcp_add_request(out, c->id, c->method, str_of(c->params), is_stateless(c)); break;
    }
}

static size_t all_headers(const struct mcp_call *c, struct http_header *out)
{
    const char *method = c->stage == MCP_DISCOVERS ? "server/discover" : c->method;
    size_t n = mcp_headers(c->server, &c->mine, is_stateless(c), method, out);
    for (size_t i = 0; c->stage == MCP_ASKS && is_stateless(c) && i < c->headers_n && n < MCP_HEADERS_MAX;
         i++)
        out[n++] = c->headers[i];
    return n;
}

static void begin(struct mcp_call *c, enum mcp_stage stage)
{
    static const struct http_callbacks cb = {.on_type = on_type,
        .on_header = on_header,
        .on_status = on_status,
        .on_data = on_data,
        .on_done = on_done,
        .on_sent = on_sent};
    struct http_header headers[MCP_HEADERS_MAX];
    int64_t left_ms = c->until_ms - clock_mono_ms();
    c->stage = stage;
    c->status = 0;
    c->sent = false;
    sse_parser_free(c->events);
    c->events = NULL;
    mcp_message_release(&c->reply);
    strbuf_clear(&c->body);
    c->id = ++c->client->last_id;
    if (stage == MCP_INITIALIZES) {
        c->mine.open = false;
        c->session[0] = '\0';
    }
    if (left_ms <= 0) {
        fail(c, RC_TIMEOUT, "mcp.too_slow");
        return;
    }
    AUTO_STRBUF body;
    strbuf_init(&body, strlen(c->params) + BODY_EXTRA);
    write_body(c, &body);
    struct http_request r = {.method = "POST",
        .server = c->server->label,
        .url = c->server->url,
        .body = strbuf_str(&body),
        .headers = headers,
        .headers_n = all_headers(c, headers),
        .limits = {.connect_ms = MCP_CONNECT_MS,
            .silence_ms = (int)left_ms,
            .total_ms = (int)left_ms,
            .body_max = MCP_BODY_MAX},
        .ca_file = c->server->ca_file,
        .system_too = true,
        .once = stage == MCP_ASKS}; /* broken() repeats it, if it may */
    struct err e = ERR_INIT;
    enum rc rc = http_start(c->client->http, &r, &cb, c, &c->http, &e);
    if (rc == RC_OK)
        return;
    c->answer.err = e;
    end(c, rc);
}

struct mcp_call *mcp_start(
    struct mcp_client *client, const struct mcp_request *q, mcp_done_fn *done, void *arg)
{
    struct mcp_call *c = xcalloc(1, sizeof *c);
    *c = (struct mcp_call){.client = client,
        .server = q->server,
        .link = q->link,
        .mine = *q->link,
        .method = xstrdup(q->method),
        .params = xstrndup(q->params.s ? q->params.s : "", q->params.len),
        .arena = arena_new(),
        .headers_n = q->headers_n,
        .repeats = q->repeats,
        .until_ms = clock_mono_ms() + q->server->timeout_ms,
        .done = done,
        .arg = arg,
        .answer = {.err = ERR_INIT}};
    strbuf_init(&c->body, MCP_BODY_MAX);
    c->headers = ARENA_ARRAY(c->arena, struct http_header, q->headers_n + 1);
    for (size_t i = 0; i < q->headers_n; i++)
        c->headers[i] = (struct http_header){
            arena_strdup(c->arena, q->headers[i].name), arena_strdup(c->arena, q->headers[i].value)};
    switch (q->link->era) {
    case MCP_ERA_UNKNOWN: begin(c, MCP_DISCOVERS); break;
    case MCP_STATELESS: begin(c, MCP_ASKS); break;
    case MCP_SESSIONS: begin(c, q->link->open ? MCP_ASKS : MCP_INITIALIZES); break;
    }
    return c;
}

/* ---- the client ---- */

struct mcp_client *mcp_client_new(struct loop *l, const char *const *allowed, size_t allowed_n)
{
    struct mcp_client *c = xcalloc(1, sizeof *c);
    *c = (struct mcp_client){.loop = l, .http = http_client_new(l, allowed, allowed_n)};
    return c;
}

void mcp_client_free(struct mcp_client *c)
{
    if (!c)
        return;
    mcp_posts_free(c);
    http_client_free(c->http);
    free(c);
}
