#include "app/session/workspace.h"

#include "base/utf8.h"
#include "codec/view.h"

#define NAME_JSON_MAX ((size_t)2 * 1024)

enum rc workspace_name(struct arena *a, struct str raw, const char **out, struct err *e)
{
    struct str s = str_trim(raw);
    char *name = arena_alloc(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.s[i] < ' ' || s.s[i] == 0x7F)
            return err_say(e, RC_BAD_INPUT, "chat.workspace_line");
        if (s.s[i] != ' ' || name[n - 1] != ' ')
            name[n++] = s.s[i];
    }
    n = utf8_drop_directional(name, n);
    if (utf8_count((struct str){name, n}) > WORKSPACE_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "chat.workspace_long", arg_int("max", WORKSPACE_CHARS_MAX));
    *out = name;
    return RC_OK;
}

/* As JSON with < and > escaped, so that a name cannot close its block or open another. */
struct str workspace_prompt(struct arena *a, const char *name)
{
    if (!name)
        return STR("");
    AUTO_STRBUF json;
    strbuf_init(&json, NAME_JSON_MAX);
    json_add_string(&json, str_of(name));
    return str_of(arena_printf(a, "The user keeps this conversation in the workspace %s.", json.s));
}
