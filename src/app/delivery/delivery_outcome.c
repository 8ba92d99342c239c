/* The effects of the outcome of an action: one table for all actions, and the effects on chats and
 * channels. The effects on messages of the outbox are carried out by delivery_row.c, those on growing answers
 * by follow_show.c. */
#include "app/delivery/delivery_private.h"

#include "store/channel/chat.h"

/* clang-format off */
static const struct effects EFFECTS[] = {
    [OUTCOME_DONE]        = {true,  CHAT_TAKES,      ROW_SENT,           GROWTH_SHOWN},
    [OUTCOME_LATER]       = {true,  CHAT_WAITS,      ROW_AS_TOLD,        GROWTH_AGAIN},
    [OUTCOME_FAILED]      = {false, CHAT_SAME,       ROW_LATER,          GROWTH_LATER},
    [OUTCOME_DOUBTFUL]    = {false, CHAT_SAME,       ROW_DOUBTFUL,       GROWTH_MUTE}, /* the id is unknown */
    [OUTCOME_BAD_MARKUP]  = {true,  CHAT_SAME,       ROW_AS_PLAIN,       GROWTH_AS_PLAIN},
    [OUTCOME_TARGET_GONE] = {true,  CHAT_SAME,       ROW_ANEW,           GROWTH_MUTE},
    [OUTCOME_THREAD_GONE] = {true,  CHAT_SAME,       ROW_WITHOUT_THREAD, GROWTH_MUTE},
    [OUTCOME_MOVED]       = {true,  CHAT_MOVED,      ROW_MOVED,          GROWTH_AGAIN},
    [OUTCOME_BLOCKED]     = {true,  CHAT_PAUSED,     ROW_WAITS,          GROWTH_MUTE},
    [OUTCOME_UNKNOWN]     = {true,  CHANNEL_LACKS,   ROW_ANEW,           GROWTH_NO_DRAFT},
    [OUTCOME_REFUSED]     = {true,  CHAT_SAME,       ROW_ANEW,           GROWTH_NO_DRAFT},
    [OUTCOME_BAD_TOKEN]   = {true,  CHANNEL_STOPPED, ROW_WAITS,          GROWTH_AGAIN},
};
/* clang-format on */

const struct effects *outcome_effects(const struct delivery_chat *c)
{
    return &EFFECTS[c->result.outcome];
}

int64_t outcome_wait_ms(const struct channel_result *r)
{
    return r->wait_ms < DELIVERY_LATER_MIN_MS ? DELIVERY_LATER_MIN_MS : r->wait_ms;
}

static bool is_stored(enum chat_effect effect)
{
    return effect == CHAT_MOVED || effect == CHAT_PAUSED || effect == CHANNEL_STOPPED;
}

enum rc outcome_chat_tx(struct db *db, const struct delivery_chat *c, int64_t now, struct err *e)
{
    const char *channel = c->channel->driver.name;
    switch (outcome_effects(c)->chat) {
    case CHAT_MOVED: {
        enum rc rc = store_channel_chat_move(db, channel, c->id, c->result.moved_to, e);
        return rc == RC_OK ? store_outbox_move(db, channel, c->id, c->result.moved_to, e) : rc;
    }
    case CHAT_PAUSED: return store_channel_chat_pause(db, channel, c->id, now, e);
    case CHANNEL_STOPPED: return refused_tx(db, c->channel, c->result.detail, now, e);
    case CHAT_SAME:
    case CHAT_TAKES:
    case CHAT_WAITS:
    case CHANNEL_LACKS: break;
    }
    return RC_OK;
}

static void lacks(struct delivery_channel *ch, enum channel_action_kind kind, int64_t now)
{
    if (kind == ACTION_TYPING)
        ch->no_typing = true;
    else if (kind == ACTION_DRAFT)
        ch->drafts_at = now + DELIVERY_DRAFTS_AGAIN_MS;
}

void outcome_chat(struct delivery *d, struct delivery_chat *c)
{
    int64_t now = d->clock.mono();
    switch (outcome_effects(c)->chat) {
    case CHAT_SAME: break;
    case CHAT_TAKES:
        if (c->kind != ACTION_TYPING) /* may be accepted while messages are not */
            backoff_reset(&c->channel->asking);
        break;
    case CHAT_WAITS: c->free_at = now + outcome_wait_ms(&c->result); break;
    case CHANNEL_LACKS: lacks(c->channel, c->kind, now); break;
    case CHANNEL_STOPPED: refused_stop(c->channel, c->result.detail); break;
    case CHAT_MOVED:
    case CHAT_PAUSED: break;
    }
    d->stale |= is_stored(outcome_effects(c)->chat);
}

struct saving {
    const struct delivery_chat *c;
    int64_t now;
};

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    const struct saving *x = arg;
    enum rc rc = outcome_chat_tx(db, x->c, x->now, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the chat is gone */
}

enum rc outcome_save_chat(struct delivery *d, struct delivery_chat *c, struct err *e)
{
    struct saving x = {c, d->clock.wall()};
    bool stores = is_stored(outcome_effects(c)->chat);
    enum rc rc = stores ? store_write_lazy(d->store, save_tx, &x, e) : RC_OK;
    if (rc == RC_OK)
        outcome_chat(d, c);
    return rc;
}
