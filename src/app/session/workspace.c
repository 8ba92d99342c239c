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

struct instruction_tx {
    int64_t owner;
    const char *name;
    struct str text;
};

static enum rc instruction_tx(struct db *db, void *arg, struct err *e)
{
    const struct instruction_tx *t = arg;
    return store_workspace_set_instruction(db, t->owner, t->name, t->text, e);
}

enum rc workspace_set_instruction(
    struct store *s, int64_t owner, struct str raw, struct str text, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct instruction_tx t = {.owner = owner, .name = "", .text = str_trim(text)};
    enum rc rc = workspace_name(a, raw, &t.name, e);
    if (rc == RC_OK && !*t.name)
        return err_say(e, RC_BAD_INPUT, "library.needs_name");
    if (rc == RC_OK && utf8_count(t.text) > WORKSPACE_INSTRUCTION_CHARS_MAX)
        return err_say(e, RC_TOO_BIG, "settings.text_long", arg_int("max", WORKSPACE_INSTRUCTION_CHARS_MAX));
    return rc == RC_OK ? store_write(s, instruction_tx, &t, e) : rc;
}
