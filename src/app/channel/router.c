#include "app/channel/router_private.h"

#include <stdlib.h>

#include "app/account/channel_identity.h"
#include "app/account/settings.h"
#include "app/command/command.h"
#include "app/delivery/outbox.h"
#include "app/jobs/helper_notify.h"
#include "app/turn/turn_order.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/channel/follow.h"
#include "store/session/session.h"

#define NOT_UNDERSTOOD "not understood"

struct router *router_new(const struct router_setup *s)
{
    struct router *r = xcalloc(1, sizeof *r);
    r->set = *s;
    strangers_init(&r->strangers);
    return r;
}

void router_free(struct router *r)
{
    if (!r)
        return;
    strangers_release(&r->strangers);
    free(r);
}

/* ---- what the others share ---- */

static const struct lang *language_of(struct db *db, const struct route *c)
{
    const struct channel_update *u = route_update(c);
    const struct lang *l = c->user ? settings_lang_chosen(db, c->user) : NULL;
    if (!l && u->language)
        l = lang_accepted(u->language);
    return l ? l : lang_english();
}

/* Stores what the update shows about the chat. */
static enum rc note_chat(struct db *db, const struct route *c, struct err *e)
{
    const struct channel_update *u = route_update(c);
    enum rc rc = RC_OK;
    if (c->chat.paused_at) /* a person who writes can be sent messages again */
        rc = store_channel_chat_pause(db, c->chat.channel, u->place.chat, 0, e);
    if (rc == RC_OK && strcmp(c->chat.sender, u->sender) != 0)
        rc = store_channel_chat_set_sender(db, c->chat.id, u->sender, e);
    return rc;
}

enum rc route_person(struct db *db, struct route *c, struct err *e)
{
    const struct channel_update *u = route_update(c);
    const char *channel = c->in[0]->driver->name;
    c->user = 0;
    c->chat = (struct channel_chat){0};
    enum rc rc = u->sender[0] ? channel_identity_find(db, c->a, channel, u->sender, &c->user, e) : RC_OK;
    if (rc != RC_OK)
        return rc;
    c->lang = language_of(db, c);
    if (!c->user)
        return RC_OK;
    if (u->language && (rc = store_channel_identity_speaks(db, channel, u->sender, u->language, e)) != RC_OK)
        return rc;
    rc = store_channel_chat_find(db, c->a, channel, u->place.chat, u->place.thread, c->user, &c->chat, e);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    return rc == RC_OK ? note_chat(db, c, e) : rc;
}

enum rc route_person_and_chat(struct db *db, struct route *c, struct err *e)
{
    const struct channel_update *u = route_update(c);
    enum rc rc = route_person(db, c, e);
    if (rc != RC_OK || !c->user || c->chat.id)
        return rc;
    c->chat = (struct channel_chat){.owner = c->user,
        .channel = c->in[0]->driver->name,
        .chat = u->place.chat,
        .thread = u->place.thread,
        .grouped = u->group,
        .sender = u->sender};
    return store_channel_chat_add(db, &c->chat, c->now, &c->chat.id, e);
}

enum rc route_done(struct db *db, const struct route *c, const char *error, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < c->n; i++)
        rc = store_inbox_done(db, c->in[i]->row.id, error, e);
    return rc;
}

enum rc route_post(
    struct db *db, const struct route *c, struct str markdown, enum route_sound sound, struct err *e)
{
    const struct outbox_post p = {
        .chat_id = c->chat.id, .markdown = markdown, .silent = sound == ROUTE_SILENT};
    return outbox_post(db, &p, c->now, e);
}

enum rc route_say(struct db *db, const struct route *c, const char *key, const struct lang_arg *args,
    enum route_sound sound, struct err *e)
{
    return route_post(db, c, str_of(lang_fill(c->a, c->lang, key, args)), sound, e);
}

const char *route_words(const struct route *c, const struct err *why)
{
    const char *stored = err_stored(why);
    return stored ? said_words(c->a, c->lang, stored) : lang_text(c->lang, "channel.failed");
}

void route_act(struct route *c, enum channel_action_kind kind, const char *text)
{
    const struct channel_update *u = route_update(c);
    struct str words = str_of(arena_strdup(c->a, text));
    c->out->acts = true;
    c->out->action = (struct channel_action){
        .kind = kind, .place = u->place, .message = u->press, .plain = words, .as_plain = true};
}

/* ---- the Stop button of a draft ---- */

