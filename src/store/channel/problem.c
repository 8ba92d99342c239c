#include "store/channel/problem.h"

#include "store/row.h"

static struct channel_problem read_problem(const struct rows *q, struct arena *a)
{
    return (struct channel_problem){
        row_text(q, 0, a), row_text(q, 1, a), row_text(q, 2, a), rows_int(q, 3), rows_int(q, 4)};
}

DEFINE_ROWS(problem, struct channel_problem, read_problem, "problem")

enum rc store_channel_problem_set(struct db *db, const struct channel_problem *p, struct err *e)
{
    return db_exec(db,
        "INSERT INTO channel_problem (channel, task, error, at, next_at) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (channel, task) DO UPDATE SET error = excluded.error, next_at = excluded.next_at",
        ARGS(v_text(p->channel), v_text(p->task), v_text(p->error), v_int(p->at), v_int(p->next_at)), NULL,
        e);
}

enum rc store_channel_problem_clear(struct db *db, const char *channel, const char *task, struct err *e)
{
    return db_exec(db, "DELETE FROM channel_problem WHERE channel = ? AND task = ?",
        ARGS(v_text(channel), v_text(task)), NULL, e);
}

enum rc store_channel_problems_clear(struct db *db, struct err *e)
{
    return db_exec(db, "DELETE FROM channel_problem", NO_ARGS, NULL, e);
}

enum rc store_channel_problems(
    struct db *db, struct arena *a, struct channel_problem **out, size_t *n, struct err *e)
{
    return list_problem(db, a,
        "SELECT channel, task, error, at, next_at FROM channel_problem ORDER BY channel, task DESC", NO_ARGS,
        out, n, e);
}

enum rc store_channel_problems_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e)
{
    return db_exec(db, "UPDATE channel_problem SET next_at = next_at - ? WHERE next_at > ?",
        ARGS(v_int(ms), v_int(now)), NULL, e);
}
