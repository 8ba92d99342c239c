#include "app/session/workspace_file.h"

#include "app/context/message_files.h"
#include "app/session/workspace.h"
#include "base/utf8.h"

static enum rc clean_name(struct arena *a, struct str raw, const char **out, struct err *e)
{
    struct str s = str_trim(raw);
    char *name = arena_strndup(a, s.len ? s.s : "", s.len);
    s = (struct str){name, utf8_drop_directional(name, s.len)};
    *out = name;
    if (!s.len)
        return err_say(e, RC_BAD_INPUT, "file.needs_name");
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.s[i] < ' ' || s.s[i] == 0x7F)
            return err_say(e, RC_BAD_INPUT, "file.name_line");
    if (utf8_count(s) > WORKSPACE_FILE_NAME_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "file.name_long", arg_int("max", WORKSPACE_FILE_NAME_CHARS_MAX));
    return RC_OK;
}

/* The name and the text, without regard to the other files. */
static enum rc clean(
    struct arena *a, const struct workspace_text *x, struct workspace_file *out, struct err *e)
{
    *out = (struct workspace_file){.text = x->text,
        .bytes = (int64_t)x->text.len,
        .lines = (int64_t)message_file_lines(x->text),
        .created_at = x->now,
        .changed_at = x->now};
    enum rc rc = workspace_name(a, x->workspace, &out->workspace, e);
    if (rc == RC_OK && !*out->workspace)
        return err_say(e, RC_BAD_INPUT, "library.needs_name");
    if (rc == RC_OK)
        rc = clean_name(a, x->name, &out->name, e);
    if (rc != RC_OK)
        return rc;
    if (!utf8_valid_text(x->text))
        return err_say(e, RC_BAD_INPUT, "file.no_text", arg_text("name", out->name));
    if (!str_trim(x->text).len)
        return err_say(e, RC_BAD_INPUT, "file.empty", arg_text("name", out->name));
    if (out->bytes > WORKSPACE_FILE_BYTES_MAX)
        return err_say(e, RC_TOO_BIG, "file.too_big", arg_text("name", out->name),
            arg_limit("max", WORKSPACE_FILE_BYTES_MAX));
    return RC_OK;
}

enum rc workspace_file_put(
    struct db *db, int64_t owner, const struct workspace_text *x, int64_t *id, bool *added, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct workspace_file file, *had;
    size_t n;
    bool is_new = true;
    enum rc rc = clean(a, x, &file, e);
    if (rc == RC_OK)
        rc = store_workspace_files(db, a, owner, file.workspace, &had, &n, e);
    if (rc != RC_OK)
        return rc;
    int64_t bytes = file.bytes;
    for (size_t i = 0; i < n; i++) {
        bool same = str_eq_nocase(str_of(had[i].name), str_of(file.name));
        is_new = is_new && !same;
        bytes += same ? 0 : had[i].bytes;
    }
    if (!is_new && x->keeps)
        return err_set(e, RC_CONFLICT, "the workspace has a file with this name");
    if (is_new && n >= WORKSPACE_FILES_MAX)
        return err_say(
            e, RC_TOO_BIG, "file.too_many", arg_text("name", file.name), arg_int("max", WORKSPACE_FILES_MAX));
    if (bytes > WORKSPACE_FILES_BYTES_MAX)
        return err_say(e, RC_TOO_BIG, "file.all_too_big", arg_text("name", file.name),
            arg_limit("max", WORKSPACE_FILES_BYTES_MAX));
    if (added)
        *added = is_new;
    return store_workspace_file_put(db, owner, &file, id, e);
}

struct file_tx {
    int64_t owner;
    const struct workspace_text *x;
    int64_t id;
    bool added;
};

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    struct file_tx *t = arg;
    return workspace_file_put(db, t->owner, t->x, &t->id, &t->added, e);
}

enum rc workspace_file_save(
    struct store *s, int64_t owner, const struct workspace_text *x, int64_t *id, bool *added, struct err *e)
{
    struct file_tx t = {.owner = owner, .x = x};
    enum rc rc = store_write(s, save_tx, &t, e);
    *id = t.id;
    if (added)
        *added = t.added;
    return rc;
}

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct file_tx *t = arg;
    return store_workspace_file_delete(db, t->owner, t->id, e);
}

enum rc workspace_file_delete(struct store *s, int64_t owner, int64_t id, struct err *e)
{
    return store_write(s, delete_tx, &(struct file_tx){.owner = owner, .id = id}, e);
}
