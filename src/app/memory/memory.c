#include "app/memory/memory.h"

#include "base/strbuf.h"
#include "base/utf8.h"
#include "codec/words/lexical.h"
#include "store/account/audit.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/search/vec8.h"
#include "store/session/suggestion.h"

#define MATCH_WORDS_MAX 16

void memory_embed(struct arena *a, struct memory *m)
{
    AUTO(arena) words = arena_new();
    float v[LEXICAL_DIMS];
    int8_t *to = arena_alloc(a, LEXICAL_DIMS);
    const char *text = arena_printf(words, "%.*s\n%s", STR_FMT(m->text), m->tags);
    struct bag b = bag_of(words, str_of(text));
    lexical_embed(&b, NULL, v);
    vec8_quantise(v, LEXICAL_DIMS, to, &m->scale); /* finite: it has length 1 or 0 */
    m->vector = (struct str){(const char *)to, LEXICAL_DIMS};
    m->embedder = LEXICAL_NAME;
}

/* ---- normalising ---- */

static bool belongs_to_tag(unsigned char c)
{
    return c == '-' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c >= 0x80;
}

static bool ends_tag(char c)
{
    return c == ',' || c == ' ' || c == '#' || c == '\t' || c == '\n';
}

static bool has_tag(struct str tags, struct str tag)
{
    while (tags.s)
        if (str_eq(str_cut(&tags, ' '), tag))
            return true;
    return false;
}

enum rc memory_tags(struct arena *a, struct str raw, const char **out, struct err *e)
{
    AUTO_STRBUF all;
    strbuf_init(&all, (size_t)MEMORY_TAGS_TEXT_MAX * 4);
    size_t count = 0, i = 0;
    while (i < raw.len) {
        AUTO_STRBUF tag;
        strbuf_init(&tag, (size_t)MEMORY_TAG_CHARS_MAX * 4);
        for (; i < raw.len && !ends_tag(raw.s[i]); i++) {
            char c = raw.s[i] >= 'A' && raw.s[i] <= 'Z' ? (char)(raw.s[i] - 'A' + 'a') : raw.s[i];
            if (!belongs_to_tag((unsigned char)c))
                return err_say(e, RC_BAD_INPUT, "fact.bad_tag");
            strbuf_addc(&tag, c);
        }
        i++;
        if (tag.len == 0 || has_tag((struct str){all.s, all.len}, strbuf_str(&tag)))
            continue;
        if (tag.failed || utf8_count(strbuf_str(&tag)) > MEMORY_TAG_CHARS_MAX)
            return err_say(e, RC_BAD_INPUT, "fact.long_tag", arg_int("max", MEMORY_TAG_CHARS_MAX));
        if (++count > MEMORY_TAGS_MAX)
            return err_say(e, RC_BAD_INPUT, "fact.many_tags", arg_int("max", MEMORY_TAGS_MAX));
        if (all.len)
            strbuf_addc(&all, ' ');
        strbuf_addstr(&all, strbuf_str(&tag));
    }
    *out = arena_strndup(a, all.len ? all.s : "", all.len);
    return RC_OK;
}

static enum rc check_text(struct str *text, struct err *e)
{
    *text = str_trim(*text);
    if (text->len == 0)
        return err_say(e, RC_BAD_INPUT, "fact.empty");
    if (!utf8_valid_text(*text))
        return err_say(e, RC_BAD_INPUT, "form.text_no_utf8");
    if (utf8_count(*text) > MEMORY_TEXT_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "fact.too_long", arg_int("max", MEMORY_TEXT_CHARS_MAX));
    return RC_OK;
}

const char *memory_match(struct arena *a, struct str text)
{
    AUTO_STRBUF q;
    strbuf_init(&q, MATCH_WORDS_MAX * TERM_MATCH_MAX(TERM_MAX));
    struct term t;
    for (int i = 0; i < MATCH_WORDS_MAX && term_next(&text, &t); i++) {
        if (term_is_pair(t.word))
            continue;
        term_add_match(&q, t.word, MATCH_BEGINNING);
    }
    return q.len ? arena_strndup(a, q.s, q.len) : NULL;
}

