/*
 * Methods of the Bot API over the HTTP client.
 *
 * A request is sent once. curl would send it again when a kept connection turns out to be closed, and the
 * server may have acted on the first one.
 */
#include "channel/telegram/telegram_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rand.h"
#include "base/utf8.h"
#include "channel/telegram/telegram_private.h"

#define SERVER_NAME "Telegram" /* in sentences; the address has the token */
#define REQUEST_MAX (1024 * 1024)
#define HTTP_OK     200
#define HIDDEN      "***"

/* An update is two levels below the answer that brings it. */
static const struct json_limits ANSWER_SHAPE = {.depth = TELEGRAM_UPDATE_DEPTH + 2, .containers = 100000};

struct telegram_call {
    struct http_call *http;
    telegram_called_fn *called;
    void *arg;
    char *token; /* to remove it from descriptions */
    struct telegram_answer answer;
    int status, retry_after_s;
    struct strbuf body;
};

/* ---- the answer ---- */

void telegram_answer_release(struct telegram_answer *a)
{
    json_decref(a->result);
    a->result = NULL;
}

/* One line without the token, cut at a character. */
static void set_description(struct telegram_answer *a, struct str text, const char *token)
{
    AUTO_STRBUF b;
    strbuf_init(&b, text.len * sizeof HIDDEN);
    struct str secret = str_of(token);
    for (size_t i = 0; i < text.len;) {
        struct str rest = {text.s + i, text.len - i};
        bool hide = secret.len > 0 && str_starts(rest, secret);
        if (hide)
            strbuf_adds(&b, HIDDEN);
        else
            strbuf_addc(&b, (unsigned char)text.s[i] < ' ' ? ' ' : text.s[i]);
        i += hide ? secret.len : 1;
    }
    size_t n = utf8_cut_bytes(strbuf_str(&b), sizeof a->description - 1);
    memcpy(a->description, b.s, n);
    a->description[n] = 0;
}

/* False: not an answer of the Bot API. */
static bool read_answer(struct telegram_answer *a, struct str body, const char *token)
{
    AUTO(json_t) v = NULL;
    struct str description;
    int64_t n;
    if (json_parse_within(body, TELEGRAM_ANSWER_MAX, ANSWER_SHAPE, &v, NULL) != RC_OK)
        return false;
    const json_t *ok = json_object_get(v, "ok");
    if (json_is_true(ok)) {
        a->code = TELEGRAM_DONE;
        a->result = json_incref(json_object_get(v, "result"));
        return true;
    }
    if (!json_is_false(ok) || !json_get_int(v, "error_code", &n) || n < 300 || n > 599)
        return false;
    a->code = (int)n;
    if (json_get_str(v, "description", &description))
        set_description(a, description, token);
    const json_t *more = json_object_get(v, "parameters");
    if (json_get_int(more, "retry_after", &n) && n > 0)
        a->retry_after_s = n;
    if (json_get_int(more, "migrate_to_chat_id", &n))
        a->migrate_to = n;
    return true;
}

/* ---- a call ---- */

static void call_free(struct telegram_call *c)
{
    strbuf_release(&c->body);
    telegram_answer_release(&c->answer);
    free(c->token);
    free(c);
}

static void on_sent(void *arg)
{
    struct telegram_call *c = arg;
    c->answer.sent = true;
}

static void on_status(void *arg, int status, int retry_after_s)
{
    struct telegram_call *c = arg;
    c->status = status;
    c->retry_after_s = retry_after_s;
}

