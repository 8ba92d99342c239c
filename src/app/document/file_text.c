#include "app/document/document_private.h"

#include "codec/charset.h"
#include "codec/document/document.h"

#define BYTES_OF_ONE 2 /* in UTF-16, for one in UTF-8: a file of more than this times `max` is too long */
#define MOST_OF_ONE  3 /* in UTF-8, for one in Windows-1252 */

enum rc file_refuse(const struct file_text_source *s, enum rc rc, const char *key, struct err *e)
{
    return err_say(e, rc, key, arg_text("name", s->shown), arg_limit("max", (int64_t)s->max),
        arg_text("package", PDF_PACKAGE));
}

static enum rc read_plain(struct arena *a, const struct file_text_source *s, struct str *text, struct err *e)
{
    size_t most = BYTES_OF_ONE * s->max;
    bool is_long = s->bytes.len > most;
    AUTO_STRBUF out;
    strbuf_init(&out, MOST_OF_ONE * most);
    if (!charset_decode_file((struct str){s->bytes.s, is_long ? most : s->bytes.len}, &out))
        return file_refuse(s, RC_UNSUPPORTED, FILE_TEXT_UNKNOWN, e);
    if (is_long || out.len > s->max)
        return file_refuse(s, RC_TOO_BIG, "document.long", e);
    *text = arena_str(a, strbuf_str(&out));
    return RC_OK;
}

/* A library that is missing is installed by no further attempt. */
static enum rc read_office(struct arena *a, const struct file_text_source *s, struct str *text, struct err *e)
{
    struct err why = ERR_INIT;
    enum rc rc = document_read(a, s->shown, s->bytes, s->max, text, &why);
    if (rc == RC_UNAVAILABLE)
        return err_set(e, RC_INTERNAL, "%s", why.text);
    if (rc != RC_OK && e)
        *e = why;
    return rc;
}

enum rc file_text_read(struct arena *a, const struct file_text_source *s, struct str *text, struct err *e)
{
    if (document_is(s->bytes))
        return read_office(a, s, text, e);
    return file_text_takes_time(s) ? pdf_text(a, s, text, e) : read_plain(a, s, text, e);
}
