/* The columns of a session's row and the statements of lists, for the files of this folder. */
#ifndef ALFRED_STORE_SESSION_SESSION_PRIVATE_H
#define ALFRED_STORE_SESSION_SESSION_PRIVATE_H

#include "store/row.h"
#include "store/session/session_filter.h"

/* Parts of a session's row from other tables; SESSION_TAGS is "3 garden,0 home" (session_tag_next()). Few
 * sessions meet the WHEN conditions. SQLite opens the tables of an inner query again for each row, but those
 * of a WHEN condition only once. */
#define SESSION_TAGS                                                                                   \
    "CASE WHEN id IN (SELECT session_id FROM session_tag) THEN "                                       \
    "(SELECT group_concat(label, ',') FROM (SELECT tag.colour || ' ' || tag.name AS label "            \
    "FROM session_tag x CROSS JOIN tag ON tag.id = x.tag_id WHERE x.session_id = session.id ORDER BY " \
    "tag.folded COLLATE numeric)) END"
#define SESSION_ENDS                                           \
    "CASE WHEN id IN (SELECT session_id FROM temporary) THEN " \
    "(SELECT x.ends_at FROM temporary x WHERE x.session_id = session.id) ELSE 0 END"
#define SESSION_COMPACT_ERROR                                           \
    "CASE WHEN id IN (SELECT session_id FROM compaction_request) THEN " \
    "(SELECT coalesce(error, '') FROM compaction_request r WHERE r.session_id = session.id) END"

#define SESSION_COLUMNS                                                                                      \
    "id, owner, pub, title, provider, model, coalesce(head_id, 0), message_count, running_turns, "           \
    "created_at, active_at, seen_at, pinned, coalesce(archived_at, 0), topic, keywords, workspace, "         \
    "context_tokens, context_window, " SESSION_COMPACT_ERROR                                                 \
    ", titled_by <> 'none', archived_by_user, effort, "                                                      \
    "coalesce(persona_id, 0), coalesce(temperature, -1), coalesce(answer_tokens, 0), channel, " SESSION_TAGS \
    ", " SESSION_ENDS

struct session session_read(const struct rows *q, struct arena *a);

/* A statement and its values, in the arena. */
struct session_statement {
    const char *sql;
    struct db_args args;
};
/* That of a filter. `page` NULL: without order and limit. */
enum rc session_statement(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    const struct session_page *page, const char *columns, struct session_statement *out, struct err *e);

#endif
