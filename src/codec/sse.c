#include "codec/sse.h"

#include <stdlib.h>

#define ID_MAX 256 /* longer ids are dropped: ours and every provider's are short */

struct sse_parser {
    sse_event_fn *fn;
    void *arg;
    struct strbuf line; /* start of an incomplete line */
    struct strbuf name, data, id;
    struct strbuf stray; /* lines that are no field */
    bool has_data;       /* a data field was received, maybe empty */
    bool after_cr;       /* a following LF belongs to the CR before it */
    size_t bom_seen;     /* bytes of the byte order mark matched so far; BOM_DONE when past the start */
    enum rc failed;      /* sticky */
};

static const char bom[] = {'\xEF', '\xBB', '\xBF'};
#define BOM_DONE sizeof bom

struct sse_parser *sse_parser_new(size_t event_max, sse_event_fn *fn, void *arg)
{
    struct sse_parser *p = xmalloc(sizeof *p);
    *p = (struct sse_parser){.fn = fn, .arg = arg};
    strbuf_init(&p->line, event_max);
    strbuf_init(&p->name, event_max);
    strbuf_init(&p->data, event_max);
    strbuf_init(&p->id, ID_MAX);
    strbuf_init(&p->stray, event_max);
    return p;
}

void sse_parser_free(struct sse_parser *p)
{
    if (!p)
        return;
    strbuf_release(&p->line);
    strbuf_release(&p->name);
    strbuf_release(&p->data);
    strbuf_release(&p->id);
    strbuf_release(&p->stray);
    free(p);
}

static enum rc dispatch(struct sse_parser *p, struct err *e)
{
    enum rc rc = RC_OK;
    if (p->has_data) {
        struct sse_event ev = {
            .name = p->name.len ? strbuf_str(&p->name) : STR("message"),
            .data = {p->data.s, p->data.len - 1}, /* without the LF that each data line adds */
            .id = strbuf_str(&p->id),
        };
        rc = p->fn(p->arg, &ev, e);
    }
    strbuf_clear(&p->name);
    strbuf_clear(&p->data);
    p->has_data = false;
    return rc;
}

static void set_id(struct sse_parser *p, struct str value)
{
    if (value.len && memchr(value.s, '\0', value.len))
        return;
    strbuf_clear(&p->id);
    if (value.len <= ID_MAX)
        strbuf_addstr(&p->id, value);
}

static enum rc take_line(struct sse_parser *p, struct str line, struct err *e)
{
    if (line.len == 0)
        return dispatch(p, e);
    struct str value = line, name = str_cut(&value, ':');
    if (name.len == 0)
        return RC_OK; /* a comment */
    if (!value.s)
        value = STR("");
    if (value.len && value.s[0] == ' ')
        value = str_from(value, 1);

    if (str_is(name, "data")) {
        strbuf_addstr(&p->data, value);
        strbuf_addc(&p->data, '\n');
        p->has_data = true;
        if (p->data.failed)
            return err_set(e, RC_TOO_BIG, "sse: an event of more than %zu bytes", p->data.cap);
    } else if (str_is(name, "event")) {
        strbuf_clear(&p->name);
        strbuf_addstr(&p->name, value);
    } else if (str_is(name, "id")) {
        set_id(p, value);
    } else if (!str_is(name, "retry")) {
        strbuf_addstr(&p->stray, line);
        strbuf_addc(&p->stray, '\n');
    }
    return RC_OK;
}

struct str sse_stray(const struct sse_parser *p)
{
    return p->stray.failed ? STR("") : strbuf_str(&p->stray);
}

/* Skips a byte order mark at the start, also when it comes in pieces. */
static void skip_bom(struct sse_parser *p, struct str *piece)
{
    while (p->bom_seen < BOM_DONE && piece->len) {
        if (piece->s[0] != bom[p->bom_seen]) {
            strbuf_add(&p->line, bom, p->bom_seen); /* not a mark: text of the first line */
            p->bom_seen = BOM_DONE;
            break;
        }
        p->bom_seen++;
        *piece = (struct str){piece->s + 1, piece->len - 1};
    }
}

static size_t line_length(struct str s)
{
    if (!s.len)
        return 0;
    const char *lf = memchr(s.s, '\n', s.len);
    size_t n = lf ? (size_t)(lf - s.s) : s.len;
    const char *cr = memchr(s.s, '\r', n);
    return cr ? (size_t)(cr - s.s) : n;
}

static enum rc feed(struct sse_parser *p, struct str piece, struct err *e)
{
    skip_bom(p, &piece);
    while (piece.len) {
        if (p->after_cr) {
            p->after_cr = false;
            if (piece.s[0] == '\n') {
                piece = str_from(piece, 1);
                continue;
            }
        }
        size_t n = line_length(piece);
        struct str line = {piece.s, n};
        bool whole = n < piece.len;
        if (!whole || p->line.len) {
            strbuf_addstr(&p->line, line);
            line = strbuf_str(&p->line);
        }
        if (p->line.failed || line.len > p->line.cap)
            return err_set(e, RC_TOO_BIG, "sse: a line of more than %zu bytes", p->line.cap);
        if (!whole)
            return RC_OK;
        p->after_cr = piece.s[n] == '\r';
        enum rc rc = take_line(p, line, e);
        if (rc)
            return rc;
        strbuf_clear(&p->line);
        piece = str_from(piece, n + 1);
    }
    return RC_OK;
}

enum rc sse_feed(struct sse_parser *p, struct str piece, struct err *e)
{
    if (p->failed)
        return err_set(e, p->failed, "sse: the stream has failed before");
    return p->failed = feed(p, piece, e);
}

static void write_field(struct strbuf *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    strbuf_adds(out, name);
    strbuf_adds(out, ": ");
    strbuf_add(out, value, strcspn(value, "\r\n"));
    strbuf_addc(out, '\n');
}

void sse_write(struct strbuf *out, const char *event, const char *id, struct str data)
{
    write_field(out, "event", event);
    write_field(out, "id", id);
    for (;;) {
        size_t n = line_length(data);
        strbuf_adds(out, "data: ");
        strbuf_add(out, data.s, n);
        strbuf_addc(out, '\n');
        if (n == data.len)
            break;
        n += data.s[n] == '\r' && n + 1 < data.len && data.s[n + 1] == '\n' ? 2 : 1;
        data = str_from(data, n);
    }
    strbuf_addc(out, '\n');
}
