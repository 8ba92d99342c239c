/*
 * Turns that chats show while they run. The table channel_turn lists them. Their text is read from the turn
 * log, from the end of the last read on. When a turn has ended, one transaction adds its answer to the outbox
 * and deletes the row of channel_turn, so there is exactly one answer per turn and chat.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/account/settings.h"
#include "app/delivery/delivery_private.h"
#include "app/turn/turnlog.h"

#define MESSAGES_MAX ((size_t)16 * 1024) /* bytes of the ids of messages that grow */
#define TOOLS_MAX    512

static struct follow *find(struct delivery *d, int64_t turn_id, int64_t chat_id)
{
    for (struct follow *f = d->follows; f; f = f->next)
        if (f->turn_id == turn_id && f->chat_id == chat_id)
            return f;
    return NULL;
}

static void follow_free(struct delivery *d, struct follow *f)
{
    for (struct delivery_chat *c = d->chats; c; c = c->next)
        if (c->follow == f)
            c->follow = NULL;
    strbuf_release(&f->text);
    strbuf_release(&f->tool);
    strbuf_release(&f->messages);
    free(f);
}

void follow_free_all(struct delivery *d)
{
    while (d->follows) {
        struct follow *f = d->follows;
        d->follows = f->next;
        follow_free(d, f);
    }
}

static size_t count_ids(struct str ids)
{
    size_t n = 0;
    for (; ids.len; n++)
        str_cut(&ids, ' ');
    return n;
}

/* Writes are lazy: a power failure undoes the whole transaction, and it is made again. */
static enum rc add(struct delivery *d, struct follow_row *r, struct follow **out, struct err *e)
{
    int64_t now = d->clock.mono();
    struct delivery_chat *c = delivery_chat_of(d, r->channel, r->chat, r->grouped);
    *out = NULL;
    if (!c)
        return RC_OK;
    char token[BUTTON_TOKEN_SIZE] = "";
    enum rc rc = answer_begin(d->store, r, token, d->clock.wall(), e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc; /* gone since the list was read */
    struct follow *f = xcalloc(1, sizeof *f);
    *f = (struct follow){.chat = c,
        .turn_id = r->turn.id,
        .chat_id = r->chat_id,
        .owner = r->turn.owner,
        .session_id = r->turn.session_id,
        .started = now,
        .messages_n = count_ids(str_of(r->messages)),
        .any = *r->messages != 0,
        .again = {.first_ms = DELIVERY_AGAIN_FIRST_MS, .max_ms = DELIVERY_AGAIN_MAX_MS}};
    snprintf(f->pub, sizeof f->pub, "%s", r->turn.pub);
    snprintf(f->thread, sizeof f->thread, "%s", r->thread);
    snprintf(f->stop_token, sizeof f->stop_token, "%s", token);
    snprintf(f->reply_to, sizeof f->reply_to, "%s", r->reply_to ? r->reply_to : "");
    strbuf_init(&f->text, TURNLOG_MAX);
    strbuf_init(&f->tool, TOOLS_MAX);
    strbuf_init(&f->messages, MESSAGES_MAX);
    strbuf_adds(&f->messages, r->messages);
    f->lang = settings_lang(d->store, f->owner);
    struct follow **last = &d->follows; /* in the order of the turns, as the answers are posted */
    while (*last)
        last = &(*last)->next;
    *last = f;
    *out = f;
    return RC_OK;
}

static void drop_unseen(struct delivery *d)
{
    for (struct follow **at = &d->follows; *at;) {
        struct follow *f = *at;
        if (f->seen) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        follow_free(d, f);
    }
}

enum rc follow_sync(struct delivery *d, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct follow_row *rows;
    size_t n;
    struct db *db = store_read(d->store);
    enum rc rc = store_follow_list(db, a, FOLLOWS_MAX, &rows, &n, e);
    store_read_done(d->store, db);
    if (rc != RC_OK)
        return rc;
    for (struct follow *f = d->follows; f; f = f->next)
        f->seen = false;
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct follow *f = find(d, rows[i].turn.id, rows[i].chat_id);
        if (!f)
            rc = add(d, &rows[i], &f, e);
        if (!f)
            continue;
        f->seen = true;
        f->ended = rows[i].turn.status != MESSAGE_RUNNING;
        f->mute |= rows[i].paused;
        if (strcmp(f->chat->id, rows[i].chat) != 0) /* the chat has another id now */
            f->chat = delivery_chat_of(d, rows[i].channel, rows[i].chat, rows[i].grouped);
    }
    if (rc == RC_OK)
        drop_unseen(d);
    return rc;
}

