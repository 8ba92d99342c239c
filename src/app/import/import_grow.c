/*
 * A conversation that was imported and has grown since: a later export of another service has all of its
 * messages again, under the same id. Its further messages are added to the session while that has the
 * imported messages and no others. A session that was continued, edited or shortened here stays as it is.
 *
 * Each transaction moves `messages` of the row in `imported`, so an interrupted run continues there. Before
 * it adds messages, it compares those that were added since the last comparison, maybe by another program
 * that imports the same file.
 */
#include "app/import/import_private.h"

#include <string.h>

#include "store/message/draft.h"

#define COMPARED_AT_ONCE 50 /* messages in memory */

/* Messages are in the order of their creation on both sides. */
static bool is_same(struct import_conversation *c, size_t k, const struct message *here)
{
    const struct import_message *m = &c->messages[c->order[k]];
    int64_t parent = m->parent_at == IMPORT_NONE ? 0 : c->messages[m->parent_at].id;
    struct str text = import_text_with_pictures(c, m, here->pictures_n);
    return here->role == m->role && here->parent_id == parent && str_eq(here->text, text) &&
           strcmp(here->channel, IMPORT_CHANNEL) == 0;
}

/* `*same`: the file begins with all messages of the session. Those with known ids were compared before. */
static enum rc compare(struct db *db, int64_t owner, struct import_conversation *c,
    const struct imported *row, bool *same, struct err *e)
{
    size_t n = COMPARED_AT_ONCE;
    enum rc rc = RC_OK;
    c->ids_n = c->ids_of == row->session_id ? c->ids_n : 0;
    c->ids_of = row->session_id;
    int64_t after = c->ids_n ? c->messages[c->order[c->ids_n - 1]].id : 0;
    *same = true;
    while (rc == RC_OK && *same && n == COMPARED_AT_ONCE) {
        AUTO(arena) a = arena_new();
        struct message *list;
        rc = store_export_messages(db, a, owner, row->session_id, after, COMPARED_AT_ONCE, &list, &n, e);
        for (size_t i = 0; rc == RC_OK && *same && i < n; i++) {
            *same = c->ids_n < c->order_n && is_same(c, c->ids_n, &list[i]);
            if (*same)
                c->messages[c->order[c->ids_n++]].id = after = list[i].id;
        }
    }
    *same = *same && c->ids_n == (size_t)row->messages;
    return rc;
}

static enum rc find_news(struct db *db, int64_t owner, struct import_conversation *c, struct imported *row,
    enum import_news *out, struct err *e)
{
    bool same = false;
    enum rc rc = store_imported_get(db, c->a, owner, c->outer_id, row, e);
    *out = NEWS_NONE;
    if (rc != RC_OK || c->order_n <= (size_t)row->messages)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    if (row->present == row->messages)
        rc = compare(db, owner, c, row, &same, e);
    *out = same ? NEWS_MORE : NEWS_CHANGED;
    return rc;
}

enum rc import_news(
    struct db *db, int64_t owner, struct import_conversation *c, enum import_news *out, struct err *e)
{
    struct imported row;
    *out = NEWS_NONE;
    if (c->own_pub) /* an export of Alfred; its sessions are not continued elsewhere */
        return RC_OK;
    return find_news(db, owner, c, &row, out, e);
}

static enum rc add_rest(struct db *db, struct import_save *s, const struct imported *row, struct err *e)
{
    struct import_conversation *c = s->c;
    struct draft d = {.owner = s->t->owner, .session_id = row->session_id};
    struct imported_growth g = {.session_id = row->session_id, .seen_at = s->now};
    size_t k = (size_t)row->messages;
    enum rc rc = RC_OK;
    while (rc == RC_OK && k < c->order_n && (g.messages == 0 || !import_time_is_up(s))) {
        const struct import_message *m = &c->messages[c->order[k]];
        bool below_tool = m->parent_at != IMPORT_NONE && c->messages[m->parent_at].role == ROLE_TOOL;
        rc = import_save_message(db, s, k++, &d, e);
        g.messages++;
        g.counted += message_counts(m->role, below_tool);
    }
    s->more = k < c->order_n;
    if (!s->more) {
        g.head_id = import_head(c);
        g.active_at = c->active_at;
    }
    if (rc == RC_OK)
        rc = store_imported_grow(db, s->t->owner, c->outer_id, &g, e);
    return rc == RC_OK && !s->more ? import_plan(db, s, row->session_id, e) : rc;
}

enum rc import_grow(struct db *db, struct import_save *s, struct err *e)
{
    struct import_conversation *c = s->c;
    struct imported row;
    enum import_news news;
    enum rc rc = find_news(db, s->t->owner, c, &row, &news, e);
    if (rc != RC_OK)
        return rc;
    if (news != NEWS_MORE) { /* it was changed or deleted meanwhile, or another program has added the rest */
        s->t->skipped++;
        s->t->known += news == NEWS_NONE;
        s->t->changed += news == NEWS_CHANGED;
        return RC_OK;
    }
    rc = add_rest(db, s, &row, e);
    if (rc == RC_OK && !s->more) {
        s->t->done++;
        s->t->grown++;
    }
    return rc;
}
