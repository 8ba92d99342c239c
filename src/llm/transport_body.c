/*
 * The body of an answer: events of a stream, or one JSON object from a server that does not stream. Its first
 * byte distinguishes them. A refusal's body is kept as it is.
 *
 * Forms that are no valid streams are accepted, too: events without an empty line between them, and an error
 * as plain JSON before or behind the events, or as plain text.
 */
#include <string.h>

#include "base/utf8.h"
#include "llm/transport_private.h"

#define STATUS_TOO_LARGE 413
#define WORDS_MAX        8192 /* bytes of a failure in plain words */

json_t *transport_parse(struct transport *t, struct str text)
{
    struct str whole = utf8_stitch_json(text, &t->room);
    json_t *v = NULL;
    if (!t->room.failed)
        json_parse(whole, whole.len, &v, NULL); /* v stays NULL when it is not JSON */
    return v;
}

static bool is_finished(const struct transport *t)
{
    return t->in.over || err_rc(t->failed) || t->call->freed;
}

static const json_t *parse_event(struct transport *t, struct str text)
{
    struct str whole = utf8_stitch_json(text, &t->room);
    return t->room.failed ? NULL : json_series_begin(&t->events, whole);
}

/* Reads an object that differs from the last one in its text, which is all that the last one had. */
static void read_text(struct transport *t, const json_t *text)
{
    struct str s = {json_string_value(text), json_string_length(text)};
    t->in.goes_on |= t->in.finished && s.len > 0;
    if (s.len)
        llm_think_text(&t->in.think, t->call, s);
    transport_forget_if_answered(t);
}

static void read_object(struct transport *t, const json_t *obj)
{
    int before = t->in.percent;
    t->got_event = true;
    t->in.only = NULL;
    struct err e = ERR_INIT;
    t->wire->read(&t->in, obj, &e);
    if (e.rc)
        *err_kept(&t->failed) = e;
    if (t->in.percent > before && t->http)
        http_begins_later(t->http); /* the next part of the prompt may take as long as the first byte */
    transport_forget_if_answered(t);
}

/* The object itself, or the first one in a list, as Gemini sends errors. NULL: it is neither. */
static const json_t *object_of(const json_t *v)
{
    const json_t *first = json_array_get(v, 0);
    return json_is_object(v) ? v : json_object_get(first, "error") ? first : NULL;
}

/* ---- failures ---- */

/* False: it is JSON, HTML, too long or no text. */
static bool is_words(struct str text)
{
    return text.len && text.len <= WORDS_MAX && !strchr("{[<", text.s[0]) && utf8_valid_text(text);
}

/* A failure in plain words as an answer; NULL: it is something else. */
static json_t *plain_words(struct str text)
{
    text = str_trim(text);
    return is_words(text) ? json_pack("{s:s%}", "message", text.s, text.len) : NULL;
}

/* Some refusals have the form of a stream. With 413 it is often a proxy that uses plain words: they are not
 * about the model. */
json_t *transport_refusal(struct transport *t)
{
    struct str all = strbuf_str(&t->raw);
    json_t *answer = transport_parse(t, all);
    for (struct str rest = all; !answer && rest.s;) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, STR("data:")))
            answer = transport_parse(t, str_from(line, strlen("data:")));
    }
    return answer || t->status == STATUS_TOO_LARGE ? answer : plain_words(all);
}

static void fail(struct transport *t, const json_t *told)
{
    if (told)
        llm_stream_error(&t->in, told, err_kept(&t->failed));
    else
        llm_nonsense(t->call->p, err_kept(&t->failed));
}

static void read_failure(struct transport *t, struct str text)
{
    AUTO(json_t) v = transport_parse(t, text);
    AUTO(json_t) words = v ? NULL : plain_words(text);
    fail(t, v ? object_of(v) : words);
}

/* llama.cpp writes an error as a field of its own: "error: {...}". */
static void read_stray(struct transport *t)
{
    static const struct str field = STR("error:");
    struct str stray = sse_stray(t->sse);
    bool error = str_starts(stray, field);
    AUTO(json_t) v = transport_parse(t, error ? str_from(stray, field.len) : stray);
    if (object_of(v) && error)
        fail(t, object_of(v));
    else if (object_of(v))
        read_object(t, object_of(v));
}

