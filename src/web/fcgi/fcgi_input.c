#include "web/fcgi/fcgi_input.h"

#include <string.h>

#include "base/mem.h"

#define ROLE_RESPONDER 1
#define LONG_LENGTH    0x80 /* bit in the first byte: the length has four bytes (specification 3.4) */

void fcgi_input_init(struct fcgi_input *in, size_t body_max)
{
    *in = (struct fcgi_input){0};
    strbuf_init(&in->params, FCGI_PARAMS_MAX);
    strbuf_init(&in->body, body_max);
}

void fcgi_input_release(struct fcgi_input *in)
{
    strbuf_release(&in->params);
    strbuf_release(&in->body);
}

/* ---- parameters ---- */

/* The lengths of a parameter, before its texts in `params`. A look-up skips the texts by them. */
struct param {
    size_t name, value;
};

/* Cuts a length from the front of `rest`. */
static bool take_length(struct str *rest, size_t *out)
{
    const unsigned char *p = (const unsigned char *)rest->s;
    size_t n = rest->len && p[0] & LONG_LENGTH ? 4 : 1;
    if (rest->len < n)
        return false;
    *out = n == 1
               ? p[0]
               : (size_t)(p[0] & ~LONG_LENGTH) << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | (size_t)p[3];
    *rest = (struct str){rest->s + n, rest->len - n};
    return true;
}

/* Refuses NUL, which would end a name or value early. */
static bool take_text(struct str *rest, size_t n, struct strbuf *to)
{
    if (n > rest->len || memchr(rest->s, '\0', n))
        return false;
    strbuf_add(to, rest->s, n);
    strbuf_addc(to, '\0');
    *rest = (struct str){rest->s + n, rest->len - n};
    return true;
}

static enum rc decode_params(struct fcgi_input *in, struct err *e)
{
    struct strbuf pairs;
    struct str rest = strbuf_str(&in->params);
    struct param p;
    strbuf_init(&pairs, FCGI_PARAMS_MAX);
    while (rest.len) {
        bool taken = take_length(&rest, &p.name) && take_length(&rest, &p.value);
        if (taken)
            strbuf_add(&pairs, &p, sizeof p);
        if (!taken || !take_text(&rest, p.name, &pairs) || !take_text(&rest, p.value, &pairs)) {
            strbuf_release(&pairs);
            return err_set(e, RC_BAD_INPUT, "malformed FastCGI parameters");
        }
    }
    strbuf_release(&in->params);
    in->params = pairs;
    in->params_done = true;
    return pairs.failed ? err_set(e, RC_TOO_BIG, "FastCGI parameters over %zu bytes", pairs.cap) : RC_OK;
}

const char *fcgi_input_param(const struct fcgi_input *in, const char *name)
{
    const char *at = in->params.s, *end = at + in->params.len;
    size_t n = strlen(name);
    while (in->params_done && at < end) {
        struct param p;
        memcpy(&p, at, sizeof p);
        at += sizeof p;
        const char *value = at + p.name + 1;
        if (p.name == n && memcmp(at, name, n) == 0)
            return value;
        at = value + p.value + 1;
    }
    return NULL;
}

/* ---- records ---- */

static int header_type(const struct fcgi_input *in)
{
    return in->header[1];
}

static int header_id(const struct fcgi_input *in)
{
    return in->header[2] << 8 | in->header[3];
}

/* True when this record is allowed here. */
static bool is_expected(const struct fcgi_input *in)
{
    int id = header_id(in);
    if (in->header[0] != FCGI_RECORD_VERSION)
        return false;
    if (id == 0)
        return header_type(in) != FCGI_RECORD_BEGIN;
    switch (header_type(in)) {
    case FCGI_RECORD_BEGIN: return in->request_id == 0 && in->content_left == sizeof in->begin;
    case FCGI_RECORD_PARAMS: return id == in->request_id && !in->params_done;
    case FCGI_RECORD_STDIN: return id == in->request_id && in->params_done && !in->body_done;
    default: return false;
    }
}

static enum rc begin_record(struct fcgi_input *in, struct err *e)
{
    in->content_left = (size_t)(in->header[4] << 8 | in->header[5]);
    in->padding_left = in->header[6];
    if (!is_expected(in))
        return err_set(e, RC_BAD_INPUT, "a FastCGI record of type %d was not expected", header_type(in));
    bool ends_stream = in->content_left == 0 && header_id(in) != 0;
    if (ends_stream && header_type(in) == FCGI_RECORD_STDIN)
        in->body_done = true;
    return ends_stream && header_type(in) == FCGI_RECORD_PARAMS ? decode_params(in, e) : RC_OK;
}

static enum rc take_begin(struct fcgi_input *in, struct str part, struct err *e)
{
    memcpy(in->begin + in->begin_n, part.s, part.len);
    in->begin_n += part.len;
    if (in->begin_n < sizeof in->begin)
        return RC_OK;
    if ((in->begin[0] << 8 | in->begin[1]) != ROLE_RESPONDER)
        return err_set(e, RC_BAD_INPUT, "a FastCGI role other than Responder");
    in->request_id = header_id(in);
    return RC_OK;
}

static enum rc take_content(struct fcgi_input *in, struct str part, struct err *e)
{
    if (header_id(in) == 0)
        return RC_OK;
    if (header_type(in) == FCGI_RECORD_BEGIN)
        return take_begin(in, part, e);
    struct strbuf *to = header_type(in) == FCGI_RECORD_PARAMS ? &in->params : &in->body;
    strbuf_addstr(to, part);
    return to->failed ? err_set(e, RC_TOO_BIG, "a FastCGI stream over %zu bytes", to->cap) : RC_OK;
}

/* Cuts up to `n` bytes from the front of `data`. */
static struct str cut(struct str *data, size_t n)
{
    struct str part = {data->s, data->len < n ? data->len : n};
    *data = (struct str){data->s + part.len, data->len - part.len};
    return part;
}

enum rc fcgi_input_feed(struct fcgi_input *in, struct str data, struct err *e)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && data.len) {
        if (in->content_left) {
            struct str part = cut(&data, in->content_left);
            in->content_left -= part.len;
            rc = take_content(in, part, e);
        } else if (in->padding_left) {
            in->padding_left -= cut(&data, in->padding_left).len;
        } else {
            struct str part = cut(&data, FCGI_RECORD_HEADER - in->header_n);
            memcpy(in->header + in->header_n, part.s, part.len);
            in->header_n += part.len;
            if (in->header_n == FCGI_RECORD_HEADER) {
                in->header_n = 0;
                rc = begin_record(in, e);
            }
        }
    }
    return rc;
}
