#include "codec/multipart.h"

#include <stdlib.h>

#include "base/strbuf.h"

#define DELIMITER_MAX (MULTIPART_BOUNDARY_MAX + 4) /* CR LF - - */
#define PIECE_MAX     ((size_t)16 * 1024)          /* largest piece that is processed at once */

enum where { PREAMBLE, BORDER /* after a delimiter */, HEAD, DATA, EPILOGUE };

struct multipart {
    const struct multipart_ops *ops;
    void *arg;
    char delimiter[DELIMITER_MAX];
    size_t delimiter_len;
    enum where where;
    int parts;
    struct strbuf seen; /* not passed on yet */
};

static enum rc bad(struct err *e)
{
    return err_say(e, RC_BAD_INPUT, "form.unreadable");
}

/* ---- header lines ---- */

/* The value of `name` in "; name=value; name="value"": RFC 2045's parameters; a quoted one has no escapes,
 * as browsers write them. .s is NULL when absent. */
static struct str parameter(struct str line, struct str name)
{
    struct str rest = line;
    str_cut(&rest, ';');
    while (rest.s) {
        struct str key = str_cut(&rest, '='), value;
        if (!rest.s)
            break;
        if (rest.len && rest.s[0] == '"') {
            rest = str_from(rest, 1);
            value = str_cut(&rest, '"');
            if (rest.s)
                str_cut(&rest, ';');
        } else {
            value = str_trim(str_cut(&rest, ';'));
        }
        if (str_eq_nocase(str_trim(key), name))
            return (struct str){value.s ? value.s : "", value.len};
    }
    return (struct str){0};
}

static struct str first_word(struct str line)
{
    return str_trim(str_cut(&line, ';'));
}

/* RFC 2046, section 5.1.1: letters, digits and these; no blank at the end. */
static bool boundary_is_proper(struct str b)
{
    if (b.len == 0 || b.len > MULTIPART_BOUNDARY_MAX || b.s[b.len - 1] == ' ')
        return false;
    for (size_t i = 0; i < b.len; i++) {
        char c = b.s[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!plain && !(c && strchr("'()+_,-./:=? ", c)))
            return false;
    }
    return true;
}

struct multipart *multipart_new(struct str content_type, const struct multipart_ops *ops, void *arg)
{
    struct str boundary = parameter(content_type, STR("boundary"));
    if (!str_eq_nocase(first_word(content_type), STR("multipart/form-data")) || !boundary_is_proper(boundary))
        return NULL;
    struct multipart *m = xcalloc(1, sizeof *m);
    m->ops = ops;
    m->arg = arg;
    memcpy(m->delimiter, "\r\n--", 4);
    memcpy(m->delimiter + 4, boundary.s, boundary.len);
    m->delimiter_len = boundary.len + 4;
    strbuf_init(&m->seen, PIECE_MAX + MULTIPART_HEAD_MAX + DELIMITER_MAX);
    strbuf_adds(&m->seen, "\r\n"); /* the first delimiter has no line before it */
    return m;
}

void multipart_free(struct multipart *m)
{
    if (!m)
        return;
    strbuf_release(&m->seen);
    free(m);
}

/* ---- parts ---- */

/* Each of these processes the received bytes and sets *more when it must be called again. */

/* Skips or passes on everything up to the next delimiter, and drops the delimiter. Bytes at the end that may
 * begin one are kept. */
static enum rc until_delimiter(struct multipart *m, bool *more, struct err *e)
{
    const char *found = memmem(m->seen.s, m->seen.len, m->delimiter, m->delimiter_len);
    size_t n = found                            ? (size_t)(found - m->seen.s)
               : m->seen.len < m->delimiter_len ? 0
                                                : m->seen.len - (m->delimiter_len - 1);
    enum rc rc = RC_OK;
    if (n && m->where == DATA)
        rc = m->ops->data(m->arg, (struct str){m->seen.s, n}, e);
    if (rc == RC_OK && found && m->where == DATA)
        rc = m->ops->end(m->arg, e);
    strbuf_drop_front(&m->seen, found ? n + m->delimiter_len : n);
    if (found)
        m->where = BORDER;
    *more = found != NULL;
    return rc;
}

/* "--" ends the form; otherwise white space and the line end follow. */
static enum rc border(struct multipart *m, bool *more, struct err *e)
{
    *more = false;
    if (m->seen.len < 2)
        return RC_OK;
    if (memcmp(m->seen.s, "--", 2) == 0) {
        m->where = EPILOGUE;
        *more = true;
        return RC_OK;
    }
    const char *line_end = memmem(m->seen.s, m->seen.len, "\r\n", 2);
    struct str padding = {m->seen.s, line_end ? (size_t)(line_end - m->seen.s) : m->seen.len - 1};
    if (str_trim(padding).len || padding.len > MULTIPART_HEAD_MAX)
        return bad(e);
    if (!line_end)
        return RC_OK;
    if (++m->parts > MULTIPART_PARTS_MAX)
        return err_say(e, RC_TOO_BIG, "form.too_many_parts");
    /* The line end is kept: the head thus ends in an empty line even when it is empty. */
    strbuf_drop_front(&m->seen, padding.len);
    m->where = HEAD;
    *more = true;
    return RC_OK;
}

static enum rc begin_part(struct multipart *m, struct str head, struct err *e)
{
    struct str name = {0}, filename = {0};
    while (head.s) {
        struct str line = str_trim(str_cut(&head, '\n')), rest = line;
        struct str key = str_trim(str_cut(&rest, ':'));
        if (!rest.s || !str_eq_nocase(key, STR("content-disposition")))
            continue;
        rest = str_trim(rest);
        if (name.s || !str_eq_nocase(first_word(rest), STR("form-data")))
            return bad(e);
        name = parameter(rest, STR("name"));
        filename = parameter(rest, STR("filename"));
    }
    return name.s ? m->ops->part(m->arg, name, filename, e) : bad(e);
}

static enum rc head(struct multipart *m, bool *more, struct err *e)
{
    const char *end = memmem(m->seen.s, m->seen.len, "\r\n\r\n", 4);
    size_t n = end ? (size_t)(end - m->seen.s) : m->seen.len;
    *more = end != NULL;
    if (n > MULTIPART_HEAD_MAX)
        return err_say(e, RC_TOO_BIG, "form.long_head");
    if (!end)
        return RC_OK;
    enum rc rc = begin_part(m, (struct str){m->seen.s, n}, e);
    strbuf_drop_front(&m->seen, n + 4);
    m->where = DATA;
    return rc;
}

static enum rc work(struct multipart *m, struct err *e)
{
    bool more = true;
    enum rc rc = RC_OK;
    while (rc == RC_OK && more) {
        switch (m->where) {
        case PREAMBLE:
        case DATA: rc = until_delimiter(m, &more, e); break;
        case BORDER: rc = border(m, &more, e); break;
        case HEAD: rc = head(m, &more, e); break;
        case EPILOGUE:
            strbuf_clear(&m->seen);
            more = false;
            break;
        }
    }
    return rc;
}

enum rc multipart_feed(struct multipart *m, struct str piece, struct err *e)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && piece.len) {
        size_t n = piece.len < PIECE_MAX ? piece.len : PIECE_MAX;
        strbuf_add(&m->seen, piece.s, n);
        piece = str_from(piece, n);
        rc = work(m, e);
    }
    return rc == RC_OK && m->seen.failed ? bad(e) : rc;
}

enum rc multipart_end(struct multipart *m, struct err *e)
{
    return m->where == EPILOGUE ? RC_OK : bad(e);
}
