/* Settings, instructions and files of workspaces, personas, prompts and tags of our own export. Existing ones
 * are kept. */
#include "app/import/import_private.h"

#include "app/account/settings.h"
#include "app/session/tags.h"
#include "app/session/workspace_file.h"
#include "app/tools/tools.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "store/account/library.h"
#include "store/session/workspace.h"

#define CHOICE_CHARS_MAX (2 * IMPORT_WORD_MAX) /* "provider/model" */
#define TOOLS_BYTES_MAX  ((size_t)100)         /* "memory tasks sessions connected" */

struct personal_tx {
    int64_t owner;
    const json_t *v;
};

static const char *text_of(const json_t *v, const char *key)
{
    const char *s = json_string_value(json_object_get(v, key));
    return s ? s : "";
}

static bool fits(const char *text, size_t chars)
{
    struct str s = str_of(text);
    return s.len > 0 && utf8_valid_text(s) && utf8_count(s) <= chars;
}

static enum rc add_setting(struct db *db, struct arena *a, const struct personal_tx *t, struct err *e)
{
    const char *have[SETTING_COUNT], *name = text_of(t->v, "name"), *value = text_of(t->v, "value");
    enum rc rc = store_setting_all(db, a, t->owner, have, e);
    for (int s = 0; rc == RC_OK && s < SETTING_COUNT; s++) {
        struct setting_change change = {(enum setting)s, str_of(value)};
        if (strcmp(setting_name((enum setting)s), name) != 0 || have[s])
            continue;
        if (fits(value, SETTING_TEXT_CHARS_MAX) && setting_check(&change, NULL) == RC_OK)
            rc = store_setting_set(db, t->owner, (enum setting)s, value, e);
    }
    return rc;
}

static enum rc add_instruction(struct db *db, struct arena *a, const struct personal_tx *t, struct err *e)
{
    const char *workspace = text_of(t->v, "workspace"), *text = text_of(t->v, "text");
    struct str have;
    if (!fits(workspace, WORKSPACE_CHARS_MAX) || !fits(text, SETTING_TEXT_CHARS_MAX))
        return RC_OK;
    enum rc rc = store_workspace_instruction(db, a, t->owner, workspace, &have, e);
    return rc == RC_OK && have.len == 0
               ? store_workspace_set_instruction(db, t->owner, workspace, str_of(text), e)
               : rc;
}

/* A file that no longer fits the limits is left out. */
static enum rc add_file(struct db *db, const struct personal_tx *t, struct err *e)
{
    int64_t changed_at = 0, now = clock_wall_ms(), id;
    json_get_int(t->v, "changed_at", &changed_at);
    struct workspace_text x = {.workspace = str_of(text_of(t->v, "workspace")),
        .name = str_of(text_of(t->v, "name")),
        .text = str_of(text_of(t->v, "text")),
        .now = changed_at > 0 && changed_at <= now ? changed_at : now,
        .keeps = true};
    enum rc rc = workspace_file_put(db, t->owner, &x, &id, NULL, e);
    bool skips = rc == RC_CONFLICT || rc == RC_BAD_INPUT || rc == RC_TOO_BIG;
    return skips ? RC_OK : rc;
}

static enum rc add_entry(struct db *db, const struct personal_tx *t, enum library_kind kind, struct err *e)
{
    int64_t temperature = TEMPERATURE_NONE, id;
    json_get_int(t->v, "temperature", &temperature);
    struct library_entry x = {.owner = t->owner,
        .name = text_of(t->v, "name"),
        .text = str_of(text_of(t->v, "text")),
        .choice = json_string_value(json_object_get(t->v, "choice")),
        .tools = json_string_value(json_object_get(t->v, "tools")),
        .temperature =
            temperature < 0 || temperature > TEMPERATURE_MAX ? TEMPERATURE_NONE : (int)temperature};
    if (!fits(x.name, LIBRARY_NAME_CHARS_MAX) || !fits(x.text.s, LIBRARY_TEXT_CHARS_MAX))
        return RC_OK;
    unsigned denied;
    if (x.choice && !fits(x.choice, CHOICE_CHARS_MAX))
        x.choice = NULL;
    if (x.tools && (strlen(x.tools) > TOOLS_BYTES_MAX || tool_sets_denied(x.tools, &denied, NULL) != RC_OK))
        x.tools = NULL;
    enum rc rc = store_library_add(db, kind, &x, &id, e);
    bool has = rc == RC_CONFLICT || rc == RC_TOO_BIG; /* the user has one of this name, or enough */
    return has ? RC_OK : rc;
}

static enum rc personal_tx(struct db *db, void *arg, struct err *e)
{
    const struct personal_tx *t = arg;
    AUTO(arena) a = arena_new();
    const char *type = text_of(t->v, "type");
    if (strcmp(type, "setting") == 0)
        return add_setting(db, a, t, e);
    if (strcmp(type, "workspace_instruction") == 0)
        return add_instruction(db, a, t, e);
    if (strcmp(type, "workspace_file") == 0)
        return add_file(db, t, e);
    return add_entry(db, t, strcmp(type, "persona") == 0 ? LIBRARY_PERSONA : LIBRARY_PROMPT, e);
}

/* With its colour. The tags of a session are added with the session. */
static enum rc add_tag(struct store *s, int64_t owner, const json_t *v, struct err *e)
{
    int64_t colour = -1, id;
    json_get_int(v, "colour", &colour);
    enum rc rc = tag_add(s, owner, str_of(text_of(v, "name")),
        colour < 0 || colour >= TAG_COLOURS ? -1 : (int)colour, clock_wall_ms(), &id, e);
    return rc == RC_CONFLICT || rc == RC_BAD_INPUT ? RC_OK : rc;
}

enum rc import_personal(struct store *s, int64_t owner, const json_t *v, struct err *e)
{
    if (strcmp(text_of(v, "type"), "tag") == 0)
        return add_tag(s, owner, v, e);
    struct personal_tx t = {owner, v};
    return store_write(s, personal_tx, &t, e);
}
