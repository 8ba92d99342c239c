/* Edited messages. An edit changes its part of the stored message, as an edit on the page does, or of the
 * order that still waits. It starts no turn. */
#include "app/channel/router_private.h"
#include "app/session/session_actions.h"
#include "store/message/message.h"
#include "store/message/turn_order.h"

/* The new text of a part. One that was empty and begins to have a text gets line ends between it and the
 * texts of other messages, or a paragraph before files and quotations. The part then has these line ends, and
 * keeps them. */
static struct str new_part(
    const struct route *c, struct str text, int64_t typed, const struct channel_message *part)
{
    struct str by = route_update(c)->text, old, rest;
    const char *begin = "", *end = "";
    if (part->start < 0 || part->length < 0 || part->start + part->length > (int64_t)text.len)
        return by;
    old = (struct str){text.s + part->start, (size_t)part->length};
    rest = str_from(text, (size_t)(part->start + part->length));
    if (old.len ? old.s[0] == '\n' : part->start > 0 && old.s[-1] != '\n')
        begin = "\n";
    if (!old.len && rest.len && rest.s[0] != '\n')
        end = typed >= 0 && part->start >= typed ? "\n\n" : "\n";
    else if (old.len && old.s[old.len - 1] == '\n')
        end = old.len >= 2 && old.s[old.len - 2] == '\n' ? "\n\n" : "\n";
    return str_of(arena_printf(c->a, "%s%.*s%s", begin, STR_FMT(by), end));
}

/* `text` with the part replaced. False: the text was edited on the page, so the part has no place in it. */
static bool replaced(const struct route *c, struct str text, const struct channel_message *part,
    struct str by, struct str *out)
{
    size_t start = (size_t)part->start, length = (size_t)part->length;
    if (part->start < 0 || part->length < 0 || start > text.len || length > text.len - start)
        return false;
    size_t n = text.len - length + by.len;
    char *s = arena_alloc(c->a, n + 1);
    memcpy(s, text.s, start);
    if (by.len)
        memcpy(s + start, by.s, by.len);
    memcpy(s + start + by.len, text.s + start + length, text.len - start - length);
    *out = (struct str){s, n};
    return true;
}

/* The number of typed bytes at the beginning after the edit of a part. */
static int64_t typed_after(const struct turn_order *o, const struct channel_message *part, struct str by)
{
    if (!o->sets_pasted)
        return MESSAGE_TYPED;
    return part->start <= o->pasted_from ? o->pasted_from + (int64_t)by.len - part->length : o->pasted_from;
}

static enum rc edit_order(struct db *db, const struct route *c, const struct turn_order *o,
    const struct channel_message *part, int64_t *length, struct err *e)
{
    struct str text, by = new_part(c, o->text, o->sets_pasted ? o->pasted_from : MESSAGE_TYPED, part);
    if (!replaced(c, o->text, part, by, &text))
        return RC_OK;
    *length = (int64_t)by.len;
    return store_turn_order_set_text(db, o->id, text, typed_after(o, part, by), e);
}

/* RC_CONFLICT: a turn of its session runs. */
static enum rc edit_message(struct db *db, struct route *c, const struct message *m,
    const struct channel_message *part, int64_t *length, struct err *e)
{
    struct str by = new_part(c, m->text, m->pasted_from, part);
    struct session_edit edit = {.owner = c->user,
        .session_id = m->session_id,
        .message = m->id,
        .pasted_from = MESSAGE_TYPED,
        .now = c->now};
    if (!replaced(c, m->text, part, by, &edit.text))
        return RC_OK;
    *length = (int64_t)by.len;
    c->plans = true;
    return session_edit_in(db, c->r->set.config, &edit, e);
}

static enum rc edit(struct db *db, struct route *c, const struct channel_message *part, struct err *e)
{
    const struct incoming *in = c->in[0];
    struct message m;
    struct turn_order o;
    int64_t length = -1;                                   /* of the changed part */
    if (in->u.file.id && in->u.file.kind == CHANNEL_VOICE) /* a new caption would replace the words */
        return RC_OK;
    if (in->u.forwarded) /* nobody can edit it; its buttons or its place have changed */
        return RC_OK;
    if (in->u.text.len > (size_t)c->r->set.config->limits.message_bytes || !str_trim(in->u.text).len)
        return RC_OK;
    enum rc rc = store_message_by_client(db, c->a, c->user, part->client_id, &m, e);
    if (rc == RC_OK)
        rc = edit_message(db, c, &m, part, &length, e);
    else if (rc == RC_NOT_FOUND) {
        rc = store_turn_order_by_client(db, c->a, c->user, part->client_id, &o, e);
        if (rc == RC_OK)
            rc = edit_order(db, c, &o, part, &length, e);
    }
    if (rc == RC_NOT_FOUND) /* deleted before or meanwhile */
        return RC_OK;
    return rc == RC_OK && length >= 0 ? store_channel_message_resize(db, in->driver->name, in->u.place.chat,
                                            in->u.message, part, length, e)
                                      : rc;
}

enum rc route_edit(struct db *db, void *call, struct err *e)
{
    struct route *c = call;
    const struct channel_update *u = route_update(c);
    struct channel_message part;
    enum rc rc = route_person(db, c, e);
    if (rc != RC_OK)
        return rc;
    rc = store_channel_message_find(db, c->a, c->in[0]->driver->name, u->place.chat, u->message, &part, e);
    if (rc == RC_OK && c->user && part.owner == c->user)
        rc = edit(db, c, &part, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    return route_done(db, c, NULL, e);
}
