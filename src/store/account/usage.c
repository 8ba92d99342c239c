#include "store/account/usage.h"

#include "store/row.h"

static struct usage_row read_usage(const struct rows *q, struct arena *a)
{
    return (struct usage_row){
        .quarter = rows_int(q, 0),
        .provider = row_text(q, 1, a),
        .model = row_text(q, 2, a),
        .background = rows_int(q, 3) != 0,
        .answers = rows_int(q, 4),
        .tokens_in = rows_int(q, 5),
        .tokens_out = rows_int(q, 6),
        .tokens_cached = rows_int(q, 7),
        .tokens_reasoning = rows_int(q, 8),
        .sound_ms = rows_int(q, 9),
    };
}

DEFINE_ROWS(usage, struct usage_row, read_usage, "usage")

enum rc store_usage_add(struct db *db, int64_t owner, const struct usage_row *u, struct err *e)
{
    return db_exec(db,
        "INSERT INTO usage (owner, quarter, provider, model, background, answers, tokens_in, tokens_out, "
        "tokens_cached, tokens_reasoning, sound_ms) SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM user "
        "WHERE id = ? "
        "ON CONFLICT (owner, quarter, provider, model, background) DO UPDATE SET "
        "answers = answers + excluded.answers, tokens_in = tokens_in + excluded.tokens_in, "
        "tokens_out = tokens_out + excluded.tokens_out, "
        "tokens_cached = tokens_cached + excluded.tokens_cached, "
        "tokens_reasoning = tokens_reasoning + excluded.tokens_reasoning, "
        "sound_ms = sound_ms + excluded.sound_ms",
        ARGS(v_int(u->quarter), v_text(u->provider), v_text(u->model), v_int(u->background),
            v_int(u->answers), v_int(u->tokens_in), v_int(u->tokens_out), v_int(u->tokens_cached),
            v_int(u->tokens_reasoning), v_int(u->sound_ms), v_int(owner)),
        NULL, e);
}

#define RECENT_ROWS "200" /* that are read to find the models; a row is at least a quarter of an hour */

enum rc store_usage_recent(struct db *db, struct arena *a, int64_t owner, int limit, struct usage_row **out,
    size_t *n, struct err *e)
{
    return list_usage(db, a,
        "SELECT max(quarter) AS last, provider, model, 0, 0, 0, 0, 0, 0, 0 FROM (SELECT quarter, provider, "
        "model "
        "FROM usage WHERE owner = ? AND background = 0 ORDER BY quarter DESC LIMIT " RECENT_ROWS ") "
        "GROUP BY provider, model ORDER BY last DESC, provider, model LIMIT ?",
        ARGS(v_int(owner), v_int(limit)), out, n, e);
}

#define SUMS                                                                                     \
    "sum(answers), sum(tokens_in), sum(tokens_out), sum(tokens_cached), sum(tokens_reasoning), " \
    "sum(sound_ms)"

enum rc store_usage_by_model(struct db *db, struct arena *a, int64_t owner, int64_t quarter,
    struct usage_row **out, size_t *n, struct err *e)
{
    return list_usage(db, a,
        "SELECT 0, provider, model, 0, sum(answers), sum(tokens_in), sum(tokens_out), sum(tokens_cached), 0, "
        "sum(sound_ms) "
        "FROM usage "
        "WHERE owner = ? AND quarter >= ? GROUP BY provider, model",
        ARGS(v_int(owner), v_int(quarter)), out, n, e);
}

enum rc store_usage_since(struct db *db, struct arena *a, int64_t owner, int64_t quarter,
    struct usage_row **out, size_t *n, struct err *e)
{
    if (owner)
        return list_usage(db, a,
            "SELECT quarter, provider, model, background, answers, tokens_in, tokens_out, tokens_cached, "
            "tokens_reasoning, sound_ms FROM usage WHERE owner = ? AND quarter >= ? ORDER BY quarter, "
            "provider, model",
            ARGS(v_int(owner), v_int(quarter)), out, n, e);
    return list_usage(db, a,
        "SELECT quarter, provider, model, background, " SUMS " FROM usage WHERE quarter >= ? "
        "GROUP BY quarter, provider, model, background ORDER BY quarter, provider, model",
        ARGS(v_int(quarter)), out, n, e);
}
