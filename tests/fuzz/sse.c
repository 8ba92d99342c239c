/* The stream of a provider. Events and failure do not depend on how it is cut into pieces. */
#include <stdlib.h>

#include "codec/sse.h"

#define CAP 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum rc note(void *arg, const struct sse_event *ev, struct err *e)
{
    (void)e;
    struct strbuf *seen = arg;
    strbuf_addstr(seen, ev->name);
    strbuf_addc(seen, '\0');
    strbuf_addstr(seen, ev->data);
    strbuf_addc(seen, '\0');
    strbuf_addstr(seen, ev->id);
    strbuf_addc(seen, '\0');
    return RC_OK;
}

static enum rc feed(struct str text, size_t step, struct strbuf *seen)
{
    AUTO(sse_parser) p = sse_parser_new(CAP, note, seen);
    for (size_t at = 0; at < text.len; at += step) {
        enum rc rc =
            sse_feed(p, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, NULL);
        if (rc)
            return rc;
    }
    return RC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct str text = {(const char *)data + 1, size - 1};
    AUTO_STRBUF whole, cut;
    strbuf_init(&whole, 1 << 24);
    strbuf_init(&cut, 1 << 24);
    enum rc a = feed(text, text.len + 1, &whole), b = feed(text, 1u + data[0] % 16u, &cut);
    if (a != b || !str_eq(strbuf_str(&whole), strbuf_str(&cut)))
        abort();
    return 0;
}
