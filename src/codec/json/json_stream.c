#include "codec/json/json_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

enum where {
    OUTSIDE,   /* before, between and after lists and objects */
    IN_LIST,   /* between the elements of a list */
    IN_NESTED, /* in an object or list; `depth` counts the nesting */
    IN_SCALAR, /* in a number or word, which ends at a comma, a bracket or white space */
    IN_GARBAGE /* after a value, in text that is no value; it ends with its line */
};

/* The beginning of a record of our export, with the end of the line before it. No record contains it. */
static const char record[] = "\n{\"type\":\"";
#define RECORD_LEN (sizeof record - 1)

/* What is before the bytes of a file in a data URL (RFC 2397). */
static const char data_mark[] = ";base64,";
#define DATA_MARK_LEN (sizeof data_mark - 1)

struct json_stream {
    json_stream_fn *fn;
    void *arg;
    struct strbuf value;
    enum where where;
    size_t depth;
    bool in_list;            /* the value is an element of a list */
    bool in_string, escaped; /* state inside the value */
    bool too_big;
    size_t matched; /* bytes of `record` that were read last, in a nested value */
    bool records;   /* json_stream_records() */
    bool no_data;   /* json_stream_without_data() */
    size_t marked;  /* bytes of `data_mark` that were read last; all of them: the data has begun */
    size_t data;    /* bytes of the data so far */
    json_stream_data_fn *data_fn;
    void *data_arg;
    size_t cut;    /* files of the value that were cut */
    bool any;      /* a value was read before */
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
    s->any = at > 0;
    s->mark = at > 0 ? -1 : 0;
}

void json_stream_records(struct json_stream *s)
{
    s->records = true;
}

void json_stream_without_data(struct json_stream *s)
{
    s->no_data = true;
}

void json_stream_data(struct json_stream *s, json_stream_data_fn *fn, void *arg)
{
    s->data_fn = fn;
    s->data_arg = arg;
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
    s->matched = s->marked = s->cut = 0;
    s->any = true;
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
    else if (s->records && s->any)
        s->where = IN_GARBAGE;
    else
        return err_say(e, RC_BAD_INPUT, "json.no_json");
    return RC_OK;
}

static void match_record(struct json_stream *s, char c)
{
    if (s->records)
        s->matched = c == record[s->matched] ? s->matched + 1 : c == record[0];
}

/* The beginning of a record was read inside of the value: that is broken and ends before the record. */
static enum rc break_value(struct json_stream *s, int64_t at, struct err *e)
{
    int64_t begin = at - (int64_t)(RECORD_LEN - 1);
    if (!s->too_big) /* then the value has only its beginning */
        strbuf_truncate(&s->value, s->value.len < RECORD_LEN ? 0 : s->value.len - RECORD_LEN);
    enum rc rc = emit(s, begin - 1, e);
    s->begin = begin;
    s->depth = 1;
    s->in_string = true;
    s->where = IN_NESTED;
    strbuf_add(&s->value, record + 1, RECORD_LEN - 1);
    return rc;
}

static bool garbage(struct json_stream *s, const char **at, const char *end)
{
    const char *line = memchr(*at, '\n', (size_t)(end - *at));
    take(s, *at, line ? line : end);
    *at = line ? line : end;
    return line != NULL;
}

static bool is_base64(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
}

static void match_mark(struct json_stream *s, char c)
{
    s->marked = c == data_mark[s->marked] ? s->marked + 1 : c == data_mark[0];
    s->data = 0;
}

static void end_data(struct json_stream *s)
{
    char number[32];
    bool cut = s->data > JSON_STREAM_DATA_MAX;
    if (s->data_fn) {
        s->data_fn(s->data_arg, STR(""), cut);
        snprintf(number, sizeof number, "#%zu", s->cut);
        if (cut)
            take(s, number, number + strlen(number));
    }
    s->cut += cut;
    s->marked = 0;
}

/* Reads embedded data. What is kept of it is taken; the rest begins at *at. */
static void data(struct json_stream *s, const char **at, const char *end)
{
    const char *p = *at;
    size_t room = s->data < JSON_STREAM_DATA_MAX ? JSON_STREAM_DATA_MAX - s->data : 0;
    while (p < end && is_base64(*p))
        p++;
    size_t n = (size_t)(p - *at);
    if (n && s->data_fn)
        s->data_fn(s->data_arg, (struct str){*at, n}, false);
    take(s, *at, *at + (n < room ? n : room));
    s->data += n;
    *at = p;
    if (p < end)
        end_data(s);
}

/* Reads a nested value or a string up to its end, or up to the beginning of a record in it; *at is then after
 * it, or at `end`. */
static bool nested(struct json_stream *s, const char **at, const char *end)
{
    const char *p = *at, *from = p;
    bool ended = false;
    while (p < end && !ended && s->matched < RECORD_LEN) {
        if (s->marked == DATA_MARK_LEN) {
            take(s, from, p);
            data(s, &p, end);
            from = p;
            continue;
        }
        char c = *p++;
        match_record(s, c);
        if (s->no_data)
            match_mark(s, c);
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
    take(s, from, p);
    *at = p;
    return ended;
}

static bool scalar(struct json_stream *s, const char **at, const char *end)
{
    const char *p = *at;
    while (p < end && *p != ',' && *p != ']' && *p != '}' && !str_is_space(*p))
        p++;
    take(s, *at, p);
    *at = p;
    return p < end;
}

static enum rc between(struct json_stream *s, const char **at, int64_t offset, struct err *e)
{
    char c = **at;
    bool skipped = str_is_space(c) || c == ',';
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
        if (s->where == IN_NESTED) {
            bool ended = nested(s, &p, end);
            int64_t at = s->at + (p - piece.s);
            rc = s->matched == RECORD_LEN ? break_value(s, at, e) : ended ? emit(s, at, e) : RC_OK;
        } else if (s->where == IN_GARBAGE)
            rc = garbage(s, &p, end) ? emit(s, s->at + (p - piece.s), e) : RC_OK;
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
    if (s->where == IN_GARBAGE)
        return emit(s, s->at, e);
    return s->where == OUTSIDE || (s->records && s->where == IN_LIST)
               ? RC_OK
               : err_say(e, RC_BAD_INPUT, "json.ends_early");
}
