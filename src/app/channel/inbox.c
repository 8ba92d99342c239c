#include "app/channel/inbox.h"

#include "app/jobs/helper_notify.h"
#include "base/clock.h"
#include "channel/channel.h"
#include "store/channel/inbox.h"

struct adding {
    const struct inbox_update *u;
    bool is_new;
};

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct adding *x = arg;
    const struct inbox_update *u = x->u;
    return store_inbox_add(db, u->channel, u->bot, u->id, u->body, clock_wall_ms(), &x->is_new, e);
}

enum rc inbox_add(
    struct store *s, const char *data_dir, const struct inbox_update *u, bool *is_new, struct err *e)
{
    struct adding x = {.u = u};
    *is_new = false;
    if (!u->id[0] || strlen(u->id) >= CHANNEL_ID_SIZE || strlen(u->bot) >= CHANNEL_ID_SIZE)
        return err_set(e, RC_BAD_INPUT, "the id of an update is empty or too long");
    if (u->body.len > INBOX_BODY_MAX)
        return err_set(e, RC_TOO_BIG, "an update of %zu bytes is too long", u->body.len);
    enum rc rc = store_write(s, add_tx, &x, e);
    if (rc != RC_OK)
        return rc;
    *is_new = x.is_new;
    if (x.is_new)
        helper_notify(data_dir);
    return RC_OK;
}
