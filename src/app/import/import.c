#include "app/import/import.h"

#include <sys/stat.h>

#include "app/import/file/import_file.h"
#include "app/import/import_private.h"
#include "app/jobs/mass.h"
#include "base/clock.h"
#include "codec/json/json_repair.h"
#include "codec/json/json_stream.h"

#define PEEK              ((size_t)4096)   /* bytes of a value, to detect its format and to count */
#define CONVERSATIONS_MAX INT64_C(1000000) /* conversations of one file */
#define PASS_MAX          ((int64_t)256 * 1024 * 1024) /* bytes of a value that is skipped */
#define FACTS_AT_ONCE     200                          /* collected before they are written */
#define LOOSE_FACTS_MAX   INT64_C(5000) /* facts of one file outside of sessions; a user may have fewer */
#define SAVE_EVERY_MS     500           /* while values are skipped */
#define MERGE_EVERY_MS    500           /* merges of the text index */

static const char *const alfred = "alfred", *const chatgpt = "chatgpt", *const openwebui = "openwebui",
                         *const claude = "claude", *const librechat = "librechat";

struct import {
    const struct import_args *x;
    struct transfer *t;
    struct json_stream *stream;
    int64_t from, read; /* bytes of the file: start of this run, and current position */
    int64_t saved_at;   /* monotonic; the same for merged_at */
    int64_t merged_at;
    struct mass mass;
    bool ours, paused, decided;
    const char *refused;           /* the sentence about a file of a known kind that has no conversations */
    struct import_known *known;    /* loaded at the first use */
    struct import_conversation *c; /* our format: the session being read; NULL: none, or it is skipped */
    struct arena *a;               /* memory of that conversation */
    struct import_pictures pictures;
    struct arena *facts_a; /* our format: facts that are not in a session and not written yet */
    struct import_extra facts[FACTS_AT_ONCE];
    size_t facts_n;
};

/* ---- reading ---- */

static enum rc open_file(const struct import *im, struct import_file **out, struct err *e)
{
    struct stat st;
    int64_t most = (int64_t)CONFIG_UNPACKED_MB * 1024 * 1024;
    if (stat(im->x->path, &st) == 0 && st.st_size > most / CONFIG_UNPACKED_TIMES)
        most = (int64_t)st.st_size * CONFIG_UNPACKED_TIMES;
    enum rc rc = import_file_open(im->x->path, most, out, e);
    if (rc == RC_NOT_FOUND) /* RC_NOT_FOUND would mean that the import's row was deleted */
        return err_say(e, RC_BAD_INPUT, "import.file_gone");
    return rc == RC_OK ? import_file_skip(*out, im->t->position, e) : rc;
}

static enum rc pause_here(struct import *im, struct err *e)
{
    im->paused = true;
    return err_set(e, RC_CANCELLED, "paused");
}

/* Between two pieces, and only after this run has advanced, so that each run makes progress. */
static enum rc may_pause(struct import *im, struct err *e)
{
    bool held = im->c || im->facts_n;
    if (held || im->t->position <= im->from || !im->x->pause || !im->x->pause(im->x->arg))
        return RC_OK;
    return pause_here(im, e);
}

static enum rc feed_all(struct import *im, struct import_file *file, struct err *e)
{
    struct str piece = {"", 1};
    enum rc rc = RC_OK;
    while (rc == RC_OK && piece.len > 0) {
        rc = import_file_read(file, &piece, e);
        im->read += (int64_t)piece.len;
        if (rc == RC_OK && im->read - json_stream_place(im->stream).end > PASS_MAX)
            return err_say(e, RC_TOO_BIG, "import.part_too_big", arg_limit("max", PASS_MAX));
        if (rc == RC_OK && piece.len)
            rc = json_stream_feed(im->stream, piece, e);
        if (rc == RC_OK && piece.len)
            rc = may_pause(im, e);
    }
    return rc == RC_OK ? json_stream_end(im->stream, e) : rc;
}

