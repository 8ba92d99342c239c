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
        return err_say(e, rc, "answer.no_prompt");
    if (!utf8_valid_text(strbuf_str(&text)))
        return err_say(e, RC_BAD_INPUT, "answer.prompt_no_utf8");
    *out = arena_str(a, strbuf_str(&text));
    return RC_OK;
}
