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

static enum rc some_name(struct arena *a, struct str raw, const char **out, struct err *e)
{
    *out = "";
    enum rc rc = workspace_name(a, raw, out, e);
    return rc == RC_OK && !**out ? err_say(e, RC_BAD_INPUT, "library.needs_name") : rc;
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
    enum rc rc = some_name(a, raw, &t.name, e);
    if (rc == RC_OK && utf8_count(t.text) > WORKSPACE_INSTRUCTION_CHARS_MAX)
        return err_say(e, RC_TOO_BIG, "settings.text_long", arg_int("max", WORKSPACE_INSTRUCTION_CHARS_MAX));
    return rc == RC_OK ? store_write(s, instruction_tx, &t, e) : rc;
}

struct change_tx {
    int64_t owner;
    const char *name, *to; /* to NULL: it is deleted */
};

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    const struct change_tx *t = arg;
    return t->to ? store_workspace_rename(db, t->owner, t->name, t->to, e)
                 : store_workspace_delete(db, t->owner, t->name, e);
}

enum rc workspace_rename(struct store *s, int64_t owner, struct str name, struct str to, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct change_tx t = {.owner = owner};
    enum rc rc = some_name(a, name, &t.name, e);
    if (rc == RC_OK)
        rc = some_name(a, to, &t.to, e);
    return rc == RC_OK ? store_write(s, change_tx, &t, e) : rc;
}

enum rc workspace_delete(struct store *s, int64_t owner, struct str name, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct change_tx t = {.owner = owner};
    enum rc rc = some_name(a, name, &t.name, e);
    return rc == RC_OK ? store_write(s, change_tx, &t, e) : rc;
}
