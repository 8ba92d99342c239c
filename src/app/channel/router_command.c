/* Commands and buttons. A command has its own transactions. One before it records that it begins. One after
 * it stores its answer and ends the update. If the last one fails, only that is tried again: the command may
 * have changed something, and its reply is known. */
#include <stdio.h>

#include "app/channel/router_private.h"
#include "app/command/command.h"
#include "app/delivery/outbox.h"
#include "app/session/session_actions.h"
#include "app/turn/turn_order.h"
#include "base/log.h"
#include "base/time_zone.h"
#include "base/utf8.h"
#include "store/account/user.h"
#include "store/channel/button.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define STOP_LINE "/stop"

/* Commands whose second run changes nothing. Others are not run again after a crash. */
static const char *const repeatable[] = {"resume", "sessions", "session", "rename", "summary", "search",
    "memories", "workspace", "model", "stop", "export", "usage", "link", "help", "start"};
/* The same, without arguments. */
static const char *const repeatable_alone[] = {"new", "tasks"};

struct command_run {
    struct route call;
    struct str line;
    const char *token; /* of the button; NULL: none */
    bool ended;        /* the first transaction has ended the update; no command runs */
    struct command_reply reply;
    const char *refused; /* the sentence of a failed command; NULL: it succeeded */
};

static bool is_repeatable(struct str line)
{
    struct str rest, word = command_word(line, &rest);
    return STR_IN_NOCASE(word, repeatable) || (!rest.len && STR_IN_NOCASE(word, repeatable_alone));
}

/* Commands about the messages of the open branch. In a chat that continues another one, that is opened first,
 * as the arrows of the page do. */
static const char *const of_branch[] = {"retry", "undo", "clear", "compact", "summary", "export"};

static bool needs_branch(const struct command_run *x)
{
    struct str rest, word = command_word(x->line, &rest);
    return x->call.chat.session && x->call.chat.branch_id && STR_IN_NOCASE(word, of_branch);
}

static enum rc end_now(struct db *db, struct command_run *x, struct err *e)
{
    x->ended = true;
    return route_done(db, &x->call, NULL, e);
}

/* Notes that the command begins. A temporary chat whose time is over is no session any more. */
static enum rc begin(struct db *db, struct command_run *x, struct err *e)
{
    struct route *c = &x->call;
    struct session s;
    struct err gone = ERR_INIT;
    if (c->in[0]->row.begun && !is_repeatable(x->line)) {
        struct str rest, word = command_word(x->line, &rest);
        enum rc rc = route_say(db, c, "channel.begun",
            LANG_ARGS({"command", arena_strndup(c->a, word.s, word.len)}), ROUTE_SOUND, e);
        return rc == RC_OK ? end_now(db, x, e) : rc;
    }
    if (c->chat.session && store_session_get(db, c->a, c->user, c->chat.session, &s, &gone) == RC_NOT_FOUND)
        c->chat.session = NULL;
    return store_inbox_begin(db, c->in[0]->row.id, e);
}

static enum rc command_tx(struct db *db, void *arg, struct err *e)
{
    struct command_run *x = arg;
    struct route *c = &x->call;
    enum rc rc = route_person_and_chat(db, c, e);
    if (rc != RC_OK)
        return rc;
    if (!c->user) {
        x->ended = true;
        return route_stranger(db, c, e);
    }
    return begin(db, x, e);
}

static enum rc order(struct db *db, struct command_run *x, struct err *e)
{
    struct route *c = &x->call;
    char client[MESSAGE_CLIENT_ID_MAX + 1];
    struct turn_order o = *x->reply.order;
    snprintf(
        client, sizeof client, "%s:%lld:%s", c->chat.channel, (long long)c->chat.id, c->in[0]->row.update_id);
    o.owner = c->user;
    o.client_id = client;
    o.channel = c->chat.channel;
    o.purpose = ORDER_CHANNEL;
    o.purpose_id = c->chat.id;
    o.created_at = c->now;
    c->orders = true;
    return store_turn_order_add(db, &o, e);
}

