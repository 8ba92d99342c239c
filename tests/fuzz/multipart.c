/* A form with files. Parts and verdict do not depend on how it is cut into pieces. */
#include <stdlib.h>

#include "base/strbuf.h"
#include "codec/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum rc on_part(void *arg, struct str name, struct str filename, struct err *e)
{
    (void)e;
    strbuf_addf(arg, "%zu %zu:", name.len, filename.s ? filename.len + 1 : 0);
    strbuf_addstr(arg, name);
    return RC_OK;
}

static enum rc on_data(void *arg, struct str piece, struct err *e)
{
    (void)e;
    strbuf_addstr(arg, piece);
    return RC_OK;
}

static enum rc on_end(void *arg, struct err *e)
{
    (void)e;
    strbuf_addc(arg, '\0');
    return RC_OK;
}

static enum rc feed(struct str text, size_t step, struct strbuf *seen)
{
    static const struct multipart_ops ops = {on_part, on_data, on_end};
    AUTO(multipart) m = multipart_new(STR("multipart/form-data; boundary=XX"), &ops, seen);
    enum rc rc = RC_OK;
    for (size_t at = 0; rc == RC_OK && at < text.len; at += step)
        rc = multipart_feed(m, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, NULL);
    return rc == RC_OK ? multipart_end(m, NULL) : rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct str text = {(const char *)data + 1, size - 1};
    AUTO_STRBUF whole, cut;
    strbuf_init(&whole, 1 << 24);
    strbuf_init(&cut, 1 << 24);
    multipart_free(multipart_new(text, NULL, NULL)); /* the input as a Content-Type */
    enum rc a = feed(text, text.len + 1, &whole), b = feed(text, 1u + data[0] % 16u, &cut);
    if (a != b || (a == RC_OK && !str_eq(strbuf_str(&whole), strbuf_str(&cut))))
        abort();
    return 0;
}