/* ---- the log ---- */

static void on_record(void *arg, const struct turnlog_record *r)
{
    struct follow *f = arg;
    switch (r->kind) {
    case TURNLOG_MESSAGE: /* the text of each step is a paragraph of its own */
        if (f->text.len)
            strbuf_adds(&f->text, "\n\n");
        break;
    case TURNLOG_TEXT:
        strbuf_clear(&f->tool);
        strbuf_addstr(&f->text, r->content);
        f->mark++;
        break;
    case TURNLOG_TOOL:
        strbuf_clear(&f->tool);
        strbuf_addstr(&f->tool, r->content);
        f->mark++;
        break;
    case TURNLOG_ASK:
        strbuf_clear(&f->tool);
        str_to_int(r->content, 0, INT64_MAX, &f->asks);
        f->mark++;
        break;
    case TURNLOG_THINK:
    case TURNLOG_WAIT: break;
    }
}

/* False: it could not be stored now. */
static bool post_question(struct delivery *d, struct follow *f)
{
    struct err e = ERR_INIT;
    enum rc rc = answer_ask(d->store, f->turn_id, f->chat_id, f->lang, f->asks, d->clock.wall(), &e);
    if (rc != RC_OK) {
        delivery_failed(d, rc, &e);
        return false;
    }
    f->asks = 0;
    d->stale = true;
    return true;
}

static bool is_acting(const struct delivery *d, const struct follow *f)
{
    for (const struct delivery_chat *c = d->chats; c; c = c->next)
        if (c->follow == f)
            return true;
    return false;
}

static void read_log(struct delivery *d, struct follow *f)
{
    struct err e = ERR_INIT;
    f->read_at = d->clock.mono() + FOLLOW_READ_MS;
    enum rc rc = turnlog_read(d->config->server.data_dir, f->pub, &f->offset, on_record, f, &e);
    if (rc == RC_NOT_FOUND) { /* there is no log: the turn has ended, or has not begun yet */
        d->stale = true;
    } else if (rc != RC_OK || f->text.failed) {
        log_warn("turn %s: the growing answer is not shown in its chat, only its end: %s", f->pub,
            rc == RC_OK ? "it is too long" : e.text);
        f->mute = true;
    }
}

/* True while the answer of an earlier turn of the chat is not stored yet: it must come first. */
static bool is_behind(const struct delivery *d, const struct follow *f)
{
    for (const struct follow *b = d->follows; b != f; b = b->next)
        if (b->chat_id == f->chat_id)
            return true;
    return false;
}

void follow_read(struct delivery *d)
{
    struct err e = ERR_INIT;
    for (struct follow **at = &d->follows; *at;) {
        struct follow *f = *at;
        if (!f->ended || is_acting(d, f) || is_behind(d, f)) {
            if (!f->ended && !f->mute && f->read_at <= d->clock.mono())
                read_log(d, f);
            if (!f->ended && f->asks && !post_question(d, f))
                return;
            at = &f->next;
            continue;
        }
        enum rc rc = answer_end(d->store, f->turn_id, f->chat_id, f->owner, d->clock.wall(), &e);
        if (rc != RC_OK) {
            delivery_failed(d, rc, &e);
            return;
        }
        *at = f->next;
        follow_free(d, f);
        d->stale = true;
    }
}

int64_t follow_next_read(const struct delivery *d)
{
    int64_t next = DELIVERY_NEVER;
    for (const struct follow *f = d->follows; f; f = f->next)
        if (!f->ended && !f->mute && f->read_at < next)
            next = f->read_at;
    return next;
}
