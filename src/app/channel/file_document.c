#include "app/channel/file_document.h"

#include "app/document/file_text.h"
#include "base/humanize.h"
#include "base/utf8.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_typed.h"

#define NAME_BYTES_MAX   120  /* of MARKDOWN_FILE_NAME_MAX */
#define ENDING_BYTES_MAX 11   /* with the dot */
#define BLOCK_MORE       4096 /* bytes: the name, and fences unless the text has longer ones */

/* From the last dot on; empty: there is none. */
static struct str ending_of(struct str name)
{
    size_t at = name.len;
    while (at && name.s[at - 1] != '.')
        at--;
    return at && name.len - at < ENDING_BYTES_MAX ? str_from(name, at - 1) : STR("");
}

/* One line without control characters. A long name keeps its ending. */
static struct str clean_name(struct arena *a, const struct channel_file *f)
{
    char *given = arena_strdup(a, f->name ? f->name : "");
    size_t n = utf8_drop_directional(given, strlen(given));
    struct str name = humanize_line(a, (struct str){given, n}, n);
    if (!name.len)
        return str_is(str_of(f->media_type ? f->media_type : ""), "application/pdf") ? STR("attachment.pdf")
                                                                                     : STR("attachment");
    if (name.len <= NAME_BYTES_MAX)
        return name;
    struct str ending = ending_of(name);
    return str_of(arena_printf(a, "%.*s\xE2\x80\xA6%.*s",
        STR_FMT(utf8_head(name, NAME_BYTES_MAX - ENDING_BYTES_MAX)), STR_FMT(ending)));
}

/* For a sentence, which is Markdown. */
static const char *escaped(struct arena *a, struct str name)
{
    AUTO_STRBUF out;
    strbuf_init(&out, name.len * MARKDOWN_ADDED_MAX + 1);
    markdown_add_text(&out, name);
    return arena_strndup(a, out.s, out.len);
}

static enum rc write_block(const struct file_taking *t, const struct file_text_source *s, struct str text,
    struct str *out, struct err *e)
{
    AUTO_STRBUF block;
    strbuf_init(&block, text.len + BLOCK_MORE);
    markdown_typed_file_write(&block, s->name, text);
    if (block.failed) /* fences of thousands of backticks */
        return err_say(
            e, RC_TOO_BIG, "document.long", arg_text("name", s->shown), arg_limit("max", (int64_t)s->max));
    *out = arena_str(t->a, strbuf_str(&block));
    return RC_OK;
}

enum rc file_document_take(const struct file_taking *t, struct str *out, struct err *e)
{
    struct str name = clean_name(t->a, t->file), text;
    struct err why = ERR_INIT;
    const struct file_text_source source = {.name = name,
        .media_type = str_of(t->file->media_type ? t->file->media_type : ""),
        .shown = escaped(t->a, name),
        .bytes = t->data,
        .max = (size_t)t->config->limits.message_bytes,
        .stop_fd = t->stop_fd};
    enum rc rc = file_text_read(t->a, &source, &text, &why);
    if (rc == RC_OK)
        rc = write_block(t, &source, text, out, &why);
    if (rc == RC_OK)
        return RC_OK;
    if (err_is(&why, FILE_TEXT_UNKNOWN))
        return err_set(e, RC_NOT_FOUND, "a file of no format that is read");
    if (!err_stored(&why))
        return err_set(e, rc, "%s", why.text);
    err_said(e, RC_UNSUPPORTED, err_stored(&why));
    err_say_more(e, "channel.not_sent", SAID_ARGS());
    return RC_UNSUPPORTED;
}
