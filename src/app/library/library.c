#include "app/library/library.h"

#include "app/jobs/mass.h"
#include "app/tools/tools.h"
#include "base/utf8.h"

#define PERSONA_SESSIONS_STEP 500 /* sessions that lose a persona in one transaction */

enum rc temperature_parse(struct str text, int *out, struct err *e)
{
    struct str whole = str_trim(text);
    *out = TEMPERATURE_NONE;
    if (whole.len == 0)
        return RC_OK;
    char digits[4] = "000", *point = NULL;
    AUTO(arena) a = arena_new();
    char *copy = arena_strndup(a, whole.s, whole.len);
    for (char *c = copy; *c; c++)
        if (*c == '.' || *c == ',') {
            point = point ? point : c;
            *c = '.';
        }
    size_t before = point ? (size_t)(point - copy) : whole.len, after = point ? strlen(point + 1) : 0;
    int64_t n;
    if (before > 1 || after > 2 || before + after == 0)
        return err_say(e, RC_BAD_INPUT, "library.bad_temperature");
    if (before)
        digits[0] = copy[0];
    if (after)
        memcpy(digits + 1, point + 1, after);
    if (!str_to_int((struct str){digits, 3}, 0, TEMPERATURE_MAX, &n))
        return err_say(e, RC_BAD_INPUT, "library.bad_temperature");
    *out = (int)n;
    return RC_OK;
}

const char *temperature_text(struct arena *a, int temperature)
{
    if (temperature == TEMPERATURE_NONE)
        return NULL;
    int whole = temperature / 100, rest = temperature % 100;
    if (rest % 10 == 0)
        return rest ? arena_printf(a, "%d.%d", whole, rest / 10) : arena_printf(a, "%d", whole);
    return arena_printf(a, "%d.%02d", whole, rest);
}

static enum rc check(const struct providers *p, struct library_reader who, enum library_kind kind,
    struct library_entry *x, struct arena *a, struct err *e)
{
    struct str name = str_trim(str_of(x->name ? x->name : ""));
    unsigned denied;
    x->name = arena_str(a, name).s;
    x->text = str_trim(x->text);
    if (!x->text.s)
        x->text = STR("");
    if (name.len == 0)
        return err_say(e, RC_BAD_INPUT, "library.needs_name");
    if (utf8_count(name) > LIBRARY_NAME_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "library.name_long", arg_int("max", LIBRARY_NAME_CHARS_MAX));
    if (x->text.len == 0)
        return kind == LIBRARY_PERSONA ? err_say(e, RC_BAD_INPUT, "library.needs_persona_text")
                                       : err_say(e, RC_BAD_INPUT, "library.needs_prompt_text");
    if (utf8_count(x->text) > LIBRARY_TEXT_CHARS_MAX)
        return err_say(e, RC_TOO_BIG, "settings.text_long", arg_int("max", LIBRARY_TEXT_CHARS_MAX));
    if (x->shared && !who.admin)
        return err_say(e, RC_FORBIDDEN, "library.admins_share");
    if (x->choice && !*x->choice)
        x->choice = NULL;
    if (x->choice && !providers_find(p, x->choice))
        return err_say(e, RC_BAD_INPUT, "chat.model_not_set_up");
    return tool_sets_denied(x->tools, &denied, e);
}

struct save_tx {
    struct library_reader who;
    enum library_kind kind;
    struct library_entry *x;
};

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    struct save_tx *t = arg;
    enum rc rc = t->x->id ? store_library_change(db, t->who, t->kind, t->x, e)
                          : store_library_add(db, t->kind, t->x, &t->x->id, e);
    if (rc == RC_CONFLICT)
        return err_say(e, RC_CONFLICT, "library.name_taken");
    if (rc == RC_TOO_BIG)
        return err_say(e, RC_TOO_BIG, "library.too_many", arg_int("max", LIBRARY_ENTRIES_MAX));
    return rc;
}

enum rc library_save(struct store *s, const struct providers *p, struct library_reader who,
    enum library_kind kind, struct library_entry *x, struct arena *a, struct err *e)
{
    enum rc rc = check(p, who, kind, x, a, e);
    x->owner = who.user_id;
    struct save_tx t = {who, kind, x};
    return rc == RC_OK ? store_write(s, save_tx, &t, e) : rc;
}

struct delete_tx {
    struct library_reader who;
    enum library_kind kind;
    int64_t id;
    bool more;
};

static enum rc leave_tx(struct db *db, void *arg, struct err *e)
{
    struct delete_tx *t = arg;
    return store_library_leave_some(db, t->who, t->id, PERSONA_SESSIONS_STEP, &t->more, e);
}

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct delete_tx *t = arg;
    return store_library_delete(db, t->who, t->kind, t->id, e);
}

enum rc library_delete(
    struct store *s, struct library_reader who, enum library_kind kind, int64_t id, struct err *e)
{
    struct delete_tx t = {.who = who, .kind = kind, .id = id};
    enum rc rc = RC_OK;
    if (kind == LIBRARY_PERSONA) /* any number of sessions can have it */
        rc = mass_steps(&(struct mass){.store = s}, leave_tx, &t, &t.more, e);
    return rc == RC_OK ? store_write(s, delete_tx, &t, e) : rc;
}
