#include <stdio.h>

#include "base/rand.h"
#include "llm/internal.h"

#define PART_MORE ((size_t)512) /* bytes of a part besides its content */

void llm_multipart_begin(struct llm_multipart *f, size_t content, size_t parts)
{
    rand_hex(f->boundary, LLM_BOUNDARY_BYTES);
    snprintf(f->type, sizeof f->type, "multipart/form-data; boundary=%s", f->boundary);
    strbuf_init(&f->body, content + (parts + 1) * PART_MORE);
}

void llm_multipart_field(struct llm_multipart *f, const char *name, struct str value)
{
    strbuf_addf(&f->body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n", f->boundary, name);
    strbuf_addstr(&f->body, value);
    strbuf_adds(&f->body, "\r\n");
}

void llm_multipart_file(
    struct llm_multipart *f, const char *name, const char *file, const char *media_type, struct str content)
{
    strbuf_addf(&f->body,
        "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s\"\r\nContent-Type: %s\r\n\r\n",
        f->boundary, name, file, media_type);
    strbuf_addstr(&f->body, content);
    strbuf_adds(&f->body, "\r\n");
}

enum rc llm_multipart_end(struct llm_multipart *f, struct err *e)
{
    strbuf_addf(&f->body, "--%s--\r\n", f->boundary);
    return f->body.failed ? err_set(e, RC_TOO_BIG, "a form is too long") : RC_OK;
}
