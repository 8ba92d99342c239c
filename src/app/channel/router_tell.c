/* Messages to chats about events that no message of the chat has caused (router_tell()). */
#include "app/account/settings.h"
#include "app/channel/router_private.h"
#include "app/delivery/outbox.h"
#include "base/clock.h"
#include "store/account/user.h"
#include "store/channel/identity.h"
#include "store/message/turn_order.h"

struct telling {
    struct router *r;
    struct arena *a;
    int64_t now;
    struct channel_chat *lost;
    size_t lost_n;
    struct turn_order *refused;
    size_t refused_n;
    struct turn_order *late;
    size_t late_n;
    struct channel_identity *admitted;
    size_t admitted_n;
};

static enum rc read_news(struct db *db, void *arg, struct err *e)
{
    struct telling *t = arg;
    enum rc rc = store_channel_chats_lost(db, t->a, &t->lost, &t->lost_n, e);
    if (rc == RC_OK)
        rc = store_turn_orders_refused(db, t->a, ORDER_CHANNEL, &t->refused, &t->refused_n, e);
    if (rc == RC_OK)
        rc =
            store_turn_orders_late(db, t->a, ORDER_CHANNEL, t->now - ROUTER_LATE_MS, &t->late, &t->late_n, e);
    return rc == RC_OK ? store_channel_identity_admitted(db, t->a, &t->admitted, &t->admitted_n, e) : rc;
}

static enum rc post(struct db *db, const struct telling *t, int64_t chat_id, const char *words, struct err *e)
{
    return outbox_post(db, &(struct outbox_post){.chat_id = chat_id, .markdown = str_of(words)}, t->now, e);
}

static enum rc tell_lost(struct db *db, const struct telling *t, const struct channel_chat *c, struct err *e)
{
    const struct lang *l = settings_lang_in(db, c->owner);
    bool archived = strcmp(c->lost, CHAT_ARCHIVED) == 0;
    enum rc rc = store_channel_chat_told(db, c->id, e);
    return rc == RC_OK ? post(db, t, c->id,
                             lang_text(l, archived ? "channel.session_archived" : "channel.session_gone"), e)
                       : rc;
}

/* The chat that an order came from; unchanged when it is gone. */
static enum rc chat_of(
    struct db *db, struct arena *a, const struct turn_order *o, struct channel_chat *chat, struct err *e)
{
    enum rc rc = store_channel_chat_get(db, a, o->purpose_id, chat, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc tell_late(struct db *db, const struct telling *t, const struct turn_order *o, struct err *e)
{
    struct channel_chat chat = {0};
    enum rc rc = store_turn_orders_told(db, o->owner, o->session, e);
    if (rc == RC_OK)
        rc = chat_of(db, t->a, o, &chat, e);
    return rc == RC_OK && chat.id
               ? post(db, t, chat.id, lang_text(settings_lang_in(db, o->owner), "channel.waits"), e)
               : rc;
}

static enum rc tell_refused(struct db *db, const struct telling *t, const struct turn_order *o, struct err *e)
{
    struct channel_chat chat = {0};
    enum rc rc = store_turn_order_delete(db, o->id, e);
    if (rc == RC_OK)
        rc = chat_of(db, t->a, o, &chat, e);
    return rc == RC_OK && chat.id
               ? post(db, t, chat.id, said_words(t->a, settings_lang_in(db, o->owner), o->error), e)
               : rc;
}

/* The first message to somebody who was admitted adds their chat. */
static enum rc tell_admitted(
    struct db *db, const struct telling *t, const struct channel_identity *p, struct err *e)
{
    struct channel_chat chat = {.owner = p->user_id,
        .channel = p->channel,
        .chat = p->ask_chat,
        .thread = "",
        .sender = p->external_id};
    struct user user;
    enum rc rc = store_user_by_id(db, t->a, p->user_id, &user, e);
    if (rc == RC_OK)
        rc = store_channel_identity_told(db, p->id, e);
    if (rc != RC_OK)
        return rc;
    rc = store_channel_chat_find(db, t->a, p->channel, p->ask_chat, "", p->user_id, &chat, e);
    if (rc == RC_NOT_FOUND)
        rc = store_channel_chat_add(db, &chat, t->now, &chat.id, e);
    if (rc != RC_OK)
        return rc;
    const struct lang *l = settings_lang_in(db, p->user_id);
    const char *words = lang_fill(t->a, l, "channel.admitted", LANG_ARGS({"name", user.name}));
    return post(db, t, chat.id, words, e);
}

static enum rc tell_tx(struct db *db, void *arg, struct err *e)
{
    struct telling *t = arg;
    /* read again: a message may have come meanwhile, and then its answer has said it */
    enum rc rc = read_news(db, t, e);
    for (size_t i = 0; rc == RC_OK && i < t->lost_n; i++)
        rc = tell_lost(db, t, &t->lost[i], e);
    for (size_t i = 0; rc == RC_OK && i < t->refused_n; i++)
        rc = tell_refused(db, t, &t->refused[i], e);
    for (size_t i = 0; rc == RC_OK && i < t->late_n; i++)
        rc = tell_late(db, t, &t->late[i], e);
    for (size_t i = 0; rc == RC_OK && i < t->admitted_n; i++)
        rc = tell_admitted(db, t, &t->admitted[i], e);
    return rc;
}

enum rc router_tell(struct router *r, bool *told, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct telling t = {.r = r, .a = a, .now = clock_wall_ms()};
    enum rc rc = store_with_reader(r->set.store, read_news, &t, e);
    *told = t.lost_n > 0 || t.refused_n > 0 || t.late_n > 0 || t.admitted_n > 0;
    return rc == RC_OK && *told ? store_write(r->set.store, tell_tx, &t, e) : rc;
}
