#include "app/transfer/import.h"

#include "app/transfer/import_private.h"
#include "base/clock.h"
#include "codec/json_stream.h"

#define UNPACKED_TIMES    8                /* of [limits] import_bytes: so much may a packed file become */
#define PEEK              ((size_t)4096)   /* of a value, to see what it is and to count */
#define CONVERSATIONS_MAX INT64_C(1000000) /* of one file */
#define FACTS_AT_ONCE     200              /* in one transaction */
/* Of one file, without a session. They come last and there is no place to go on from among them, so they must
 * fit into one job: more than a user may have. */
#define FACTS_MAX ((size_t)5000)

static const char *const alfred = "alfred", *const chatgpt = "chatgpt", *const openwebui = "openwebui";

struct import {
    const struct import_args *x;
    struct transfer *t;
    int64_t seen; /* conversations that were passed in this call; those up to `start` are in the store */
    int64_t start;
    bool ours, first, paused;
    struct import_conversation *c; /* ours: the one being read; NULL: none, or it is passed over */
    struct arena *a;               /* of it */
    bool unreadable;               /* ours: something of it was */
    struct arena *facts_a;         /* ours: what has no session and is not written yet */
    struct import_extra facts[FACTS_AT_ONCE];
    size_t facts_n, facts_seen;
};

/* Reads the file through the splitter. RC_CANCELLED from `fn` is a proper end. */
static enum rc each_value(const struct import *im, size_t cap, split_fn *fn, void *arg, struct err *e)
{
    AUTO(import_file) file = NULL;
    AUTO(split) split = split_new(cap, fn, arg);
    struct str piece = {"", 1};
    enum rc rc = import_file_open(im->x->path, im->x->config->limits.import_bytes * UNPACKED_TIMES, &file, e);
    if (rc == RC_NOT_FOUND) /* of the row it would say that somebody deleted the import */
        return err_say(e, RC_BAD_INPUT, "The file is not there any more. Please send it again.");
    while (rc == RC_OK && piece.len > 0) {
        rc = import_file_read(file, &piece, e);
        if (rc == RC_OK && piece.len)
            rc = split_feed(split, piece, e);
    }
    return rc == RC_OK ? split_end(split, e) : rc;
}

/* ---- the first look: what it is, and how much ---- */

struct look {
    struct import *im;
    int64_t n;
};

static enum rc count_value(void *arg, struct str value, bool too_big, struct err *e)
{
    struct look *l = arg;
    (void)too_big;
    if (l->n == 0 && import_begins_ours(value)) {
        AUTO(json_t) v = NULL;
        l->im->t->format = alfred;
        enum rc rc = json_parse(value, PEEK, &v, e);
        if (rc == RC_OK)
            rc = import_header(v, &l->n, e);
        return rc == RC_OK ? err_set(e, RC_CANCELLED, "the header says it all") : rc;
    }
    if (++l->n > CONVERSATIONS_MAX)
        return err_say(
            e, RC_TOO_BIG, "The file holds more than %lld conversations.", (long long)CONVERSATIONS_MAX);
    return RC_OK;
}

static enum rc progress_tx(struct db *db, void *arg, struct err *e)
{
    return store_transfer_progress(db, arg, e);
}

static enum rc look(struct import *im, struct err *e)
{
    struct look l = {.im = im};
    struct err why = ERR_INIT;
    enum rc rc = each_value(im, PEEK, count_value, &l, &why);
    bool ours = im->t->format == alfred;
    if (rc != RC_OK && rc != RC_CANCELLED) {
        *e = why;
        return rc;
    }
    if (l.n == 0 && !ours)
        return err_say(e, RC_BAD_INPUT, "There are no conversations in this file.");
    im->t->total = l.n;
    return im->t->id ? store_write(im->x->store, progress_tx, im->t, e) : RC_OK;
}

/* ---- one conversation ---- */

