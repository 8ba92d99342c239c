#include "web/stream/completions_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/turn/turn.h"
#include "app/turn/turn_given.h"
#include "base/clock.h"
#include "codec/json/json.h"
#include "codec/sse.h"
#include "codec/view.h"

#define HEAD_MAX ((size_t)16 * 1024)
#define ID_MAX   (ID_SIZE + 16)
/* All readers get a ping at the same time, so the first one may come at once; the second ends an interval. */
#define PINGS_BEFORE_HEAD 2
#define TOO_LONG          "context_length_exceeded"

struct completion_reader {
    char id[ID_MAX];
    char *model;
    int64_t created; /* seconds */
    bool stream, include_usage;
    size_t skip; /* bytes of the answer that are not sent */
    struct strbuf stream_head, json_head;
    bool begun;      /* the head is sent */
    bool introduced; /* the chunk with the role is sent */
    int pings;       /* their number before the head */
    struct long_body_share share;
    bool breaks;        /* a step has ended: the next text begins after a break */
    bool spoke;         /* text has come since the last step */
    struct strbuf text; /* of the whole answer */
    struct strbuf thought;
    struct strbuf usage; /* as JSON; empty: not counted */
};

struct completion_reader *completion_reader_new(const struct completion_reader_setup *s)
{
    struct completion_reader *c = xcalloc(1, sizeof *c);
    snprintf(c->id, sizeof c->id, "chatcmpl-%s", s->turn);
    c->model = xstrdup(s->model);
    c->created = s->created_at / MS_PER_S;
    c->stream = s->stream;
    c->include_usage = s->include_usage;
    c->skip = s->skip;
    c->share = s->share;
    strbuf_init(&c->stream_head, HEAD_MAX);
    strbuf_init(&c->json_head, HEAD_MAX);
    strbuf_init(&c->text, TURN_TEXT_MAX);
    strbuf_init(&c->thought, TURN_TEXT_MAX);
    strbuf_init(&c->usage, HEAD_MAX);
    strbuf_addstr(&c->stream_head, s->stream_head);
    strbuf_addstr(&c->json_head, s->json_head);
    return c;
}

void completion_reader_free(void *reader)
{
    struct completion_reader *c = reader;
    if (!c)
        return;
    strbuf_release(&c->stream_head);
    strbuf_release(&c->json_head);
    strbuf_release(&c->text);
    strbuf_release(&c->thought);
    strbuf_release(&c->usage);
    long_body_return(&c->share);
    free(c->model);
    free(c);
}

/* ---- JSON ---- */

static void put_identity(const struct completion_reader *c, const char *object, struct strbuf *out)
{
    strbuf_adds(out, "{\"id\":");
    json_add_short(out, str_of(c->id));
    strbuf_addf(out, ",\"object\":\"chat.%s\",\"created\":%lld,\"model\":", object, (long long)c->created);
    json_add_short(out, str_of(c->model));
}

static void begin_stream(struct completion_reader *c, struct strbuf *out)
{
    if (!c->begun)
        strbuf_addstr(out, strbuf_str(&c->stream_head));
    c->begun = true;
}

/* A chunk whose delta is `open`, `text` as a string, `close`. */
static void put_chunk(struct completion_reader *c, const char *open, struct str text, const char *close,
    const char *finish, struct strbuf *out)
{
    begin_stream(c, out);
    if (!c->introduced) {
        c->introduced = true;
        put_chunk(c, "\"role\":\"assistant\",\"content\":", STR(""), "", NULL, out);
    }
    strbuf_adds(out, "data: ");
    put_identity(c, "completion.chunk", out);
    strbuf_addf(out, ",\"choices\":[{\"index\":0,\"delta\":{%s", open);
    if (text.s)
        json_add_short(out, text);
    strbuf_addf(out, "%s},\"logprobs\":null,\"finish_reason\":", close);
    if (finish)
        strbuf_addf(out, "\"%s\"", finish);
    else
        strbuf_adds(out, "null");
    strbuf_addf(out, "}]%s}\n\n", c->include_usage ? ",\"usage\":null" : "");
}

static int64_t number(const json_t *usage, const char *name)
{
    int64_t n = 0;
    json_get_int(usage, name, &n);
    return n;
}

static void put_usage(const json_t *usage, struct strbuf *out)
{
    int64_t in = number(usage, "input_tokens"), made = number(usage, "output_tokens"), all = in + made;
    strbuf_clear(out);
    strbuf_addf(out,
        "{\"prompt_tokens\":%lld,\"completion_tokens\":%lld,\"total_tokens\":%lld,"
        "\"prompt_tokens_details\":{\"cached_tokens\":%lld},"
        "\"completion_tokens_details\":{\"reasoning_tokens\":%lld}}",
        (long long)in, (long long)made, (long long)all, (long long)number(usage, "cached_tokens"),
        (long long)number(usage, "reasoning_tokens"));
}

