/* Files of messages. The intake fetches them before the messages are processed. */
#include "app/account/channel_identity.h"
#include "app/channel/file_kind.h"
#include "app/channel/router_private.h"

struct finding {
    const struct incoming *in;
    struct arena *a;
    int64_t user; /* 0: a stranger */
};

static enum rc find_user(struct db *db, void *arg, struct err *e)
{
    struct finding *f = arg;
    return channel_identity_find(db, f->a, f->in->driver->name, f->in->u.sender, &f->user, e);
}

enum rc router_wants_files(struct router *r, const struct incoming *first, bool *wants, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct finding f = {.in = first, .a = a};
    enum rc rc = store_with_reader(r->set.store, find_user, &f, e);
    *wants = rc == RC_OK && f.user;
    return rc;
}

void router_leave_out(const struct router *r, struct channel_update *u)
{
    const struct file_kind *kind = file_kind(u->file.kind);
    if (!u->file.id || !kind->is_on || kind->is_on(r->set.config))
        return;
    u->file.id = NULL;
    u->left_out = kind->left_out;
}

int64_t router_voice_max(const struct router *r)
{
    return r->set.config->speech.max_seconds;
}

enum rc router_voice_request(
    const struct router *r, struct str audio, struct llm_transcribe *out, struct err *e)
{
    struct speech s;
    enum rc rc = speech_configured(r->set.config, r->set.providers, &s, e);
    return rc == RC_OK ? speech_request(&s, audio, NULL, out, e) : rc;
}

struct usage_row router_voice_usage(const struct router *r, const struct llm_transcript *t)
{
    struct speech s;
    if (speech_configured(r->set.config, r->set.providers, &s, NULL) != RC_OK)
        return (struct usage_row){0};
    return speech_usage(&s, t, clock_wall_ms());
}

struct checking {
    struct finding who;
    const struct speech *speech;
};

static enum rc check_budget(struct db *db, void *arg, struct err *e)
{
    struct checking *k = arg;
    const char *zone = NULL;
    enum rc rc = find_user(db, &k->who, e);
    if (rc == RC_OK && k->who.user)
        rc = store_user_time_zone(db, k->who.a, k->who.user, &zone, e);
    if (rc != RC_OK || !k->who.user)
        return rc;
    return speech_check_budget(
        k->speech, db, k->who.user, time_zone_load(k->who.a, zone), clock_wall_ms(), e);
}

enum rc router_check_voice(struct router *r, struct incoming *in, struct arena *a, struct err *e)
{
    struct speech s;
    struct checking k = {.who = {.in = in, .a = a}, .speech = &s};
    struct err why = ERR_INIT;
    if (speech_configured(r->set.config, r->set.providers, &s, NULL) != RC_OK)
        return RC_OK; /* the request says so */
    enum rc rc = store_with_reader(r->set.store, check_budget, &k, &why);
    if (rc != RC_BAD_INPUT)
        return rc == RC_OK ? rc : err_set(e, rc, "%s", why.text);
    in->file_problem = arena_strdup(a, err_stored(&why));
    return RC_OK;
}

enum rc route_count_voices(struct db *db, const struct route *c, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < c->n; i++)
        if (c->in[i]->voice.answers)
            rc = store_usage_add(db, c->user, &c->in[i]->voice, e);
    return rc;
}

size_t router_file_max(const struct router *r, enum channel_file_kind kind)
{
    return (size_t)file_kind(kind)->bytes_max(r->set.config);
}

enum rc router_take_file(
    struct router *r, struct incoming *in, struct arena *a, struct str data, int stop_fd, struct err *e)
{
    struct finding f = {.in = in, .a = a};
    struct err why = ERR_INIT;
    enum rc rc = store_with_reader(r->set.store, find_user, &f, e);
    if (rc != RC_OK || !f.user) /* unlinked meanwhile: the router tells a stranger */
        return rc;
    const struct file_taking t = {.store = r->set.store,
        .config = r->set.config,
        .a = a,
        .user = f.user,
        .file = &in->u.file,
        .data = data,
        .stop_fd = stop_fd};
    rc = file_kind(in->u.file.kind)->take(&t, &in->file, &why);
    if (rc == RC_TOO_BIG || rc == RC_UNSUPPORTED || rc == RC_CONFLICT) {
        in->file_problem = arena_strdup(a, err_stored(&why));
    } else if (rc == RC_NOT_FOUND) {
        in->u.file.id = NULL;
        in->u.left_out = "document";
    } else if (rc != RC_OK) {
        return err_set(e, rc, "a file of a message: %s", why.text);
    }
    return RC_OK;
}

const char *route_pictures(const struct route *c)
{
    const char *all = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const struct incoming *in = c->in[i];
        if (in->file.s && in->u.file.kind == CHANNEL_PICTURE)
            all = arena_printf(c->a, "%s%s%.*s", all ? all : "", all ? " " : "", STR_FMT(in->file));
    }
    return all;
}

static enum rc say_heard(struct db *db, const struct route *c, struct str words, struct err *e)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 3 * words.len + ERR_TEXT_MAX);
    strbuf_addf(&b, "%s\n", lang_text(c->lang, "channel.understood"));
    route_quote(&b, words);
    return route_post(db, c, strbuf_str(&b), ROUTE_SILENT, e);
}

enum rc route_say_voices(struct db *db, const struct route *c, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < c->n; i++)
        if (c->in[i]->file.s && c->in[i]->u.file.kind == CHANNEL_VOICE)
            rc = say_heard(db, c, c->in[i]->file, e);
    return rc;
}

static bool is_document(const struct incoming *in)
{
    return in->file.s && in->u.file.kind == CHANNEL_DOCUMENT;
}

struct str route_documents(const struct route *c)
{
    struct strbuf b;
    size_t cap = 0;
    for (size_t i = 0; i < c->n; i++)
        cap += is_document(c->in[i]) ? c->in[i]->file.len + 2 : 0;
    strbuf_init(&b, cap);
    for (size_t i = 0; i < c->n; i++) {
        if (!is_document(c->in[i]))
            continue;
        strbuf_adds(&b, b.len ? "\n\n" : "");
        strbuf_addstr(&b, c->in[i]->file);
    }
    struct str all = arena_str(c->a, strbuf_str(&b));
    strbuf_release(&b);
    return all;
}

const char *route_files_problem(const struct route *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->in[i]->file_problem)
            return c->in[i]->file_problem;
    return NULL;
}

enum rc route_say_files(struct db *db, const struct route *c, struct err *e)
{
    size_t n[CHANNEL_FILE_KINDS] = {0};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < c->n; i++)
        if (c->in[i]->u.file.id)
            n[c->in[i]->u.file.kind]++;
    for (int i = 0; rc == RC_OK && i < CHANNEL_FILE_KINDS; i++) {
        const struct file_kind *kind = file_kind((enum channel_file_kind)i);
        if (n[i] > kind->per_question)
            rc = route_say(db, c, kind->many,
                LANG_ARGS({"max", arena_printf(c->a, "%zu", kind->per_question)}), ROUTE_SILENT, e);
    }
    return rc;
}