static bool on_data(void *arg, struct str piece)
{
    struct telegram_call *c = arg;
    strbuf_addstr(&c->body, piece);
    return true;
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct telegram_call *c = arg;
    struct err own = ERR_INIT;
    if (rc == RC_OK && !read_answer(&c->answer, strbuf_str(&c->body), c->token)) {
        if (c->status == HTTP_OK) {
            rc = err_tell(
                &own, RC_UPSTREAM, "The server does not answer like the Bot API. Check [telegram] api_url.");
            e = &own;
        } else {
            c->answer.code = c->status;
            c->answer.retry_after_s = c->retry_after_s;
            snprintf(c->answer.description, sizeof c->answer.description, "HTTP status %d", c->status);
        }
    }
    if (c->answer.retry_after_s > CHANNEL_WAIT_MAX_MS / MS_PER_S)
        c->answer.retry_after_s = CHANNEL_WAIT_MAX_MS / MS_PER_S;
    c->called(c->arg, rc, &c->answer, e);
    call_free(c);
}

/* ---- the body of a request ---- */

#define BOUNDARY_BYTES 16
#define UPLOAD_BYTES_S ((size_t)100 * 1024) /* of a slow line: a file has this much more time */

struct body {
    char type[128]; /* Content-Type */
    struct strbuf content;
};

static void add_file_name(struct strbuf *out, const char *name)
{
    for (; *name; name++)
        strbuf_addc(out, (unsigned char)*name < ' ' || *name == '"' || *name == '\\' ? '_' : *name);
}

/* The parameters as text or JSON, and the file. */
static void add_multipart(struct strbuf *out, const char *boundary, const struct telegram_request *r)
{
    const struct telegram_file *file = r->file;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)r->params, key, value)
    {
        AUTO_FREE char *dumped =
            json_is_string(value) ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        strbuf_addf(out, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", boundary, key,
            dumped ? dumped : json_string_value(value));
    }
    strbuf_addf(
        out, "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"", boundary, file->field);
    add_file_name(out, file->name);
    strbuf_adds(out, "\"\r\nContent-Type: application/octet-stream\r\n\r\n");
    strbuf_addstr(out, file->content);
    strbuf_addf(out, "\r\n--%s--\r\n", boundary);
}

static void write_multipart(const struct telegram_request *r, struct body *out)
{
    char boundary[2 * BOUNDARY_BYTES + 1];
    rand_hex(boundary, BOUNDARY_BYTES);
    snprintf(out->type, sizeof out->type, "multipart/form-data; boundary=%s", boundary);
    add_multipart(&out->content, boundary, r);
}

static void write_json(const struct telegram_request *r, struct body *out)
{
    AUTO_FREE char *text = r->params ? json_dumps(r->params, JSON_COMPACT) : xstrdup("{}");
    snprintf(out->type, sizeof out->type, "application/json");
    if (text)
        strbuf_adds(&out->content, text);
    else
        out->content.failed = true;
}

/* ---- calls ---- */

static enum rc start(struct http_client *client, const struct telegram_api *api,
    const struct telegram_request *r, const struct body *body, struct telegram_call **out, struct err *e)
{
    static const struct http_callbacks cb = {
        .on_status = on_status, .on_data = on_data, .on_done = on_done, .on_sent = on_sent};
    AUTO_STRBUF url;
    strbuf_init(&url, 4096);
    strbuf_addf(&url, "%s/bot%s/%s", api->url, api->token, r->method);
    if (url.failed)
        return err_set(e, RC_BAD_INPUT, "the address of the Bot API is too long");
    int upload_s = r->file ? (int)(r->file->content.len / UPLOAD_BYTES_S) : 0;
    int total_ms = TELEGRAM_CALL_MS + (r->wait_s + upload_s) * 1000;
    const struct http_header headers[] = {{"Content-Type", body->type}};
    const struct http_request request = {.method = "POST",
        .server = SERVER_NAME,
        .url = url.s,
        .headers = headers,
        .headers_n = ARRAY_LEN(headers),
        .body = strbuf_str(&body->content),
        .limits = {.connect_ms = TELEGRAM_CONNECT_MS,
            .silence_ms = total_ms,
            .total_ms = total_ms,
            .body_max = TELEGRAM_ANSWER_MAX},
        .proxy = api->proxy,
        .once = true};
    struct telegram_call *c = xcalloc(1, sizeof *c);
    *c = (struct telegram_call){.called = r->called, .arg = r->arg, .token = xstrdup(api->token)};
    strbuf_init(&c->body, TELEGRAM_ANSWER_MAX);
    enum rc rc = http_start(client, &request, &cb, c, &c->http, e);
    if (rc != RC_OK) {
        call_free(c);
        return rc;
    }
    *out = c;
    return RC_OK;
}

