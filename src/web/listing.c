#include "web/listing.h"

#include "web/web.h"

const char *listing_key_text(struct arena *a, const struct session *s)
{
    return arena_printf(a, "%lld.%lld", (long long)s->active_at, (long long)s->id);
}

bool listing_key_parse(struct str text, struct session_key *out)
{
    struct str active = str_cut(&text, '.');
    return text.s && str_to_int(active, 0, INT64_MAX, &out->active_at) &&
           str_to_int(text, 1, INT64_MAX, &out->id);
}

enum rc listing_read(const struct req *r, struct listing *out, struct err *e)
{
    *out = (struct listing){0};
    struct session_key after = {0};
    if (req_has(r, F_AFTER) && !listing_key_parse(req_str(r, F_AFTER), &after))
        return err_say(e, RC_BAD_INPUT, "\"after\" is not a key that a list gave.");
    const char *match = req_str(r, F_Q).len ? req_text(r, F_Q) : NULL;
    int limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : LISTING_ROWS;
    struct db *db = store_read(r->web->store);
    enum rc rc =
        store_session_list(db, r->arena, r->who.user_id, after, match, limit + 1, &out->rows, &out->n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK || out->n <= (size_t)limit)
        return rc;
    out->n = (size_t)limit; /* the one more only said that there are more */
    out->next = listing_key_text(r->arena, &out->rows[out->n - 1]);
    return RC_OK;
}