/* After it: is that enough for now? */
static enum rc passed(struct import *im, struct err *e)
{
    if (im->x->progress)
        im->x->progress(im->x->arg, im->t);
    im->paused = im->x->pause && im->x->pause(im->x->arg);
    return im->paused ? err_set(e, RC_CANCELLED, "paused") : RC_OK;
}

/* `c` NULL: the facts that wait. */
static enum rc write_one(struct import *im, struct import_conversation *c, struct err *e)
{
    struct transfer before = *im->t;
    struct import_save save = {
        .config = im->x->config, .t = im->t, .c = c, .facts = im->facts, .now = clock_wall_ms()};
    save.facts_n = c ? 0 : im->facts_n;
    enum rc rc = store_write(im->x->store, import_save_tx, &save, e);
    if (rc != RC_OK)
        *im->t = before;
    return rc;
}

static enum rc skip(struct import *im, struct err *e)
{
    im->t->skipped++;
    enum rc rc = im->t->id ? store_write(im->x->store, progress_tx, im->t, e) : RC_OK;
    if (rc != RC_OK)
        im->t->skipped--;
    return rc == RC_OK ? passed(im, e) : rc;
}

static enum rc parse(struct import *im, struct import_conversation *c, struct str value, struct err *e)
{
    AUTO(json_t) v = NULL;
    enum rc rc = json_parse_large(value, IMPORT_VALUE_MAX, IMPORT_CONTAINERS_MAX, &v, e);
    if (rc != RC_OK)
        return rc;
    bool theirs = import_is_chatgpt(v), webui = !theirs && import_is_openwebui(v);
    if (!theirs && !webui)
        return err_set(e, RC_BAD_INPUT, "no conversation that is known");
    im->t->format = theirs ? chatgpt : openwebui;
    return theirs ? import_chatgpt(c, v, e) : import_openwebui(c, v, e);
}

static enum rc foreign_value(struct import *im, struct str value, bool too_big, struct err *e)
{
    if (im->seen++ < im->start)
        return RC_OK;
    AUTO(arena) a = arena_new();
    struct import_conversation c = {.a = a};
    if (too_big || parse(im, &c, value, NULL) != RC_OK)
        return skip(im, e);
    import_tree(&c);
    enum rc rc = write_one(im, &c, e);
    return rc == RC_OK ? passed(im, e) : rc;
}

/* ---- ours: many records to a conversation ---- */

static enum rc end_session(struct import *im, struct err *e)
{
    struct import_conversation *c = im->c;
    bool unreadable = im->unreadable;
    enum rc rc;
    if (!c)
        return RC_OK;
    im->c = NULL;
    im->unreadable = false;
    if (!unreadable) {
        import_tree(c);
        rc = write_one(im, c, e);
        rc = rc == RC_OK ? passed(im, e) : rc;
    } else {
        rc = skip(im, e);
    }
    arena_free(im->a);
    im->a = NULL;
    return rc;
}

static enum rc begin_session(struct import *im, const json_t *v, struct err *e)
{
    enum rc rc = end_session(im, e);
    if (rc != RC_OK || im->seen++ < im->start)
        return rc;
    im->a = arena_new();
    im->c = ARENA_NEW(im->a, struct import_conversation);
    im->c->a = im->a;
    im->unreadable = !v || import_session(im->c, v, NULL) != RC_OK;
    return RC_OK;
}

static enum rc write_facts(struct import *im, struct err *e)
{
    enum rc rc = im->facts_n ? write_one(im, NULL, e) : RC_OK;
    arena_free(im->facts_a);
    im->facts_a = NULL;
    im->facts_n = 0;
    return rc;
}

static enum rc add_fact(struct import *im, const json_t *v, struct err *e)
{
    enum rc rc = end_session(im, e);
    if (rc != RC_OK || im->facts_seen++ >= FACTS_MAX)
        return rc;
    im->facts_a = im->facts_a ? im->facts_a : arena_new();
    if (import_fact(im->facts_a, v, &im->facts[im->facts_n], NULL) == RC_OK)
        im->facts_n++;
    return im->facts_n == FACTS_AT_ONCE ? write_facts(im, e) : RC_OK;
}