/* The answer says that it was stopped. A press after the turn's end does nothing. */
static enum rc route_stop(struct db *db, void *call, struct err *e)
{
    struct route *c = call;
    const struct channel_update *u = route_update(c);
    struct follow_row *rows;
    size_t n = 0;
    enum rc rc = route_person(db, c, e);
    if (rc == RC_OK && c->chat.id)
        rc = store_follow_list(db, c->a, FOLLOWS_MAX, &rows, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        const struct turn_row *t = &rows[i].turn;
        if (rows[i].chat_id == c->chat.id && t->status == MESSAGE_RUNNING && channel_draft(t->id) == u->draft)
            rc = store_session_pub(db, c->a, t->owner, t->session_id, &c->stops, e);
    }
    return rc == RC_OK || rc == RC_NOT_FOUND ? route_done(db, c, NULL, e) : rc;
}

/* ---- updates without a person's request ---- */

static enum rc state_tx(struct db *db, void *call, struct err *e)
{
    struct route *c = call;
    const struct channel_update *u = route_update(c);
    const char *channel = c->in[0]->driver->name;
    enum rc rc = RC_OK;
    if (u->kind == UPDATE_BLOCKED || u->kind == UPDATE_ADMITTED)
        rc = store_channel_chat_pause(db, channel, u->place.chat, u->kind == UPDATE_BLOCKED ? c->now : 0, e);
    else if (u->kind == UPDATE_MOVED)
        rc = store_channel_chat_move(db, channel, u->place.chat, u->moved_to, e);
    return rc == RC_OK ? route_done(db, c, u->kind == UPDATE_OTHER ? NOT_UNDERSTOOD : NULL, e) : rc;
}

/* In a group, where other bots have commands, too. */
static bool is_foreign_command(const struct channel_update *u)
{
    struct str rest;
    return u->group && u->is_command && !u->named && !command_find(command_word(u->text, &rest));
}

enum rc router_run(struct router *r, struct incoming *const *in, size_t n, struct arena *a,
    struct routed *out, struct err *e)
{
    struct route c = {.r = r, .in = in, .n = n, .a = a, .now = clock_wall_ms(), .out = out};
    const struct channel_update *u = route_update(&c);
    store_fn *fn = state_tx;
    *out = (struct routed){0};
    if (u->kind == UPDATE_PRESSED)
        return route_press(&c, e);
    bool foreign = is_foreign_command(u);
    if (u->kind == UPDATE_MESSAGE && u->is_command && u->addressed && !foreign)
        return route_command(&c, e);
    if (u->kind == UPDATE_MESSAGE && !foreign)
        fn = route_message;
    else if (u->kind == UPDATE_STOPPED)
        fn = route_stop;
    else if (u->kind == UPDATE_EDITED)
        fn = route_edit;
    enum rc rc = store_write(r->set.store, fn, &c, e);
    if (rc != RC_OK) {
        out->acts = false;
        return rc;
    }
    if (c.orders)
        turn_order_notify(r->set.config->server.data_dir);
    if (c.plans)
        helper_notify(r->set.config->server.data_dir);
    if (c.stops)
        turn_stop_notify(r->set.config->server.data_dir, c.stops);
    return RC_OK;
}

/* ---- what cannot be processed ---- */

struct ending {
    struct route call;
    const char *why; /* NULL: it failed, and the chat is told */
};

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    struct ending *x = arg;
    int64_t id = x->call.in[0]->row.id;
    if (x->why)
        return store_inbox_done(db, id, x->why, e);
    enum rc rc = store_inbox_failed(db, id, "failed", e);
    if (rc == RC_OK && x->call.in[0]->driver)
        rc = route_person(db, &x->call, e);
    return rc == RC_OK && x->call.chat.id ? route_say(db, &x->call, "channel.failed", NULL, ROUTE_SOUND, e)
                                          : rc;
}

static enum rc end_update(struct router *r, const struct incoming *in, const char *why, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct incoming *one[] = {(struct incoming *)in};
    struct routed none;
    struct ending x = {
        .call = {.r = r, .in = one, .n = 1, .a = a, .now = clock_wall_ms(), .out = &none}, .why = why};
    enum rc rc = store_write(r->set.store, end_tx, &x, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc router_give_up(struct router *r, const struct incoming *in, const struct err *why, struct err *e)
{
    log_error("update %s of %s cannot be processed: %s: %s", in->row.update_id, in->row.channel,
        rc_name(why->rc), why->text);
    return end_update(r, in, NULL, e);
}

enum rc router_drop(struct router *r, const struct incoming *in, struct err *e)
{
    return end_update(r, in, "a turn of its session ran for too long", e);
}
