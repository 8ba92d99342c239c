#include "app/context/prompt.h"

#include "base/fs.h"
#include "base/utf8.h"

enum rc prompt_load(struct arena *a, const struct config *c, struct str *out, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, PROMPT_MAX);
    *out = (struct str){0};
    enum rc rc = fs_read(c->context.system_prompt, &text, NULL);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    if (rc != RC_OK)
        return err_tell(e, rc,
            "The system prompt of this server cannot be read. The owner of the server must check the file.");
    if (!utf8_valid_text(strbuf_str(&text)))
        return err_tell(e, RC_BAD_INPUT,
            "The system prompt of this server is not valid UTF-8 text. The owner of the server must check "
            "the "
            "file.");
    *out = str_of(arena_strndup(a, text.s, text.len));
    return RC_OK;
}