/* [{"id","type","function"}, ...]; with "index" in a stream. False: there are none. */
static bool put_calls(const struct completion_reader *c, const json_t *message, struct strbuf *out)
{
    const json_t *calls = json_object_get(message, "calls"), *call;
    size_t i;
    strbuf_addc(out, '[');
    json_array_foreach(calls, i, call)
    {
        struct str id = STR(""), name = STR(""), args = STR("{}");
        json_get_str(call, "id", &id);
        json_get_str(call, "name", &name);
        json_get_str(call, "arguments", &args);
        strbuf_addf(out, "%s{", i ? "," : "");
        if (c->stream)
            strbuf_addf(out, "\"index\":%zu,", i);
        strbuf_adds(out, "\"id\":");
        json_add_short(out, id);
        strbuf_adds(out, ",\"type\":\"function\",\"function\":{\"name\":");
        json_add_short(out, name);
        strbuf_adds(out, ",\"arguments\":");
        json_add_short(out, args);
        strbuf_adds(out, "}}");
    }
    strbuf_addc(out, ']');
    return json_array_size(calls) > 0;
}

/* ---- failures ---- */

struct failure {
    int status;
    const char *type, *code;
};

static struct failure failure_of(struct str status, struct str stop)
{
    if (str_is(stop, "window"))
        return (struct failure){400, "invalid_request_error", TOO_LONG};
    if (str_is(stop, "rejected"))
        return (struct failure){400, "invalid_request_error", "rejected_by_provider"};
    if (str_is(status, "interrupted"))
        return (struct failure){503, "server_error", "server_restarted"};
    return (struct failure){502, "server_error", "provider_error"};
}

static void put_error(const struct failure *f, struct str message, struct strbuf *out)
{
    strbuf_adds(out, "{\"error\":{\"message\":");
    json_add_short(out, message);
    strbuf_addf(out, ",\"type\":\"%s\",\"param\":%s,\"code\":\"%s\"}}", f->type,
        strcmp(f->code, TOO_LONG) == 0 ? "\"messages\"" : "null", f->code);
}

static void put_json_answer(
    struct completion_reader *c, int status, const struct strbuf *body, struct strbuf *out)
{
    c->begun = true;
    strbuf_addf(out, "Status: %d\r\n", status);
    strbuf_addstr(out, strbuf_str(&c->json_head));
    strbuf_addf(out, "Content-Length: %zu\r\n\r\n", body->len);
    strbuf_addstr(out, strbuf_str(body));
}

static void fail(struct completion_reader *c, struct failure f, struct str why, struct strbuf *out)
{
    AUTO_STRBUF body;
    strbuf_init(&body, HEAD_MAX);
    put_error(&f, why.s ? why : STR("The answer failed."), &body);
    if (!c->begun) {
        put_json_answer(c, f.status, &body, out);
        return;
    }
    strbuf_adds(out, "data: ");
    strbuf_addstr(out, strbuf_str(&body));
    strbuf_adds(out, "\n\n");
}

/* ---- the end ---- */

static const char *finish_of(struct str stop, bool calls)
{
    if (str_is(stop, "length") || str_is(stop, "window"))
        return "length";
    if (str_is(stop, "refusal") || str_is(stop, "filter"))
        return "content_filter";
    return calls ? "tool_calls" : "stop";
}

static void end_stream(
    struct completion_reader *c, const struct strbuf *calls, const char *finish, struct strbuf *out)
{
    if (calls->len) {
        AUTO_STRBUF delta;
        strbuf_init(&delta, calls->len + HEAD_MAX);
        strbuf_addf(&delta, "\"tool_calls\":%s", calls->s);
        put_chunk(c, delta.s, (struct str){0}, "", NULL, out);
    }
    put_chunk(c, "", (struct str){0}, "", finish, out);
    if (c->include_usage) {
        strbuf_adds(out, "data: ");
        put_identity(c, "completion.chunk", out);
        strbuf_addf(out, ",\"choices\":[],\"usage\":%s}\n\n", c->usage.len ? c->usage.s : "null");
    }
    strbuf_adds(out, "data: [DONE]\n\n");
}

