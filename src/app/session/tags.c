#include "app/session/tags.h"

#include "app/jobs/mass.h"
#include "base/utf8.h"
#include "codec/words/tokenizer.h"

#define TAG_SESSIONS_STEP 500 /* sessions that lose a tag in one transaction */

static enum rc tag_name(struct arena *a, struct str raw, const char **out, struct err *e)
{
    struct str s = str_trim(raw);
    char *name = arena_alloc(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.s[i] < ' ' || s.s[i] == 0x7F || s.s[i] == ',' || s.s[i] == '"')
            return err_say(e, RC_BAD_INPUT, "tag.bad_name");
        if (s.s[i] != ' ' || name[n - 1] != ' ')
            name[n++] = s.s[i];
    }
    n = utf8_drop_directional(name, n);
    if (n == 0)
        return err_say(e, RC_BAD_INPUT, "tag.empty");
    if (utf8_count((struct str){name, n}) > TAG_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "tag.long", arg_int("max", TAG_CHARS_MAX));
    *out = name;
    return RC_OK;
}

static int colour_of(const char *name)
{
    return (int)(term_hash(name, strlen(name)) % TAG_COLOURS);
}

/* ---- of a session ---- */

static enum rc find_or_add(
    struct db *db, struct arena *a, int64_t owner, struct str raw, int64_t now, int64_t *id, struct err *e)
{
    const char *name;
    struct tag t;
    enum rc rc = tag_name(a, raw, &name, e);
    if (rc != RC_OK)
        return rc;
    if ((rc = store_tag_find(db, a, owner, name, &t, e)) == RC_NOT_FOUND)
        return store_tag_add(db, owner, name, colour_of(name), now, id, e);
    *id = t.id;
    return rc;
}

enum rc tags_add(struct db *db, int64_t owner, int64_t session, struct str name, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t id = 0;
    enum rc rc = find_or_add(db, a, owner, name, now, &id, e);
    return rc == RC_OK ? store_session_tag(db, owner, session, id, e) : rc;
}

enum rc tags_remove(struct db *db, int64_t owner, int64_t session, struct str raw, struct err *e)
{
    AUTO(arena) a = arena_new();
    const char *name;
    struct tag t;
    enum rc rc = tag_name(a, raw, &name, e);
    if (rc == RC_OK)
        rc = store_tag_find(db, a, owner, name, &t, e);
    if (rc == RC_NOT_FOUND)
        return RC_OK; /* no session has it */
    return rc == RC_OK ? store_session_untag(db, owner, session, t.id, e) : rc;
}

enum rc tags_set(struct db *db, int64_t owner, int64_t session, struct str line, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct tag *had;
    size_t n, wanted = 0;
    int64_t keep[TAGS_OF_SESSION_MAX];
    enum rc rc = store_session_tags(db, a, owner, session, &had, &n, e);
    while (rc == RC_OK && line.len) {
        struct str name = str_trim(str_cut(&line, ','));
        if (name.len == 0)
            continue;
        if (wanted == TAGS_OF_SESSION_MAX)
            return err_say(e, RC_CONFLICT, "tag.too_many_of_session", arg_int("max", TAGS_OF_SESSION_MAX));
        rc = find_or_add(db, a, owner, name, now, &keep[wanted++], e);
    }
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        bool kept = false;
        for (size_t k = 0; k < wanted; k++)
            kept = kept || keep[k] == had[i].id;
        if (!kept)
            rc = store_session_untag(db, owner, session, had[i].id, e);
    }
    for (size_t k = 0; rc == RC_OK && k < wanted; k++)
        rc = store_session_tag(db, owner, session, keep[k], e);
    return rc;
}

/* ---- of a user ---- */

struct change {
    int64_t owner, id, to, now;
    const char *name; /* NULL: unchanged */
    int colour;
    int64_t *added;
    bool more;
};

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    enum rc rc = RC_OK;
    if (c->name)
        rc = store_tag_rename(db, c->owner, c->id, c->name, e);
    if (rc == RC_CONFLICT)
        return err_say(e, rc, "tag.exists", arg_text("name", c->name));
    if (rc == RC_OK && c->colour >= 0)
        rc = store_tag_set_colour(db, c->owner, c->id, c->colour, e);
    return rc;
}

enum rc tag_change(struct store *s, int64_t owner, int64_t id, const struct tag_change *change, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct change c = {.owner = owner, .id = id, .colour = change->colour};
    enum rc rc = change->name.s ? tag_name(a, change->name, &c.name, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    if (!c.name && c.colour < 0)
        return err_say(e, RC_BAD_INPUT, "tag.send");
    if (c.colour >= TAG_COLOURS)
        return err_say(e, RC_BAD_INPUT, "tag.bad_colour");
    return store_write(s, change_tx, &c, e);
}

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    AUTO(arena) a = arena_new();
    struct tag same;
    enum rc rc = store_tag_find(db, a, c->owner, c->name, &same, e);
    if (rc == RC_OK)
        return err_say(e, RC_CONFLICT, "tag.exists", arg_text("name", c->name));
    return rc == RC_NOT_FOUND ? store_tag_add(db, c->owner, c->name, c->colour, c->now, c->added, e) : rc;
}

enum rc tag_add(
    struct store *s, int64_t owner, struct str name, int colour, int64_t now, int64_t *id, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct change c = {.owner = owner, .name = "", .now = now, .added = id};
    enum rc rc = tag_name(a, name, &c.name, e);
    if (rc != RC_OK)
        return rc;
    if (colour >= TAG_COLOURS)
        return err_say(e, RC_BAD_INPUT, "tag.bad_colour");
    c.colour = colour >= 0 ? colour : colour_of(c.name);
    return store_write(s, add_tx, &c, e);
}

static enum rc move_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    return store_tag_move_some(db, c->owner, c->id, c->to, TAG_SESSIONS_STEP, &c->more, e);
}

/* A tag can have any number of sessions. `fn` removes it, when few have it still. */
static enum rc remove_tag(struct store *s, store_fn *fn, struct change *c, struct err *e)
{
    enum rc rc = mass_steps(&(struct mass){.store = s}, move_tx, c, &c->more, e);
    return rc == RC_OK ? store_write(s, fn, c, e) : rc;
}

static enum rc merge_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    return store_tag_merge(db, c->owner, c->id, c->to, e);
}

/* A session that has both tags keeps one of them, so the limit of a session holds. */
enum rc tag_merge(struct store *s, int64_t owner, int64_t from, int64_t to, struct err *e)
{
    return remove_tag(s, merge_tx, &(struct change){.owner = owner, .id = from, .to = to}, e);
}

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    return store_tag_delete(db, c->owner, c->id, e);
}

enum rc tag_delete(struct store *s, int64_t owner, int64_t id, struct err *e)
{
    return remove_tag(s, delete_tx, &(struct change){.owner = owner, .id = id}, e);
}
