#include "app/suggestion/permission.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/utf8.h"

#define ARGUMENTS_ALL_MAX ((size_t)256 * 1024) /* bytes that are counted */

#define REFUSED                                                                                   \
    "The user refused this call, so it was not made. Do not call the tool again unless the user " \
    "asks for it."
#define NO_DECISION                                                                                     \
    "The user did not answer the question whether to allow this call, so it was not made. Say what it " \
    "would have done."

struct permission_client {
    struct awaited_client awaits;
    struct thread_pool *pool;
    struct store *store;
    struct loop_timer *timer;
    struct permission *first;
    bool looking, look_again;
    struct log_repeat errors;
};

void permission_want(struct permission *p, int64_t suggestion)
{
    p->asks = suggestion;
    p->awaited.wanted = true;
}

/* ---- the text of the question ---- */

static void add_argument(struct strbuf *out, const char *name, const json_t *value)
{
    AUTO_FREE char *json = json_is_string(value) ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    strbuf_addf(out, "%s%s: ", out->len ? ", " : "", name);
    if (json)
        strbuf_adds(out, json);
    else
        strbuf_add(out, json_string_value(value), json_string_length(value));
}

struct str permission_text(struct arena *a, const struct lang *l, const char *from, const json_t *args)
{
    AUTO_STRBUF all;
    const char *name;
    json_t *value;
    strbuf_init(&all, ARGUMENTS_ALL_MAX);
    json_object_foreach((json_t *)(uintptr_t)args, name, value)
    {
        add_argument(&all, name, value);
    }
    if (!all.len)
        return str_of(from);
    struct str head = utf8_head(strbuf_str(&all), PERMISSION_ARGUMENTS_MAX);
    struct str rest = str_from(strbuf_str(&all), head.len);
    const char *more = rest.len ? lang_count(a, l, "suggest.call_more", (int64_t)utf8_count(rest), NULL) : "";
    return str_of(arena_printf(a, "%s (%.*s%s)", from, STR_FMT(head), more));
}

/* ---- waiting, on the loop ---- */

static void take_out(struct permission_client *c, struct permission *p)
{
    *(p->prev ? &p->prev->next : &c->first) = p->next;
    if (p->next)
        p->next->prev = p->prev;
    p->prev = p->next = NULL;
}

/* The states in the store of the questions that waited when the look began. */
struct look {
    struct permission_client *client;
    struct look_at {
        int64_t owner, asks;
        enum rc rc; /* RC_NOT_FOUND: it has lapsed, or was deleted */
        enum suggestion_state state;
    } * at;
    size_t n;
};

static enum rc read_tx(struct db *db, void *arg, struct err *e)
{
    const struct look *l = arg;
    for (size_t i = 0; i < l->n; i++) {
        AUTO(arena) a = arena_new();
        struct look_at *at = &l->at[i];
        struct suggestion s;
        at->rc = store_suggestion_get(db, a, at->owner, at->asks, clock_wall_ms(), &s, e);
        if (at->rc != RC_OK && at->rc != RC_NOT_FOUND)
            return at->rc;
        at->state = at->rc == RC_OK ? s.state : SUGGESTION_OPEN;
    }
    return RC_OK;
}

static void read_states(void *arg)
{
    struct look *l = arg;
    struct err e = ERR_INIT;
    struct log_repeat *errors = &l->client->errors;
    if (store_with_reader(l->client->store, read_tx, l, &e) == RC_OK) {
        log_repeat_end(errors, "reading the questions that calls wait for");
        return;
    }
    log_repeat(errors, LOG_WARN, "questions that calls wait for cannot be read, tried again: %s", e.text);
    l->n = 0;
}

static void take_state(struct permission_client *c, const struct look_at *at)
{
    struct permission *p = c->first;
    while (p && p->asks != at->asks)
        p = p->next;
    if (!p || (at->rc == RC_OK && at->state == SUGGESTION_OPEN))
        return;
    take_out(c, p);
    if (at->rc == RC_NOT_FOUND)
        awaited_fail(&p->awaited, RC_TIMEOUT, NO_DECISION);
    else if (at->state == SUGGESTION_DONE)
        awaited_end(&p->awaited, RC_OK);
    else
        awaited_fail(&p->awaited, RC_FORBIDDEN, REFUSED);
}

static void states_read(void *arg)
{
    struct look *l = arg;
    struct permission_client *c = l->client;
    c->looking = false;
    for (size_t i = 0; i < l->n; i++)
        take_state(c, &l->at[i]);
    free(l->at);
    free(l);
    if (c->look_again)
        permission_look(&c->awaits);
    else if (c->first)
        loop_timer_set(c->timer, PERMISSION_LOOK_MS);
}

void permission_look(struct awaited_client *a)
{
    struct permission_client *c = (struct permission_client *)a;
    c->look_again = c->looking;
    if (c->looking || !c->first)
        return;
    struct look *l = xcalloc(1, sizeof *l);
    l->client = c;
    l->at = xcalloc(PERMISSIONS_MAX, sizeof *l->at);
    for (struct permission *p = c->first; p; p = p->next)
        l->at[l->n++] = (struct look_at){.owner = p->awaited.owner, .asks = p->asks};
    c->looking = true;
    thread_pool_submit(c->pool, read_states, states_read, l);
}

static void on_timer(void *arg)
{
    permission_look(arg);
}

/* The user may have decided before the wait begins. */
static void start(struct awaited *w)
{
    struct permission *p = (struct permission *)w;
    struct permission_client *c = (struct permission_client *)w->client;
    p->next = c->first;
    if (c->first)
        c->first->prev = p;
    c->first = p;
    permission_look(&c->awaits);
}

static void cancel(struct awaited *w)
{
    take_out((struct permission_client *)w->client, (struct permission *)w);
    awaited_fail(w, RC_CANCELLED, AWAITED_STOPPED);
}

static void free_client(struct awaited_client *a)
{
    struct permission_client *c = (struct permission_client *)a;
    loop_timer_free(c->timer);
    free(c);
}

struct awaited_client *permission_client_new(struct loop *l, struct thread_pool *pool, struct store *s)
{
    struct permission_client *c = xcalloc(1, sizeof *c);
    *c = (struct permission_client){
        .awaits = {.loop = l,
            .running = {.max = PERMISSIONS_MAX, .max_per_user = PERMISSIONS_PER_USER},
            .busy = "Too many calls wait for the user's permission. Try again later.",
            .start = start,
            .cancel = cancel,
            .free = free_client},
        .pool = pool,
        .store = s};
    c->timer = loop_timer_new(l, on_timer, c);
    return &c->awaits;
}