/* Reads the values of the file from t->position on. */
static enum rc each_value(struct import *im, size_t cap, json_stream_fn *fn, struct err *e)
{
    AUTO(import_file) file = NULL;
    AUTO(json_stream) stream = json_stream_new(cap, fn, im);
    enum rc rc = open_file(im, &file, e);
    if (rc != RC_OK)
        return rc;
    json_stream_resume(stream, im->t->position, im->t->in_list);
    if (im->ours)
        json_stream_records(stream);
    else
        json_stream_without_data(stream);
    if (!im->ours && im->t->counted < 0)
        json_stream_data(stream, import_pictures_take, &im->pictures);
    im->pictures.zip = import_file_pictures(file);
    im->stream = stream;
    im->from = im->read = im->t->position;
    rc = feed_all(im, file, e);
    im->stream = NULL;
    im->pictures.zip = NULL;
    return rc;
}

/* The next run begins after the current value. */
static void stand_behind(struct import *im)
{
    struct json_stream_place at = json_stream_place(im->stream);
    im->t->position = at.end;
    im->t->in_list = at.in_list;
}

/* ---- progress ---- */

static enum rc progress_tx(struct db *db, void *arg, struct err *e)
{
    return store_transfer_progress(db, arg, e);
}

static enum rc save_progress(struct import *im, struct err *e)
{
    im->saved_at = clock_mono_ms();
    return im->t->id ? store_write(im->x->store, progress_tx, im->t, e) : RC_OK;
}

/* ---- first pass: format and number of conversations ---- */

static enum rc count_value(void *arg, struct str value, bool too_big, struct err *e)
{
    struct import *im = arg;
    struct transfer *t = im->t;
    (void)too_big;
    if (t->counted == 0 && import_begins_ours(value)) {
        AUTO(json_t) v = NULL;
        enum rc rc = json_parse(value, PEEK, &v, e);
        if (rc == RC_OK)
            rc = import_header(v, &t->counted, e);
        if (rc != RC_OK)
            return rc;
        t->format = alfred;
        im->decided = true;
        return err_set(e, RC_CANCELLED, "the header has the counts; the rest is not read");
    }
    if (++t->counted > CONVERSATIONS_MAX)
        return err_say(e, RC_TOO_BIG, "import.too_many", arg_int("max", CONVERSATIONS_MAX));
    stand_behind(im);
    return RC_OK;
}

static enum rc look(struct import *im, struct err *e)
{
    struct transfer *t = im->t;
    enum rc rc = each_value(im, PEEK, count_value, e);
    if (rc != RC_OK && !im->decided)
        return rc;
    if (t->counted == 0 && t->format != alfred)
        return err_say(e, RC_BAD_INPUT, "import.nothing");
    t->total = t->counted;
    t->counted = -1;
    t->position = 0;
    t->in_list = false;
    return save_progress(im, e);
}

/* ---- one conversation ---- */

/* After a conversation: RC_CANCELLED when the call ends for now. */
static enum rc passed(struct import *im, struct err *e)
{
    if (im->x->progress)
        im->x->progress(im->x->arg, im->t);
    return im->x->pause && im->x->pause(im->x->arg) ? pause_here(im, e) : RC_OK;
}

/* Writes all slices. `save` has the position after them. */
static enum rc write_all(struct import *im, struct import_save *save, struct err *e)
{
    enum rc rc = RC_OK;
    save->write_ms = im->x->write_ms ? im->x->write_ms : MASS_STEP_MS;
    do {
        struct transfer before = *im->t;
        rc = im->t->id ? mass_step(&im->mass, import_save_tx, save, e)
                       : store_write(im->x->store, import_save_tx, save, e); /* no job would repeat it */
        if (rc != RC_OK)
            *im->t = before;
        save->facts_from = save->facts_done;
        im->saved_at = clock_mono_ms();
        if (rc == RC_OK && im->t->id && clock_mono_ms() - im->merged_at >= MERGE_EVERY_MS) {
            rc = mass_merge(&im->mass, e);
            im->merged_at = clock_mono_ms();
        }
        /* Facts outside of sessions are counted when all collected ones are stored. */
        if (rc == RC_OK && save->more && save->c)
            rc = passed(im, e);
    } while (rc == RC_OK && save->more);
    return rc;
}

