#include "app/memory/memory.h"

#include "app/jobs/helper_notify.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "store/search/vec8.h"
#include "codec/lexical.h"
#include "store/account/audit.h"
#include "store/session/suggestion.h"
#include "store/job.h"
#include "store/account/user.h"

#define MATCH_WORDS_MAX 16

void memory_embed(struct arena *a, struct memory *m)
{
    AUTO(arena) words = arena_new();
    float v[LEXICAL_DIMS];
    int8_t *to = arena_alloc(a, LEXICAL_DIMS);
    const char *text = arena_printf(words, "%.*s\n%s", STR_FMT(m->text), m->tags);
    struct bag b = bag_of(words, str_of(text), false);
    lexical_embed(&b, NULL, v);
    vec8_quantise(v, LEXICAL_DIMS, to, &m->scale); /* finite: it has length 1 or 0 */
    m->vector = (struct str){(const char *)to, LEXICAL_DIMS};
    m->embedder = LEXICAL_NAME;
}

/* ---- comparing facts ---- */

bool memory_negates(const char *word)
{
    static const char *const words[] = {"no", "not", "never", "none", "nor", "without", "don", "doesn",
        "didn", "isn", "aren", "wasn", "weren", "won", "wouldn", "can", "couldn", "hasn", "haven", "hadn",
        "cannot", "neither", "nobody", "nothing", "hardly", "nicht", "nichts", "kein", "keine", "keinen",
        "keinem", "keiner", "nie", "niemals", "niemand", "ohne", "weder"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static bool has_digit(const char *word)
{
    return strpbrk(word, "0123456789") != NULL;
}

/* The words that distinguish a fact: without stop words, but with all negations. */
struct said {
    const char **words;
    size_t n;
};

static struct said said_of(struct arena *a, struct str text, bool all)
{
    struct term t;
    size_t room = text.len / 2 + 1;
    struct said s = {.words = ARENA_ARRAY(a, const char *, room)};
    while (s.n < room && term_next(&text, &t))
        if (all || memory_negates(t.word) || !term_is_stop(t.word))
            s.words[s.n++] = arena_strdup(a, all || memory_negates(t.word) ? t.word : t.stem);
    return s;
}

static bool holds(const struct said *s, const char *word)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->words[i], word) == 0)
            return true;
    return false;
}

/* Compares the words that distinguish facts whose other words are equal: numbers and negations. */
static bool decisive_are_in(const struct said *these, const struct said *those)
{
    for (size_t i = 0; i < these->n; i++)
        if ((memory_negates(these->words[i]) || has_digit(these->words[i])) && !holds(those, these->words[i]))
            return false;
    return true;
}

static bool shared_in_order(const struct said *a, const struct said *b)
{
    size_t j = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (!holds(b, a->words[i]))
            continue;
        while (j < b->n && !holds(a, b->words[j]))
            j++;
        if (j == b->n || strcmp(a->words[i], b->words[j]) != 0)
            return false;
        j++;
    }
    return true;
}

static bool equal(const struct said *a, const struct said *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = strcmp(a->words[i], b->words[i]) == 0;
    return same;
}

static double likeness(struct arena *a, struct str x, struct str y)
{
    float v[LEXICAL_DIMS], w[LEXICAL_DIMS];
    struct bag b = bag_of(a, x, false), c = bag_of(a, y, false);
    double sum = 0;
    lexical_embed(&b, NULL, v);
    lexical_embed(&c, NULL, w);
    for (size_t i = 0; i < LEXICAL_DIMS; i++)
        sum += (double)v[i] * (double)w[i];
    return sum;
}

struct memory_words {
    struct str text;
    struct said all, deciding;
};

const struct memory_words *memory_words_of(struct arena *a, struct str text)
{
    struct memory_words *w = ARENA_NEW(a, struct memory_words);
    *w = (struct memory_words){text, said_of(a, text, true), said_of(a, text, false)};
    return w;
}

bool memory_words_same(const struct memory_words *x, const struct memory_words *y)
{
    if (x->all.n == 0 || y->all.n == 0)
        return str_eq(str_trim(x->text), str_trim(y->text)); /* texts without words */
    if (equal(&x->all, &y->all))
        return true;
    const struct said *sx = &x->deciding, *sy = &y->deciding;
    if (!decisive_are_in(sx, sy) || !decisive_are_in(sy, sx) || !shared_in_order(sx, sy))
        return false;
    AUTO(arena) a = arena_new();
    return likeness(a, x->text, y->text) >= MEMORY_SAME_LIKENESS;
}

bool memory_same(struct str x, struct str y)
{
    AUTO(arena) a = arena_new();
    return memory_words_same(memory_words_of(a, x), memory_words_of(a, y));
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
        return err_say(e, RC_BAD_INPUT, "task.no_utf8");
    if (utf8_count(*text) > MEMORY_TEXT_CHARS_MAX)
        return err_say(e, RC_BAD_INPUT, "fact.too_long", arg_int("max", MEMORY_TEXT_CHARS_MAX));
    return RC_OK;
}

const char *memory_match(struct arena *a, struct str text)
{
    AUTO_STRBUF q;
    strbuf_init(&q, (size_t)MATCH_WORDS_MAX * (TERM_MAX + 8));
    struct term t;
    for (int i = 0; i < MATCH_WORDS_MAX && term_next(&text, &t); i++)
        if (!term_is_pair(t.word))
            strbuf_addf(&q, "%s\"%s\"*", q.len ? " " : "", t.word); /* a word never contains quotes */
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
    c->text = str_of(arena_strndup(c->a, c->text.s ? c->text.s : "", c->text.len));
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
    if (c->text.s)
        c->out->text = c->text;
    if (c->tags)
        c->out->tags = c->tags;
    if (in->sets_permanent)
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
        c->text = str_of(arena_strndup(c->a, c->text.s, c->text.len));
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

enum rc memory_find_same(struct db *db, struct arena *a, int64_t owner, struct str text, int64_t now,
    struct memory *out, bool *reworded, struct err *e)
{
    struct memory *all;
    size_t n;
    enum rc rc = store_memory_all(db, a, owner, now, &all, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        if (!memory_same(all[i].text, text))
            continue;
        struct said old = said_of(a, all[i].text, true), new = said_of(a, text, true);
        *out = all[i];
        *reworded = !equal(&old, &new);
        return RC_OK;
    }
    return rc == RC_OK ? err_set(e, RC_NOT_FOUND, "no such memory") : rc;
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