static enum rc our_value(struct import *im, struct str value, bool too_big, struct err *e)
{
    /* What is in the store already need not be parsed. */
    if (!im->c && im->seen < im->start && import_begins_session(value))
        return begin_session(im, NULL, e);
    AUTO(json_t) v = NULL;
    bool readable =
        !too_big && json_parse_large(value, IMPORT_VALUE_MAX, IMPORT_CONTAINERS_MAX, &v, NULL) == RC_OK;
    if (!readable && import_begins_session(value))
        return begin_session(im, NULL, e);
    if (!readable) {
        im->unreadable = true; /* better no session than one with a hole */
        return RC_OK;
    }
    switch (import_record_of(v)) {
    case RECORD_SESSION: return begin_session(im, v, e);
    case RECORD_PART:
        if (im->c && import_part(im->c, v, NULL) != RC_OK)
            im->unreadable = true;
        return RC_OK;
    case RECORD_FACT: return add_fact(im, v, e);
    case RECORD_HEADER:
    case RECORD_OTHER: return RC_OK; /* of a later version that can be read by this one */
    }
    return RC_OK;
}

/* ---- all of it ---- */

static enum rc on_value(void *arg, struct str value, bool too_big, struct err *e)
{
    struct import *im = arg;
    return im->ours ? our_value(im, value, too_big, e) : foreign_value(im, value, too_big, e);
}

/* A row's word is of the row's arena. */
static const char *constant_format(const char *word)
{
    const char *const known[] = {alfred, chatgpt, openwebui};
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (word && strcmp(word, known[i]) == 0)
            return known[i];
    return "";
}

enum rc import_run(const struct import_args *x, struct transfer *t, bool *whole, struct err *e)
{
    struct import im = {.x = x, .t = t, .start = t->done + t->skipped};
    t->format = constant_format(t->format);
    *whole = false;
    enum rc rc = t->total ? RC_OK : look(&im, e);
    if (rc != RC_OK)
        return rc;
    im.ours = t->format == alfred;
    struct err why = ERR_INIT;
    rc = each_value(&im, IMPORT_VALUE_MAX, on_value, &im, &why);
    if (rc == RC_OK)
        rc = end_session(&im, &why);
    if (rc == RC_OK)
        rc = write_facts(&im, &why);
    arena_free(im.a);
    arena_free(im.facts_a);
    if (im.paused)
        return RC_OK;
    if (rc != RC_OK) {
        if (e)
            *e = why;
        return rc;
    }
    *whole = true;
    if (!im.ours && t->done + t->known == 0)
        return err_say(e, RC_BAD_INPUT,
            "No conversation of this file could be read. It is neither an export of Alfred's nor of "
            "ChatGPT's or "
            "Open WebUI's.");
    return RC_OK;
}

const char *import_result_words(struct arena *a, const struct transfer *t)
{
    long long done = (long long)t->done, known = (long long)t->known, facts = (long long)t->facts;
    long long lost = (long long)(t->skipped - t->known);
    const char *words = arena_printf(a, "%lld %s", done, done == 1 ? "conversation" : "conversations");
    if (facts)
        words = arena_printf(a, "%s, %lld %s", words, facts, facts == 1 ? "fact or task" : "facts and tasks");
    if (t->skipped)
        words = arena_printf(a, "%s, %lld skipped: ", words, (long long)t->skipped);
    if (known)
        words = arena_printf(
            a, "%s%lld %s here before%s", words, known, known == 1 ? "was" : "were", lost ? ", " : "");
    if (lost)
        words = arena_printf(a, "%s%lld could not be read or held nothing", words, lost);
    return words;
}