static enum rc skip(struct import *im, struct err *e)
{
    im->t->skipped++;
    enum rc rc = clock_mono_ms() - im->saved_at >= SAVE_EVERY_MS ? save_progress(im, e) : RC_OK;
    return rc == RC_OK ? passed(im, e) : rc;
}

/* Removes known facts, outside of the transaction. */
static enum rc choose(
    struct import *im, struct arena *a, struct import_extra *x, size_t n, int64_t now, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        if (x[i].kind >= EXTRA_MEMORY && !im->known)
            rc = import_known_load(im->x->store, im->t->owner, now, &im->known, e);
        x[i].skip = rc == RC_OK && !import_known_takes(im->known, a, &x[i], now);
    }
    return rc;
}

/* `*news`: NEWS_NONE also for a conversation that is not known. */
static enum rc look_up(
    struct import *im, struct import_conversation *c, bool *known, enum import_news *news, struct err *e)
{
    struct db *db = store_read(im->x->store);
    enum rc rc = import_is_whole(db, im->t->owner, c, known, e);
    *news = NEWS_NONE;
    if (rc == RC_OK && *known)
        rc = import_news(db, im->t->owner, c, news, e);
    store_read_done(im->x->store, db);
    return rc;
}

/* `at`: position after the conversation. */
static enum rc write_one(
    struct import *im, struct import_conversation *c, int64_t at, bool in_list, struct err *e)
{
    struct import_save save = {
        .t = im->t, .c = c, .position = at, .in_list = in_list, .now = clock_wall_ms()};
    bool known = false;
    enum import_news news;
    import_tree(c);
    import_prepare(c, save.now);
    enum rc rc = look_up(im, c, &known, &news, e);
    if (rc != RC_OK)
        return rc;
    save.grows = news == NEWS_MORE;
    if (known && !save.grows) {
        im->t->known += news == NEWS_NONE;
        im->t->changed += news == NEWS_CHANGED;
        im->t->position = at;
        im->t->in_list = in_list;
        return skip(im, e);
    }
    rc = choose(im, c->a, c->extras, c->extras_n, save.now, e);
    save.known = im->known;
    if (rc == RC_OK)
        rc = write_all(im, &save, e);
    return rc == RC_OK ? passed(im, e) : rc;
}

static const struct {
    const char *const *name;
    bool (*is)(const json_t *v);
    enum rc (*read)(struct import_conversation *c, const json_t *v, struct err *e);
    bool nests; /* beyond IMPORT_LIMITS */
} formats[] = {
    {&chatgpt, import_is_chatgpt, import_chatgpt, false},
    {&claude, import_is_claude, import_claude, false},
    {&openwebui, import_is_openwebui, import_openwebui, false},
    {&librechat, import_is_librechat, import_librechat, true},
};

/* Exports of other services have escapes of NUL, single surrogates and bytes that are not UTF-8. */
static enum rc parse_foreign(struct str value, struct json_limits most, json_t **out, struct err *e)
{
    enum rc rc = json_parse_within(value, IMPORT_VALUE_MAX, most, out, NULL);
    if (rc != RC_BAD_INPUT)
        return rc;
    AUTO_STRBUF repaired;
    strbuf_init(&repaired, IMPORT_VALUE_MAX);
    json_repair(&repaired, value);
    if (repaired.failed)
        return err_set(e, RC_TOO_BIG, "a repaired conversation");
    return json_parse_within(strbuf_str(&repaired), IMPORT_VALUE_MAX, most, out, e);
}

