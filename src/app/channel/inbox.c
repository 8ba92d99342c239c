#include "app/channel/inbox.h"

#include "app/jobs/helper_notify.h"
#include "base/clock.h"
#include "channel/channel.h"
#include "store/channel/inbox.h"

struct added {
    const char *channel, *bot, *update_id;
    struct str body;
    bool is_new;
};

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct added *u = arg;
    return store_inbox_add(db, u->channel, u->bot, u->update_id, u->body, clock_wall_ms(), &u->is_new, e);
}

enum rc inbox_add(struct store *s, const char *data_dir, const char *channel, const char *bot,
    const char *update_id, struct str body, bool *is_new, struct err *e)
{
    struct added u = {.channel = channel, .bot = bot, .update_id = update_id, .body = body};
    *is_new = false;
    if (!update_id[0] || strlen(update_id) >= CHANNEL_ID_SIZE || strlen(bot) >= CHANNEL_ID_SIZE)
        return err_set(e, RC_BAD_INPUT, "the id of an update is empty or too long");
    if (body.len > INBOX_BODY_MAX)
        return err_set(e, RC_TOO_BIG, "an update of %zu bytes is too long", body.len);
    enum rc rc = store_write(s, add_tx, &u, e);
    if (rc != RC_OK)
        return rc;
    *is_new = u.is_new;
    if (u.is_new)
        helper_notify(data_dir);
    return RC_OK;
}
