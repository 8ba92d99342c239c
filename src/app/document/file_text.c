#include "app/document/document_private.h"

#include "codec/charset.h"

#define BYTES_OF_ONE 2 /* in UTF-16, for one in UTF-8: a file of more than this times `max` is too long */
#define MOST_OF_ONE  3 /* in UTF-8, for one in Windows-1252 */

enum rc file_text_read(
    const struct file_text_source *s, enum file_text *result, struct strbuf *out, struct err *e)
{
    if (pdf_is(s))
        return pdf_text(s, result, out, e);
    size_t most = BYTES_OF_ONE * s->max;
    bool is_long = s->bytes.len > most;
    AUTO_STRBUF text;
    strbuf_init(&text, MOST_OF_ONE * most);
    if (!charset_decode_file((struct str){s->bytes.s, is_long ? most : s->bytes.len}, &text))
        *result = FILE_TEXT_BINARY;
    else
        *result = is_long || text.len > s->max ? FILE_TEXT_LONG : FILE_TEXT_READ;
    if (*result == FILE_TEXT_READ)
        strbuf_addstr(out, strbuf_str(&text));
    return RC_OK;
}