static enum rc parse(struct import *im, struct import_conversation *c, struct str value, struct err *e)
{
    AUTO(json_t) v = NULL;
    enum rc rc = parse_foreign(value, IMPORT_LIMITS, &v, e);
    bool nested = rc == RC_TOO_BIG;
    if (nested)
        rc = parse_foreign(value, IMPORT_NESTED_LIMITS, &v, e);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (formats[i].is(v) && (formats[i].nests || !nested)) {
            im->t->format = *formats[i].name;
            return formats[i].read(c, v, e);
        }
    if (im->t->done + im->t->skipped == 0)
        im->refused = import_other_claude(v);
    return err_set(e, RC_BAD_INPUT, "not a known format of conversation");
}

static enum rc foreign_value(struct import *im, struct str value, bool too_big, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct import_conversation c = {.a = a, .pictures = &im->pictures};
    struct json_stream_place at = json_stream_place(im->stream);
    bool readable = !too_big && parse(im, &c, value, NULL) == RC_OK;
    if (im->pictures.failed == RC_UNAVAILABLE)
        return err_say(e, RC_UNAVAILABLE, "error.disk_full");
    if (im->pictures.failed != RC_OK)
        return err_set(e, im->pictures.failed, "the pictures of a conversation cannot be kept");
    if (readable)
        return write_one(im, &c, at.end, at.in_list, e);
    if (im->refused)
        return err_say(e, RC_BAD_INPUT, im->refused);
    stand_behind(im);
    return skip(im, e);
}

/* ---- our format: many records per conversation ---- */

static void drop_session(struct import *im)
{
    arena_free(im->a);
    im->a = NULL;
    im->c = NULL;
    import_pictures_clear(&im->pictures);
}

/* `at`: position after the session. */
static enum rc end_session(struct import *im, int64_t at, bool in_list, struct err *e)
{
    if (!im->c)
        return RC_OK;
    enum rc rc = write_one(im, im->c, at, in_list, e);
    drop_session(im);
    return rc;
}

/* `at`: position after the collected facts. */
static enum rc write_facts(struct import *im, int64_t at, bool in_list, struct err *e)
{
    if (!im->facts_n)
        return RC_OK;
    struct import_save save = {.t = im->t,
        .facts = im->facts,
        .facts_n = im->facts_n,
        .position = at,
        .in_list = in_list,
        .now = clock_wall_ms()};
    enum rc rc = choose(im, im->facts_a, im->facts, im->facts_n, save.now, e);
    save.known = im->known;
    if (rc == RC_OK)
        rc = write_all(im, &save, e);
    arena_free(im->facts_a);
    im->facts_a = NULL;
    im->facts_n = 0;
    return rc;
}

static enum rc end_all(struct import *im, int64_t at, bool in_list, struct err *e)
{
    enum rc rc = end_session(im, at, in_list, e);
    return rc == RC_OK ? write_facts(im, at, in_list, e) : rc;
}

/* A session with a missing record is dropped; its other records are skipped. */
static enum rc skip_session(struct import *im, struct err *e)
{
    drop_session(im);
    stand_behind(im);
    return skip(im, e);
}

static enum rc begin_session(struct import *im, const json_t *v, struct err *e)
{
    struct json_stream_place at = json_stream_place(im->stream);
    enum rc rc = end_all(im, at.begin, at.in_list, e);
    if (rc != RC_OK)
        return rc;
    im->a = arena_new();
    im->c = ARENA_NEW(im->a, struct import_conversation);
    im->c->a = im->a;
    im->c->pictures = &im->pictures;
    return v && import_session(im->c, v, NULL) == RC_OK ? RC_OK : skip_session(im, e);
}