static void end_whole(
    struct completion_reader *c, const struct strbuf *calls, const char *finish, struct strbuf *out)
{
    AUTO_STRBUF body;
    strbuf_init(&body, 8 * TURN_TEXT_MAX);
    put_identity(c, "completion", &body);
    strbuf_adds(&body, ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":");
    if (calls->len && !c->text.len)
        strbuf_adds(&body, "null");
    else
        json_add_short(&body, strbuf_str(&c->text));
    if (c->thought.len) {
        strbuf_adds(&body, ",\"reasoning_content\":");
        json_add_short(&body, strbuf_str(&c->thought));
    }
    strbuf_adds(&body, ",\"refusal\":null");
    if (calls->len)
        strbuf_addf(&body, ",\"tool_calls\":%s", calls->s);
    strbuf_addf(&body, "},\"logprobs\":null,\"finish_reason\":\"%s\"}],\"usage\":%s}", finish,
        c->usage.len ? c->usage.s : "null");
    put_json_answer(c, 200, &body, out);
}

static void on_end(struct completion_reader *c, const json_t *data, struct strbuf *out)
{
    const json_t *message = json_object_get(data, "message");
    struct str status = STR(""), stop = STR(""), why = {0};
    json_get_str(data, "status", &status);
    json_get_str(message, "stop", &stop);
    json_get_str(message, "error", &why);
    if (str_is(status, "failed") || str_is(status, "interrupted")) {
        fail(c, failure_of(status, stop), why, out);
        return;
    }
    AUTO_STRBUF calls;
    strbuf_init(&calls, TURN_TEXT_MAX);
    if (!put_calls(c, message, &calls))
        strbuf_clear(&calls);
    const char *finish = finish_of(stop, calls.len > 0);
    if (c->stream)
        end_stream(c, &calls, finish, out);
    else
        end_whole(c, &calls, finish, out);
}

/* ---- events ---- */

static void on_text(struct completion_reader *c, struct str piece, struct strbuf *out)
{
    size_t from = c->text.len, skipped = piece.len < c->skip ? piece.len : c->skip;
    c->skip -= skipped;
    piece = str_from(piece, skipped);
    if (skipped && !piece.len) {
        c->spoke = true;
        return;
    }
    if (c->breaks && c->text.len)
        strbuf_adds(&c->text, TURN_STEPS_BREAK);
    c->breaks = false;
    c->spoke = true;
    strbuf_addstr(&c->text, piece);
    if (c->stream)
        put_chunk(c, "\"content\":", str_from(strbuf_str(&c->text), from), "", NULL, out);
}

static void on_thought(struct completion_reader *c, struct str piece, struct strbuf *out)
{
    strbuf_addstr(&c->thought, piece);
    if (c->stream)
        put_chunk(c, "\"reasoning_content\":", piece, "", NULL, out);
}

/* The text of a message, for a reader that came after it. */
static void on_message(struct completion_reader *c, const json_t *message, struct strbuf *out)
{
    struct str text = STR("");
    json_get_str(message, "text", &text);
    if (text.len && !c->spoke)
        on_text(c, text, out);
}

static void on_step(struct completion_reader *c, const json_t *data, struct strbuf *out)
{
    on_message(c, json_object_get(data, "message"), out);
    c->breaks = true;
    c->spoke = false;
}

static void on_event(struct completion_reader *c, struct str name, const json_t *data, struct strbuf *out)
{
    struct str text = {0}, status = STR("");
    json_get_str(data, "text", &text);
    json_get_str(data, "status", &status);
    if (str_is(name, "text"))
        on_text(c, text, out);
    else if (str_is(name, "step"))
        on_step(c, data, out);
    else if (str_is(name, "status") && str_is(status, "thinking"))
        on_thought(c, text, out);
    else if (str_is(name, "usage"))
        put_usage(json_object_get(data, "usage"), &c->usage);
    else if (str_is(name, "end")) {
        on_message(c, json_object_get(data, "message"), out);
        on_end(c, data, out);
    }
}

static void on_ping(struct completion_reader *c, struct strbuf *out)
{
    if (!c->stream || (!c->begun && ++c->pings < PINGS_BEFORE_HEAD))
        return;
    begin_stream(c, out);
    strbuf_addstr(out, SSE_PING);
}

static struct str value_of(struct str line, struct str field)
{
    return str_starts(line, field) ? str_from(line, field.len) : (struct str){0};
}

/* An event is whole in one call, with its data on one line. */
void completion_reader_rewrite(void *reader, struct str events, struct strbuf *out)
{
    struct completion_reader *c = reader;
    struct str name = {0};
    if (str_eq(events, SSE_PING)) {
        on_ping(c, out);
        return;
    }
    while (events.len) {
        struct str line = str_cut(&events, '\n'), data = value_of(line, STR("data: "));
        if (value_of(line, STR("event: ")).s)
            name = value_of(line, STR("event: "));
        AUTO(json_t) parsed = NULL;
        if (data.s && json_parse(data, data.len, &parsed, NULL) == RC_OK)
            on_event(c, name, parsed, out);
    }
}