/* The session of the reply may be gone by now: then the chat has none. */
static enum rc bind(struct db *db, const struct command_run *x, struct err *e)
{
    const struct route *c = &x->call;
    if (!x->reply.session && !x->reply.no_session)
        return RC_OK;
    enum rc rc = store_channel_chat_bind(db, c->user, c->chat.id, x->reply.session, x->reply.branch_id, e);
    return rc == RC_NOT_FOUND ? store_channel_chat_bind(db, c->user, c->chat.id, NULL, 0, e) : rc;
}

/* The command may have removed the message that stands for the branch. */
static enum rc keep_branch(struct db *db, const struct command_run *x, struct err *e)
{
    const struct route *c = &x->call;
    struct session s;
    if (!needs_branch(x))
        return RC_OK;
    enum rc rc = store_session_get(db, c->a, c->user, c->chat.session, &s, e);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    return rc == RC_OK ? store_channel_chat_set_branch(db, c->chat.id, s.head_id, e) : rc;
}

static bool is_stop(const struct command_run *x)
{
    return x->token && str_is(x->line, STOP_LINE);
}

static enum rc answer(struct db *db, const struct command_run *x, struct err *e)
{
    const struct route *c = &x->call;
    if (x->refused)
        return route_post(db, c, str_of(x->refused), ROUTE_SOUND, e);
    if (is_stop(x))
        return RC_OK; /* the notice of the button and the end of the answer show that it stopped */
    return outbox_post(db,
        &(struct outbox_post){.chat_id = c->chat.id,
            .markdown = x->reply.markdown.s ? x->reply.markdown : STR(""),
            .buttons = x->reply.buttons,
            .buttons_n = x->reply.buttons_n,
            .file_name = x->reply.file_name,
            .file = x->reply.file,
            .for_sender = c->chat.grouped ? route_update(c)->sender : NULL},
        c->now, e);
}

static enum rc ended_tx(struct db *db, void *arg, struct err *e)
{
    struct command_run *x = arg;
    enum rc rc = route_done(db, &x->call, NULL, e);
    if (rc == RC_OK && x->token && !x->refused)
        rc = store_button_use(db, x->token, x->call.now, e);
    if (rc == RC_NOT_FOUND && x->token)
        rc = RC_OK;
    if (rc == RC_OK && !x->refused)
        rc = bind(db, x, e);
    if (rc == RC_OK && !x->refused)
        rc = keep_branch(db, x, e);
    if (rc == RC_OK && !x->refused && x->reply.order)
        rc = order(db, x, e);
    return rc == RC_OK ? answer(db, x, e) : rc;
}

static enum rc run(struct command_run *x, struct err *e)
{
    struct route *c = &x->call;
    struct store *store = c->r->set.store;
    struct err why = ERR_INIT;
    struct command_context context = {.store = store,
        .config = c->r->set.config,
        .providers = c->r->set.providers,
        .owner = c->user,
        .session = c->chat.session,
        .channel = c->in[0]->driver->name,
        .keeps_branch = true,
        .lang = c->lang,
        .now = c->now,
        .a = c->a};
    struct db *db = store_read(store);
    enum rc rc = store_user_time_zone(db, c->a, c->user, &context.zone_name, e);
    store_read_done(store, db);
    if (rc != RC_OK)
        return rc;
    context.zone = time_zone_load(c->a, context.zone_name);
    if (needs_branch(x))
        rc = session_set_head(store, c->r->set.config, c->user, c->chat.session, c->chat.branch_id, &why);
    if (rc == RC_OK || rc == RC_NOT_FOUND) /* the branch is gone: the open one */
        rc = command_run(&context, x->line, &x->reply, &why);
    if (rc != RC_OK && rc_is_temporary(rc) && !err_stored(&why))
        return err_set(e, rc, "%s", why.text);
    if (rc != RC_OK) {
        if (!err_stored(&why))
            log_error("a command of %s: %s: %s", c->in[0]->row.channel, rc_name(rc), why.text);
        x->refused = route_words(c, &why);
    }
    return RC_OK;
}