enum rc telegram_call_start(struct http_client *c, const struct telegram_api *api,
    const struct telegram_request *r, struct telegram_call **out, struct err *e)
{
    struct body body;
    enum rc rc;
    strbuf_init(&body.content, r->file ? REQUEST_MAX + TELEGRAM_FILE_MAX : REQUEST_MAX);
    if (r->file)
        write_multipart(r, &body);
    else
        write_json(r, &body);
    if (!body.content.failed)
        rc = start(c, api, r, &body, out, e);
    else if (r->file)
        rc = err_set(e, RC_TOO_BIG, "the file and the parameters of %s are too long", r->method);
    else
        rc = err_set(e, RC_BAD_INPUT, "the parameters of %s are too long or not JSON", r->method);
    strbuf_release(&body.content);
    return rc;
}

void telegram_call_cancel(struct telegram_call *c)
{
    if (!c)
        return;
    http_cancel(c->http);
    call_free(c);
}

/* ---- without a loop ---- */

struct blocking {
    struct loop *loop;
    struct telegram_answer *out;
    enum rc rc;
    struct err *e;
};

static void on_blocking(void *arg, enum rc rc, const struct telegram_answer *a, const struct err *e)
{
    struct blocking *b = arg;
    *b->out = *a;
    json_incref(b->out->result); /* the call drops its own */
    b->rc = rc;
    if (rc != RC_OK && b->e)
        *b->e = *e;
    loop_stop(b->loop);
}

enum rc telegram_call_blocking(const struct telegram_api *api, const char *const *allowed, size_t allowed_n,
    const struct telegram_request *r, struct telegram_answer *out, struct err *e)
{
    AUTO(loop) l = NULL;
    AUTO(http_client) client = NULL; /* freed before the loop */
    *out = (struct telegram_answer){0};
    enum rc rc = loop_new(&l, e);
    if (rc != RC_OK)
        return rc;
    client = http_client_new(l, allowed, allowed_n);
    struct blocking b = {.loop = l, .out = out, .e = e};
    struct telegram_request request = *r;
    struct telegram_call *call;
    request.called = on_blocking;
    request.arg = &b;
    rc = telegram_call_start(client, api, &request, &call, e);
    if (rc != RC_OK)
        return rc;
    loop_run(l);
    return b.rc;
}

enum rc telegram_answer_rc(const struct telegram_answer *a, struct err *e)
{
    switch (a->code) {
    case TELEGRAM_DONE: return RC_OK;
    case 401:
    case 404: /* the token does not even look like one, or the address is no Bot API */
        return err_tell(e, RC_UNAUTHENTICATED,
            "Telegram does not know the bot's token (%d). Copy it again from @BotFather and check [telegram] "
            "api_url.",
            a->code);
    case 409:
        return err_tell(
            e, RC_CONFLICT, "Telegram sends this bot's updates somewhere else: %s", a->description);
    case 429:
        return err_tell(e, RC_RATE_LIMITED, "Telegram got too many requests. Try again in %lld seconds.",
            (long long)(a->retry_after_s ? a->retry_after_s : 1));
    default:
        if (a->code >= 500)
            return err_tell(
                e, RC_UNAVAILABLE, "Telegram has a problem of its own (%d). Try again later.", a->code);
        return err_tell(e, RC_UPSTREAM, "Telegram refused the request: %s", a->description);
    }
}
