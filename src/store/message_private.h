/* What message.c (single messages) and message_tree.c (paths, branches, deletion) share. */
#ifndef ALFRED_STORE_MESSAGE_PRIVATE_H
#define ALFRED_STORE_MESSAGE_PRIVATE_H

#include "store/message.h"
#include "store/row.h"

#define MESSAGE_COLUMNS                                                                                     \
    "m.id, m.session_id, coalesce(m.thread_id, 0), coalesce(m.parent_id, 0), m.role, m.status, m.channel, " \
    "m.text, m.calls, m.call_id, m.tool, m.error, m.client_id, m.provider, m.model, "                       \
    "coalesce(m.tokens_in, 0), coalesce(m.tokens_out, 0), m.created_at, coalesce(m.ended_at, 0)"
#define MESSAGE_COLUMNS_N 19

/* The words of the columns; their CHECKs allow no others. */
enum message_role message_role_of(struct str word);
enum message_status message_status_of(struct str word);

struct message message_read(const struct rows *q, struct arena *a);

/* The text index: takes a text; lets the words of what was deleted go, some time later. */
enum rc message_index_add(struct db *db, int64_t id, struct str text, struct err *e);
enum rc message_index_purge_later(struct db *db, struct err *e);

/* A foreign id and an absent one are the same. */
static inline enum rc message_owned(int64_t owner, int64_t id, struct err *e)
{
    return id > 0 && message_owner(id) == owner ? RC_OK : err_set(e, RC_NOT_FOUND, "no such message");
}

#endif