static enum rc end(struct command_run *x, struct err *e)
{
    struct route *c = &x->call;
    struct incoming *in = c->in[0];
    enum rc rc = store_write(c->r->set.store, ended_tx, x, e);
    if (rc == RC_OK && c->orders)
        turn_order_notify(c->r->set.config->server.data_dir);
    if (rc != RC_OK && !in->ran) {
        in->ran = x;
        in->ran_arena = c->a;
    }
    return rc;
}

/* `begins`: the first transaction. `out`: the command, in the arena of its first call. */
static enum rc run_once(struct route *c, store_fn *begins, struct command_run **out, struct err *e)
{
    struct command_run *x = c->in[0]->ran;
    enum rc rc = RC_OK;
    if (x) {
        x->call.in = c->in;
        x->call.now = c->now;
        x->call.out = c->out;
    } else {
        x = ARENA_NEW(c->a, struct command_run);
        x->call = *c;
        x->line = str_trim(route_update(c)->text);
        rc = store_write(c->r->set.store, begins, x, e);
        if (rc == RC_OK && !x->ended)
            rc = run(x, e);
    }
    if (rc == RC_OK && !x->ended)
        rc = end(x, e);
    if (rc != RC_OK)
        c->out->acts = false;
    *out = x;
    return rc;
}

enum rc route_command(struct route *c, struct err *e)
{
    struct command_run *x;
    return run_once(c, command_tx, &x, e);
}

/* ---- buttons ---- */

static enum rc refuse(struct db *db, struct command_run *x, const char *key, struct err *e)
{
    route_act(&x->call, ACTION_ANSWER, key ? lang_text(x->call.lang, key) : "");
    return end_now(db, x, e);
}

/* Checks again that the button is of this chat, and that this person may press it. A second press does
 * nothing. */
static enum rc press_tx(struct db *db, void *arg, struct err *e)
{
    struct command_run *x = arg;
    struct route *c = &x->call;
    const struct channel_update *u = route_update(c);
    struct button_row b;
    struct channel_chat chat;
    enum rc rc = route_person(db, c, e);
    if (rc != RC_OK)
        return rc;
    if (!c->user)
        return refuse(db, x, "channel.not_yours", e);
    rc = store_button_get(db, c->a, u->data, &b, e);
    if (rc == RC_OK)
        rc = store_channel_chat_get(db, c->a, b.chat_id, &chat, e);
    if (rc == RC_NOT_FOUND)
        return refuse(db, x, "channel.button_over", e);
    if (rc != RC_OK)
        return rc;
    if (strcmp(chat.channel, c->in[0]->driver->name) != 0 || strcmp(chat.chat, u->place.chat) != 0 ||
        chat.owner != c->user || (b.sender[0] && strcmp(b.sender, u->sender) != 0))
        return refuse(db, x, "channel.not_yours", e);
    if (b.used_at)
        return refuse(db, x, NULL, e);
    if (b.expires_at <= c->now)
        return refuse(db, x, "channel.button_over", e);
    c->chat = chat;
    x->line = str_of(b.line);
    x->token = b.token;
    return begin(db, x, e);
}

enum rc route_press(struct route *c, struct err *e)
{
    struct command_run *x;
    enum rc rc = run_once(c, press_tx, &x, e);
    if (rc == RC_OK && !c->out->acts) {
        struct str words = is_stop(x) && x->reply.markdown.s ? x->reply.markdown : STR("");
        route_act(c, ACTION_ANSWER, arena_strndup(c->a, words.s, utf8_cut_bytes(words, ROUTER_NOTICE_MAX)));
    }
    return rc;
}