const char *memory_parts(struct arena *a, struct str text)
{
    AUTO_STRBUF q;
    strbuf_init(&q, (size_t)MATCH_WORDS_MAX * (TERM_MAX + 8));
    struct term t;
    for (int i = 0; i < MATCH_WORDS_MAX && term_next(&text, &t); i++)
        if (term_is_pair(t.word))
            strbuf_addf(&q, "%s\"%s\"", q.len ? "," : "[", t.word);
    strbuf_addc(&q, ']');
    return q.len > 1 ? arena_strndup(a, q.s, q.len) : NULL;
}

/* ---- adding and changing ---- */

struct change {
    const struct memory_input *input;
    struct str text;
    const char *tags;
    struct arena *a;
    struct memory *out;
    bool merged;
};

/* Queues the vector for search. Contexts compare the vector in the row, which is stored at once. */
static enum rc embed_later(struct db *db, int64_t owner, int64_t now, struct err *e)
{
    return store_job_add(db, JOB_EMBED, owner, 0, now, now, e);
}

static int64_t expiry(const struct memory_input *in)
{
    return in->permanent ? 0 : in->now + MEMORY_KEEP_MS;
}

static enum rc merge(struct db *db, struct change *c, struct memory *known, struct err *e)
{
    const struct memory_input *in = c->input;
    const char *both = arena_printf(c->a, "%s %s", known->tags, c->tags);
    known->text = c->text;
    known->created_at = in->now;
    if (memory_tags(c->a, str_of(both), &both, NULL) ==
        RC_OK) /* on failure there are too many tags together */
        known->tags = both;
    if (known->expires_at)
        known->expires_at = expiry(in);
    memory_embed(c->a, known);
    *c->out = *known;
    c->merged = true;
    enum rc rc = store_memory_change(db, in->owner, known, in->now, e);
    return rc == RC_OK ? embed_later(db, in->owner, in->now, e) : rc;
}

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    const struct memory_input *in = c->input;
    struct memory *all;
    size_t n;
    bool paused;
    enum rc rc = store_memory_paused(db, in->owner, &paused, e);
    if (rc == RC_OK && paused)
        return err_say(e, RC_CONFLICT, "fact.paused");
    if (rc == RC_OK)
        rc = store_memory_all(db, c->a, in->owner, in->now, &all, &n, e);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (memory_same(all[i].text, c->text))
            return merge(db, c, &all[i], e);
    if (n >= MEMORY_OWNER_MAX)
        return err_say(e, RC_CONFLICT, "fact.full", arg_int("max", MEMORY_OWNER_MAX));
    *c->out = (struct memory){.text = c->text,
        .tags = c->tags,
        .source_id = in->source_id,
        .created_at = in->now,
        .expires_at = expiry(in)};
    memory_embed(c->a, c->out);
    rc = store_memory_add(db, in->owner, c->out, e);
    return rc == RC_OK ? embed_later(db, in->owner, in->now, e) : rc;
}

static enum rc check_new(struct change *c, struct err *e)
{
    enum rc rc = check_text(&c->text, e);
    if (rc == RC_OK)
        rc = memory_tags(c->a, c->input->tags, &c->tags, e);
    c->text = arena_str(c->a, c->text);
    return rc;
}

enum rc memory_clean(struct arena *a, struct str *text, const char **tags, struct err *e)
{
    struct memory_input in = {.tags = str_of(*tags)};
    struct change c = {.input = &in, .text = *text, .a = a};
    enum rc rc = check_new(&c, e);
    if (rc == RC_OK) {
        *text = c.text;
        *tags = c.tags;
    }
    return rc;
}

enum rc memory_add(struct store *s, const struct memory_input *in, struct arena *a, struct memory *out,
    bool *merged, struct err *e)
{
    struct change c = {.input = in, .text = in->text, .a = a, .out = out};
    enum rc rc = check_new(&c, e);
    if (rc == RC_OK)
        rc = store_write(s, add_tx, &c, e);
    if (merged)
        *merged = c.merged;
    return rc;
}

