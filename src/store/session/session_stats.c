#include "store/session/session_stats.h"

#include "store/row.h"

/* A message without one below it. */
#define BRANCH_ENDS                                                                                       \
    "FROM message m WHERE m.session_id = ? AND NOT EXISTS (SELECT 1 FROM message c WHERE c.session_id = " \
    "m.session_id "                                                                                       \
    "AND c.parent_id = m.id)"

static struct session_stats read_counts(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct session_stats){.asked = rows_int(q, 0),
        .answered = rows_int(q, 1),
        .tool_results = rows_int(q, 2),
        .text_bytes = rows_int(q, 3)};
}
DEFINE_ROWS(counts, struct session_stats, read_counts, "session")

static struct model_stats read_model(const struct rows *q, struct arena *a)
{
    return (struct model_stats){.provider = row_text(q, 0, a),
        .model = row_text(q, 1, a),
        .answers = rows_int(q, 2),
        .tokens_in = rows_int(q, 3),
        .tokens_out = rows_int(q, 4),
        .tokens_cached = rows_int(q, 5),
        .tokens_reasoning = rows_int(q, 6)};
}
DEFINE_ROWS(model, struct model_stats, read_model, "model")

static struct tool_stats read_tool(const struct rows *q, struct arena *a)
{
    return (struct tool_stats){row_text(q, 0, a), rows_int(q, 1)};
}
DEFINE_ROWS(tool, struct tool_stats, read_tool, "tool")

static struct branch_end read_branch(const struct rows *q, struct arena *a)
{
    return (struct branch_end){rows_int(q, 0), row_str(q, 1, a), rows_int(q, 2)};
}
DEFINE_ROWS(branch, struct branch_end, read_branch, "branch")

static enum rc count_summaries(struct db *db, int64_t session_id, struct session_stats *out, struct err *e)
{
    struct db_args one = ARGS(v_int(session_id));
    int64_t bytes = 0;
    enum rc rc =
        db_one_int(db, "SELECT count(*) FROM compaction WHERE session_id = ?", one, &out->compactions, e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT count(*) FROM summary WHERE session_id = ?", one, &out->summaries, e);
    if (rc == RC_OK)
        rc =
            db_one_int(db, "SELECT coalesce(sum(octet_length(text)), 0) FROM compaction WHERE session_id = ?",
                one, &out->summary_bytes, e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT coalesce(sum(octet_length(text)), 0) FROM summary WHERE session_id = ?",
            one, &bytes, e);
    out->summary_bytes += bytes;
    return rc;
}

enum rc store_session_stats(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int branches_most, struct session_stats *out, struct err *e)
{
    struct db_args one = ARGS(v_int(session_id));
    enum rc rc = get_counts(db, a,
        "SELECT count(*) FILTER (WHERE m.role = 'user'), "
        "count(*) FILTER (WHERE m.role = 'assistant' AND m.calls IS NULL), "
        "count(*) FILTER (WHERE m.role = 'tool'), "
        "coalesce(sum(octet_length(m.text) + coalesce(octet_length(m.reasoning), 0) + "
        "coalesce(octet_length(m.calls), 0) + coalesce(octet_length(m.opaque), 0)), 0) "
        "FROM session s LEFT JOIN message m ON m.session_id = s.id WHERE s.id = ? AND s.owner = ? GROUP BY "
        "s.id",
        ARGS(v_int(session_id), v_int(owner)), out, e);
    if (rc == RC_OK)
        rc = db_one_int(db,
            "SELECT coalesce(sum(length(p.data)), 0) FROM message m JOIN picture p ON p.message_id = m.id "
            "WHERE m.session_id = ? AND m.pictures IS NOT NULL",
            one, &out->picture_bytes, e);
    if (rc == RC_OK)
        rc = list_model(db, a,
            "SELECT coalesce(provider, ''), coalesce(model, ''), count(*) FILTER (WHERE calls IS NULL), "
            "coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(tokens_cached), 0), "
            "coalesce(sum(tokens_reasoning), 0) FROM message WHERE session_id = ? AND role = 'assistant' "
            "AND model IS NOT NULL GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
            one, &out->models, &out->models_n, e);
    if (rc == RC_OK)
        rc = list_tool(db, a,
            "SELECT coalesce(tool, ''), count(*) FROM message WHERE session_id = ? AND role = 'tool' "
            "GROUP BY 1 ORDER BY 2 DESC, 1",
            one, &out->tools, &out->tools_n, e);
    if (rc == RC_OK)
        rc = row_list_texts(db, a, "SELECT DISTINCT channel FROM message WHERE session_id = ? ORDER BY 1",
            one, &out->channels, &out->channels_n, e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT count(*) " BRANCH_ENDS, one, &out->branches_n, e);
    if (rc == RC_OK)
        rc = list_branch(db, a,
            "SELECT m.id, substr(m.text, 1, ?), m.created_at " BRANCH_ENDS " ORDER BY m.id DESC LIMIT ?",
            ARGS(v_int(BRANCH_TEXT_CHARS), v_int(session_id), v_int(branches_most)), &out->branches,
            &out->branches_shown, e);
    return rc == RC_OK ? count_summaries(db, session_id, out, e) : rc;
}