static enum rc add_fact(struct import *im, const json_t *v, struct err *e)
{
    struct json_stream_place at = json_stream_place(im->stream);
    enum rc rc = end_session(im, at.begin, at.in_list, e);
    if (rc != RC_OK || im->t->loose_facts + (int64_t)im->facts_n >= LOOSE_FACTS_MAX)
        return rc;
    im->facts_a = im->facts_a ? im->facts_a : arena_new();
    if (import_fact(im->facts_a, v, &im->facts[im->facts_n], NULL) == RC_OK)
        im->facts_n++;
    return im->facts_n == FACTS_AT_ONCE ? write_facts(im, at.end, at.in_list, e) : RC_OK;
}

static enum rc add_part(struct import *im, const json_t *v, struct err *e)
{
    enum rc rc = im->c ? import_part(im->c, v, e) : RC_OK;
    return rc == RC_BAD_INPUT || rc == RC_TOO_BIG ? skip_session(im, e) : rc;
}

static enum rc our_record(struct import *im, struct str value, bool too_big, struct err *e)
{
    AUTO(json_t) v = NULL;
    bool readable = !too_big && json_parse_within(value, IMPORT_VALUE_MAX, IMPORT_LIMITS, &v, NULL) == RC_OK;
    if (!readable && import_begins_session(value))
        return begin_session(im, NULL, e);
    if (!readable)
        return im->c ? skip_session(im, e) : RC_OK;
    switch (import_record_of(v)) {
    case RECORD_SESSION: return begin_session(im, v, e);
    case RECORD_PART: return add_part(im, v, e);
    case RECORD_PERSONAL: return import_personal(im->x->store, im->t->owner, v, e);
    case RECORD_FACT: return add_fact(im, v, e);
    case RECORD_HEADER:
    case RECORD_OTHER: return RC_OK; /* a record of a later format version */
    }
    return RC_OK;
}

static enum rc our_value(struct import *im, struct str value, bool too_big, struct err *e)
{
    enum rc rc = our_record(im, value, too_big, e);
    if (rc == RC_OK && !im->c && !im->facts_n)
        stand_behind(im);
    return rc;
}

/* ---- the whole import ---- */

static enum rc on_value(void *arg, struct str value, bool too_big, struct err *e)
{
    struct import *im = arg;
    if (im->ours)
        return our_value(im, value, too_big, e);
    enum rc rc = foreign_value(im, value, too_big, e);
    import_pictures_clear(&im->pictures);
    return rc;
}

/* The constant for a format's name, which lives in the row's arena. */
static const char *constant_format(const char *word)
{
    const char *const known[] = {alfred, chatgpt, claude, librechat, openwebui};
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (word && strcmp(word, known[i]) == 0)
            return known[i];
    return "";
}

static enum rc run(struct import *im, struct err *e)
{
    enum rc rc = im->t->counted < 0 ? RC_OK : look(im, e);
    if (rc != RC_OK)
        return rc;
    im->ours = im->t->format == alfred;
    rc = each_value(im, IMPORT_VALUE_MAX, on_value, e);
    if (rc != RC_OK || !im->ours)
        return rc;
    return end_all(im, im->read, false, e);
}

enum rc import_run(const struct import_args *x, struct transfer *t, bool *whole, struct err *e)
{
    struct import im = {.x = x,
        .t = t,
        .saved_at = clock_mono_ms(),
        .merged_at = clock_mono_ms(),
        .mass = {.store = x->store},
        .pictures = {.config = x->config, .fd = -1}};
    t->format = constant_format(t->format);
    *whole = false;
    enum rc rc = run(&im, e);
    drop_session(&im);
    arena_free(im.facts_a);
    import_known_free(im.known);
    if (im.paused)
        return save_progress(&im, e);
    if (rc != RC_OK)
        return rc;
    *whole = true;
    if (!im.ours && t->done + t->known + t->changed == 0)
        return err_say(e, RC_BAD_INPUT, "import.unknown");
    return RC_OK;
}