enum rc memory_add_in(struct db *db, const struct memory_input *in, struct arena *a, struct memory *out,
    bool *merged, struct err *e)
{
    struct change c = {.input = in, .text = in->text, .a = a, .out = out};
    enum rc rc = check_new(&c, e);
    if (rc == RC_OK)
        rc = add_tx(db, &c, e);
    *merged = c.merged;
    return rc;
}

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    const struct memory_input *in = c->input;
    enum rc rc = store_memory_get(db, c->a, in->owner, in->id, in->now, c->out, e);
    if (rc != RC_OK)
        return rc;
    if (c->text.s && !str_eq(c->text, c->out->text)) {
        c->out->text = c->text;
        c->out->created_at = in->now;
    }
    if (c->tags)
        c->out->tags = c->tags;
    if (in->sets_permanent && in->permanent != !c->out->expires_at) /* a form sends it unchanged, too */
        c->out->expires_at = expiry(in);
    memory_embed(c->a, c->out);
    rc = store_memory_change(db, in->owner, c->out, in->now, e);
    return rc == RC_OK ? embed_later(db, in->owner, in->now, e) : rc;
}

static enum rc check_changed(struct change *c, struct err *e)
{
    const struct memory_input *in = c->input;
    enum rc rc = in->text.s ? check_text(&c->text, e) : RC_OK;
    if (rc == RC_OK && in->tags.s)
        rc = memory_tags(c->a, in->tags, &c->tags, e);
    if (rc == RC_OK && c->text.s)
        c->text = arena_str(c->a, c->text);
    return rc;
}

enum rc memory_change(
    struct store *s, const struct memory_input *in, struct arena *a, struct memory *out, struct err *e)
{
    struct change c = {.input = in, .text = in->text, .a = a, .out = out};
    enum rc rc = check_changed(&c, e);
    return rc == RC_OK ? store_write(s, change_tx, &c, e) : rc;
}

enum rc memory_change_in(
    struct db *db, const struct memory_input *in, struct arena *a, struct memory *out, struct err *e)
{
    struct change c = {.input = in, .text = in->text, .a = a, .out = out};
    enum rc rc = check_changed(&c, e);
    return rc == RC_OK ? change_tx(db, &c, e) : rc;
}

/* ---- deleting ---- */

struct one {
    int64_t owner, id, now;
    const char *address;
    bool paused;
};

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    return store_memory_delete(db, o->owner, o->id, o->now, e);
}

enum rc memory_delete(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    return store_write(s, delete_tx, &(struct one){.owner = owner, .id = id, .now = now}, e);
}

enum rc memory_restore_in(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    enum rc rc = store_memory_restore(db, owner, id, now, now + MEMORY_KEEP_MS, e);
    return rc == RC_OK ? embed_later(db, owner, now, e) : rc;
}

static enum rc restore_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    return memory_restore_in(db, o->owner, o->id, o->now, e);
}

enum rc memory_restore(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    return store_write(s, restore_tx, &(struct one){.owner = owner, .id = id, .now = now}, e);
}

static enum rc clear_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    int64_t removed = 0;
    enum rc rc = store_memory_clear(db, o->owner, &removed, e);
    if (rc == RC_OK)
        rc = store_suggestion_clear(db, o->owner, e);
    return rc == RC_OK ? store_audit(db, o->now, o->owner, "memory_cleared", "", o->address, e) : rc;
}

enum rc memory_clear(struct store *s, int64_t owner, const char *address, int64_t now, struct err *e)
{
    return store_write(s, clear_tx, &(struct one){.owner = owner, .address = address, .now = now}, e);
}

static enum rc pause_tx(struct db *db, void *arg, struct err *e)
{
    const struct one *o = arg;
    enum rc rc = store_memory_set_paused(db, o->owner, o->paused ? o->now : 0, e);
    /* at the end of a pause: its messages are not searched for facts */
    return rc == RC_OK && !o->paused ? store_suggestion_skip(db, o->owner, e) : rc;
}

enum rc memory_pause(struct store *s, int64_t owner, bool paused, int64_t now, struct err *e)
{
    return store_write(s, pause_tx, &(struct one){.owner = owner, .now = now, .paused = paused}, e);
}
