#include "codec/json_stream.h"

#include <stdlib.h>

#include "base/strbuf.h"

enum where {
    OUTSIDE,   /* before, between and after lists and objects */
    IN_LIST,   /* between the elements of a list */
    IN_NESTED, /* in an object or list; `depth` counts the nesting */
    IN_SCALAR  /* in a number or word, which ends at a comma, a bracket or white space */
};

struct json_stream {
    json_stream_fn *fn;
    void *arg;
    struct strbuf value;
    enum where where;
    size_t depth;
    bool in_list;            /* the value is an element of a list */
    bool in_string, escaped; /* state inside the value */
    bool too_big;
    int64_t at;    /* start of the current piece in the whole text */
    int64_t begin; /* start of the value */
    struct json_stream_place place;
    int mark; /* bytes of a byte order mark at the beginning that were read; -1: past it */
};

struct json_stream *json_stream_new(size_t cap, json_stream_fn *fn, void *arg)
{
    struct json_stream *s = xcalloc(1, sizeof *s);
    s->fn = fn;
    s->arg = arg;
    strbuf_init(&s->value, cap);
    return s;
}

void json_stream_free(struct json_stream *s)
{
    if (!s)
        return;
    strbuf_release(&s->value);
    free(s);
}

struct json_stream_place json_stream_place(const struct json_stream *s)
{
    return s->place;
}

void json_stream_resume(struct json_stream *s, int64_t at, bool in_list)
{
    s->at = at;
    s->place = (struct json_stream_place){at, at, in_list};
    s->where = in_list ? IN_LIST : OUTSIDE;
    s->mark = at > 0 ? -1 : 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Keeps the beginning of a value that is too long and drops the rest. */
static void take(struct json_stream *s, const char *from, const char *to)
{
    size_t n = (size_t)(to - from), room = s->value.cap - s->value.len;
    if (n > room) {
        n = room;
        s->too_big = true;
    }
    strbuf_add(&s->value, from, n);
}

static enum rc emit(struct json_stream *s, int64_t end, struct err *e)
{
    s->place = (struct json_stream_place){s->begin, end, s->in_list};
    enum rc rc = s->fn(s->arg, strbuf_str(&s->value), s->too_big, e);
    strbuf_clear(&s->value);
    s->too_big = s->in_string = s->escaped = false;
    s->where = s->in_list ? IN_LIST : OUTSIDE;
    return rc;
}

/* Handles the first byte of a value; it is read again as part of the value. */
static enum rc begin(struct json_stream *s, char c, int64_t at, struct err *e)
{
    s->in_list = s->where == IN_LIST;
    s->begin = at;
    s->depth = 0;
    if (c == '{' || c == '[' || c == '"')
        s->where = IN_NESTED;
    else if (s->in_list)
        s->where = IN_SCALAR;
    else
        return err_say(e, RC_BAD_INPUT, "json.no_json");
    return RC_OK;
}

/* Reads a nested value or a string up to its end; *at is then after it, or at `end`. */
static bool nested(struct json_stream *s, const char **at, const char *end)
{
    const char *p = *at;
    bool ended = false;
    while (p < end && !ended) {
        char c = *p++;
        if (s->escaped)
            s->escaped = false;
        else if (s->in_string && c == '\\')
            s->escaped = true;
        else if (c == '"')
            ended = (s->in_string = !s->in_string) == false && s->depth == 0;
        else if (!s->in_string && (c == '{' || c == '['))
            s->depth++;
        else if (!s->in_string && (c == '}' || c == ']'))
            ended = s->depth > 0 && --s->depth == 0;
    }
    take(s, *at, p);
    *at = p;
    return ended;
}

static bool scalar(struct json_stream *s, const char **at, const char *end)
{
    const char *p = *at;
    while (p < end && *p != ',' && *p != ']' && *p != '}' && !is_space(*p))
        p++;
    take(s, *at, p);
    *at = p;
    return p < end;
}

static enum rc between(struct json_stream *s, const char **at, int64_t offset, struct err *e)
{
    char c = **at;
    bool skipped = is_space(c) || c == ',';
    if (s->where == OUTSIDE && c == '[') {
        s->where = IN_LIST;
        skipped = true;
    } else if (s->where == IN_LIST && (c == ']' || c == '}')) {
        s->where = OUTSIDE;
        skipped = true;
    }
    if (!skipped)
        return begin(s, c, offset, e);
    (*at)++;
    return RC_OK;
}

/* RFC 8259, section 8.1: a byte order mark may be ignored. */
static bool skip_mark(struct json_stream *s, char c)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (s->mark >= 0 && s->mark < 3 && c == mark[s->mark]) {
        s->mark++;
        return true;
    }
    s->mark = -1;
    return false;
}

enum rc json_stream_feed(struct json_stream *s, struct str piece, struct err *e)
{
    const char *p = piece.s, *end = piece.s + piece.len;
    enum rc rc = RC_OK;
    while (p < end && s->mark >= 0 && skip_mark(s, *p))
        p++;
    while (rc == RC_OK && p < end) {
        if (s->where == IN_NESTED)
            rc = nested(s, &p, end) ? emit(s, s->at + (p - piece.s), e) : RC_OK;
        else if (s->where == IN_SCALAR)
            rc = scalar(s, &p, end) ? emit(s, s->at + (p - piece.s), e) : RC_OK;
        else
            rc = between(s, &p, s->at + (p - piece.s), e);
    }
    s->at += (int64_t)piece.len;
    return rc;
}

enum rc json_stream_end(struct json_stream *s, struct err *e)
{
    return s->where == OUTSIDE ? RC_OK : err_say(e, RC_BAD_INPUT, "json.ends_early");
}
