/* A long JSON text. Values and verdict do not depend on how it is cut into pieces. A list that
 * json_parse() accepts has as many values as elements. */
#include <stdlib.h>

#include "base/strbuf.h"
#include "codec/json/json.h"
#include "codec/json/json_stream.h"

#define CAP 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    struct strbuf all, files; /* the second: embedded files */
    size_t n;
};

static void note_file(void *arg, struct str piece, bool cut)
{
    struct seen *s = arg;
    strbuf_addstr(&s->files, piece);
    if (piece.len == 0)
        strbuf_addc(&s->files, cut ? '\1' : '\0');
}

static enum rc note(void *arg, struct str value, bool too_big, struct err *e)
{
    struct seen *s = arg;
    (void)e;
    if (value.len > CAP || (too_big && value.len != CAP))
        abort();
    strbuf_addstr(&s->all, value);
    strbuf_addc(&s->all, too_big ? '\1' : '\0');
    s->n++;
    return RC_OK;
}

static enum rc feed(struct str text, size_t step, bool records, bool files, struct seen *s)
{
    AUTO(json_stream) p = json_stream_new(CAP, note, s);
    strbuf_init(&s->all, 1 << 24);
    strbuf_init(&s->files, 1 << 24);
    if (records)
        json_stream_records(p);
    if (files) {
        json_stream_without_data(p);
        json_stream_data(p, note_file, s);
    }
    enum rc rc = RC_OK;
    for (size_t at = 0; rc == RC_OK && at < text.len; at += step)
        rc =
            json_stream_feed(p, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, NULL);
    return rc == RC_OK ? json_stream_end(p, NULL) : rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct str text = {(const char *)data + 1, size - 1};
    bool records = data[0] & 16; /* those of our export */
    bool files = data[0] & 32;   /* embedded ones are passed on */
    struct seen whole = {0}, cut = {0};
    enum rc a = feed(text, text.len + 1, records, files, &whole),
            b = feed(text, 1u + data[0] % 16u, records, files, &cut);
    if (a != b || !str_eq(strbuf_str(&whole.all), strbuf_str(&cut.all)) ||
        !str_eq(strbuf_str(&whole.files), strbuf_str(&cut.files)))
        abort();
    AUTO(json_t) v = NULL;
    if (!records && json_parse(text, 1 << 20, &v, NULL) == RC_OK && json_is_array(v) &&
        (a != RC_OK || whole.n != json_array_size(v)))
        abort();
    strbuf_release(&whole.all);
    strbuf_release(&cut.all);
    strbuf_release(&whole.files);
    strbuf_release(&cut.files);
    return 0;
}
