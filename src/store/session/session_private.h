/* The columns of a session's row and the statements of lists, for the files of this folder. */
#ifndef ALFRED_STORE_SESSION_PRIVATE_H
#define ALFRED_STORE_SESSION_PRIVATE_H

#include "store/row.h"
#include "store/session/session_filter.h"

/* "3 garden,0 home": see session_tag_next(). */
#define SESSION_TAGS                                                                                   \
    "(SELECT group_concat(label, ',') FROM (SELECT tag.colour || ' ' || tag.name AS label "            \
    "FROM session_tag x CROSS JOIN tag ON tag.id = x.tag_id WHERE x.session_id = session.id ORDER BY " \
    "tag.folded))"

#define SESSION_COLUMNS                                                                                      \
    "id, owner, pub, title, provider, model, coalesce(head_id, 0), message_count, running_turns, "           \
    "created_at, active_at, seen_at, pinned, coalesce(archived_at, 0), topic, keywords, workspace, "         \
    "context_tokens, context_window, "                                                                       \
    "(SELECT coalesce(error, '') FROM compaction_request r WHERE r.session_id = session.id), "               \
    "titled_by <> 'none', archived_by_user, effort, "                                                        \
    "coalesce(persona_id, 0), coalesce(temperature, -1), coalesce(answer_tokens, 0), channel, " SESSION_TAGS \
    ", "                                                                                                     \
    "coalesce((SELECT x.ends_at FROM temporary x WHERE x.session_id = session.id), 0)"

struct session session_read(const struct rows *q, struct arena *a);

/* The statement of a filter, with its values, in the arena. `page` NULL: without order and limit. */
enum rc session_statement(struct db *db, struct arena *a, int64_t owner, const struct session_filter *f,
    const struct session_page *page, const char *columns, const char **sql, struct db_args *args,
    struct err *e);

#endif