void transport_read_rest(struct transport *t)
{
    struct err e = ERR_INIT;
    if (t->kind == EVENTS) {
        sse_feed(t->sse, STR("\n\n"), &e); /* some servers omit the last empty line */
        if (!is_finished(t))
            read_stray(t);
    } else if (t->kind == ONE_OBJECT) {
        json_t *obj = transport_parse(t, strbuf_str(&t->raw));
        t->in.whole = true;
        if (json_is_object(obj))
            read_object(t, obj);
        else
            llm_nonsense(t->call->p, err_kept(&t->failed));
        json_decref(obj);
    }
}

/* ---- pieces ---- */

/* False: the data is no event. Empty ones keep the connection alive. */
static bool read_data(struct transport *t, struct str data)
{
    struct str word = str_trim(data);
    if (str_is(word, "[DONE]")) {
        t->in.over = true;
        return true;
    }
    if (word.len == 0 || str_is(word, "null"))
        return true;
    const json_t *obj = json_series_next(&t->events, data);
    bool text_only = obj && t->in.only && t->in.only == json_series_string(&t->events);
    if (!obj)
        obj = parse_event(t, data);
    if (text_only) {
        json_series_keep_string(&t->events); /* an answer may stream for minutes */
        read_text(t, t->in.only);
    } else if (object_of(obj)) {
        read_object(t, object_of(obj));
    } else {
        return false;
    }
    return true;
}

/* Reads an event for each line, where the empty lines between them are missing. */
static bool read_lines(struct transport *t, struct str data)
{
    bool good = memchr(data.s, '\n', data.len) != NULL;
    while (good && data.s && !is_finished(t)) {
        struct str line = str_cut(&data, '\n');
        good = str_trim(line).len == 0 || read_data(t, line);
    }
    return good;
}

/* Events of the protocols are objects; a server can have others of its own. */
static bool is_of_server(const struct sse_event *ev)
{
    return is_words(str_trim(ev->data)) && !str_is(ev->name, "message");
}

enum rc transport_on_event(void *arg, const struct sse_event *ev, struct err *e)
{
    struct transport *t = arg;
    (void)e; /* t->failed has the error */
    if (t->in.over)
        return RC_OK;
    bool error = str_is(ev->name, "error");
    if (error || (!read_data(t, ev->data) && !read_lines(t, ev->data) && !is_of_server(ev)))
        read_failure(t, ev->data);
    if (err_rc(t->failed))
        return err_rc(t->failed);
    if (t->call->freed)
        return RC_CANCELLED;
    if (t->in.over)
        loop_timer_set(t->last, DRAIN_MS);
    else if (t->in.finished)
        loop_timer_set(t->last, t->in.goes_on ? -1 : GRACE_MS);
    return RC_OK;
}

static enum body_kind kind_of(struct str piece)
{
    struct str text = str_trim(piece);
    return text.len == 0 ? NOT_KNOWN : text.s[0] == '{' ? ONE_OBJECT : EVENTS;
}

static void too_long(struct transport *t)
{
    err_say(err_kept(&t->failed), RC_TOO_BIG, "provider.too_much_at_once",
        arg_text("provider", t->call->p->s.name));
}

void transport_take(struct transport *t, struct str piece)
{
    t->got_bytes = true;
    if (!transport_status_is_good(t)) {
        strbuf_addstr(&t->raw, piece);
        return;
    }
    if (t->kind == NOT_KNOWN) {
        t->kind = kind_of(piece);
        t->began_with_comment = t->kind == EVENTS && str_trim(piece).s[0] == ':';
    }
    if (t->kind == ONE_OBJECT) {
        strbuf_addstr(&t->raw, piece);
        if (t->raw.failed)
            too_long(t);
    } else if (t->kind == EVENTS) {
        if (sse_feed(t->sse, piece, NULL) == RC_TOO_BIG && !err_rc(t->failed))
            too_long(t);
    }
}
