/*
 * Messages that may have been delivered: no answer came to their request, or the helper ended meanwhile. They
 * are not sent again by themselves. The chat gets a notice that one may be missing. There is no notice about
 * a notice, and none while one waits, so there are never more of them than messages in doubt.
 */
#include <limits.h>

#include "app/account/settings.h"
#include "app/delivery/delivery_private.h"
#include "app/delivery/session_link.h"

static enum rc post_notice(
    struct db *db, const struct config *config, const struct outbox_row *about, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct channel_chat chat;
    enum rc rc = store_channel_chat_get(db, a, about->chat_id, &chat, e);
    if (rc != RC_OK)
        return rc;
    const struct lang *l = settings_lang_in(db, chat.owner);
    const char *words =
        arena_printf(a, "%s%s", lang_text(l, "delivery.perhaps_missing"), session_link(a, l, config, &chat));
    const struct outbox_row notice = {.chat_id = about->chat_id,
        .markdown = str_of(words),
        .silent = about->silent,
        .is_notice = true,
        .created_at = now};
    return store_outbox_add(db, &notice, e);
}

enum rc doubt_tx(struct db *db, const struct config *config, const struct outbox_row *r, const char *why,
    int64_t now, struct err *e)
{
    bool waits = false;
    enum rc rc = store_outbox_end(db, r->id, OUTBOX_DOUBTFUL, why, now, e);
    if (rc == RC_OK && !r->is_notice)
        rc = store_outbox_notice_waits(db, r->chat_id, &waits, e);
    return rc == RC_OK && !r->is_notice && !waits ? post_notice(db, config, r, now, e) : rc;
}

enum rc doubt_recover_tx(struct db *db, const struct delivery *d, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct outbox_row *rows;
    size_t n = 0;
    enum rc rc = store_outbox_recover(db, e);
    if (rc == RC_OK)
        rc = store_outbox_list(db, a, OUTBOX_SENDING, INT_MAX, &rows, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = doubt_tx(db, d->config, &rows[i], "The helper ended while it was sent.", d->clock.wall(), e);
    if (n)
        log_warn("%zu messages were being sent when the helper ended; they may have been delivered", n);
    return rc;
}

/* ---- the next message of the chat ---- */

void probe_begin(struct delivery_chat *c)
{
    delivery_act(c, FOR_PROBE, &(struct channel_action){.kind = ACTION_TYPING, .place = {c->id, ""}});
}

void probe_ended(struct delivery_chat *c)
{
    c->doubts = !outcome_effects(c)->answers;
    if (c->doubts)
        c->probe_at = c->all->clock.mono() + backoff_next(&c->probing);
    else
        backoff_reset(&c->probing);
}
