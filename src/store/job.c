#include "store/job.h"

#include "store/memory/compaction.h"
#include "store/row.h"

#define JOB_COLUMNS                                                                                          \
    "id, coalesce(owner, 0), subject, kind, state, error, attempts, run_at, created_at, coalesce(ended_at, " \
    "0), coalesce(tried_at, 0)"

static struct job read_job(const struct rows *q, struct arena *a)
{
    return (struct job){
        .id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .subject = rows_int(q, 2),
        .kind = row_text(q, 3, a),
        .state = row_text(q, 4, a),
        .error = row_text(q, 5, a),
        .attempts = (int)rows_int(q, 6),
        .run_at = rows_int(q, 7),
        .created_at = rows_int(q, 8),
        .ended_at = rows_int(q, 9),
        .tried_at = rows_int(q, 10),
    };
}

DEFINE_ROWS(job, struct job, read_job, "job")

/* A waiting job that is due and wanted no later is left unchanged. Otherwise SQLite would write the row
 * and two index entries again, and each message adds an embed job that usually waits already. */
static enum rc add(struct db *db, const char *kind, int64_t owner, int64_t subject, int64_t run_at,
    int64_t now, int64_t wanted_at, struct err *e)
{
    return db_exec(db,
        "INSERT INTO job (kind, owner, subject, state, run_at, created_at, wanted_at) "
        "VALUES (?, ?, ?, 'ready', ?, ?, ?) "
        "ON CONFLICT (kind, coalesce(owner, 0), subject) WHERE state = 'ready' DO UPDATE SET "
        "run_at = CASE WHEN excluded.run_at < job.run_at THEN excluded.run_at ELSE job.run_at END, "
        "wanted_at = CASE WHEN excluded.wanted_at > job.wanted_at THEN excluded.wanted_at ELSE job.wanted_at "
        "END WHERE excluded.run_at < job.run_at OR excluded.wanted_at > job.wanted_at",
        ARGS(v_text(kind), v_id(owner), v_int(subject), v_int(run_at), v_int(now), v_int(wanted_at)), NULL,
        e);
}

enum rc store_job_add(struct db *db, const char *kind, int64_t owner, int64_t subject, int64_t run_at,
    int64_t now, struct err *e)
{
    return add(db, kind, owner, subject, run_at, now, 0, e);
}

enum rc store_job_add_wanted(struct db *db, const char *kind, int64_t owner, int64_t subject, int64_t run_at,
    int64_t now, struct err *e)
{
    return add(db, kind, owner, subject, run_at, now, now, e);
}

enum rc store_job_purge_later(struct db *db, struct err *e)
{
    int64_t now = clock_wall_ms();
    return store_job_add(db, JOB_PURGE_INDEX, 0, 0, now + JOB_PURGE_DELAY_MS, now, e);
}

/* The columns of the index job_once, which contains ready jobs only. */
#define READY_OF_SESSION \
    "state = 'ready' AND kind IN (" JOB_KINDS_OF_SESSIONS ") AND coalesce(owner, 0) = ? AND subject = ?"

enum rc store_job_want_session(struct db *db, int64_t owner, int64_t session_id, int64_t now, struct err *e)
{
    return db_exec(db, "UPDATE job SET wanted_at = ? WHERE " READY_OF_SESSION,
        ARGS(v_int(now), v_int(owner), v_int(session_id)), NULL, e);
}

enum rc store_job_is_behind(
    struct db *db, int64_t owner, int64_t session_id, int64_t now, bool *out, struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db,
        "SELECT count(*) FROM job WHERE " READY_OF_SESSION " AND run_at <= ? AND wanted_at < coalesce("
        "(SELECT max(wanted_at) FROM job WHERE state = 'ready' AND wanted_at > 0), 1)",
        ARGS(v_int(owner), v_int(session_id), v_int(now)), &n, e);
    *out = n > 0;
    return rc;
}

#define LEASE                                                                      \
    "UPDATE job SET state = 'leased', attempts = attempts + 1, leased_until = ?, " \
    "tried_at = coalesce(tried_at, ?) WHERE id = "

/* The claims of each lane as constant texts. Embed jobs are found by their kind: there is at most one per
 * user. */
#define OLDEST(of_lane)                                                                                 \
    LEASE "coalesce((SELECT id FROM job WHERE state = 'leased' AND leased_until <= ? AND " of_lane      \
          " ORDER BY leased_until LIMIT 1), (SELECT id FROM job WHERE state = 'ready' AND run_at <= ? " \
          "AND " of_lane " ORDER BY run_at, id LIMIT 1)) RETURNING " JOB_COLUMNS
#define WANTED(of_lane)                                                                              \
    LEASE "(SELECT id FROM job WHERE state = 'ready' AND wanted_at > 0 AND run_at <= ? AND " of_lane \
          " ORDER BY wanted_at DESC, run_at, id LIMIT 1) RETURNING " JOB_COLUMNS
#define NEXT_DUE(of_lane)                                                                       \
    "SELECT min(at) FROM (SELECT min(run_at) AS at FROM job WHERE state = 'ready' AND " of_lane \
    " UNION ALL SELECT min(leased_until) FROM job WHERE state = 'leased' AND " of_lane          \
    ") AS due HAVING min(at) IS NOT NULL"
/* The index job_upkeep has exactly this list of kinds: after a change of the list a migration creates it
 * again. SQLite uses the index only then, and the upkeep lane does not read thousands of jobs about sessions.
 * The unary "+" keeps the index of kinds out of the plan: the index of times gives the first due row at once.
 */
#define KINDS_OF_LANE JOB_KINDS_OF_SESSIONS ", '" JOB_SWEEP_TRANSCRIPTS "'"
#define OF_SESSIONS   "+kind IN (" KINDS_OF_LANE ")"
#define OF_EMBED      "kind = '" JOB_EMBED "'"
#define OF_UPKEEP     "kind NOT IN (" KINDS_OF_LANE ", '" JOB_EMBED "')"

/* The statement of each lane. */
#define BY_LANE(statement)                                                    \
    ((const char *const[JOB_LANES]){[LANE_SESSIONS] = statement(OF_SESSIONS), \
        [LANE_EMBED] = statement(OF_EMBED),                                   \
        [LANE_UPKEEP] = statement(OF_UPKEEP)})

/* Jobs with an expired lease come first, because they have waited longest. */
enum rc store_job_claim(struct db *db, struct arena *a, enum job_lane lane, int64_t now, int64_t lease_until,
    struct job *out, struct err *e)
{
    return get_job(
        db, a, BY_LANE(OLDEST)[lane], ARGS(v_int(lease_until), v_int(now), v_int(now), v_int(now)), out, e);
}

enum rc store_job_claim_wanted(struct db *db, struct arena *a, enum job_lane lane, int64_t now,
    int64_t lease_until, struct job *out, struct err *e)
{
    return get_job(db, a, BY_LANE(WANTED)[lane], ARGS(v_int(lease_until), v_int(now), v_int(now)), out, e);
}

enum rc store_job_forget_session(struct db *db, int64_t session_id, struct err *e)
{
    return db_exec(db, "DELETE FROM job WHERE subject = ? AND kind IN (" JOB_KINDS_OF_SESSIONS ")",
        ARGS(v_int(session_id)), NULL, e);
}

/* Deletes earlier dead jobs for the work of a job that has ended: there is nothing left to retry when it is
 * done, and only the job itself when it is dead. The unary "+" keeps the index of subjects out of the plan:
 * most jobs have subject 0, and few are dead. */
static enum rc drop_dead_twins(struct db *db, int64_t id, struct err *e)
{
    return db_exec(db,
        "DELETE FROM job WHERE state = 'dead' AND id <> ? AND (kind, coalesce(owner, 0), +subject) = "
        "(SELECT kind, coalesce(owner, 0), subject FROM job WHERE id = ?)",
        ARGS(v_int(id), v_int(id)), NULL, e);
}

enum rc store_job_done(struct db *db, int64_t id, int64_t now, struct err *e)
{
    enum rc rc = row_change(db, "leased job",
        "UPDATE job SET state = 'done', leased_until = NULL, error = NULL, ended_at = ? "
        "WHERE id = ? AND state = 'leased'",
        ARGS(v_int(now), v_int(id)), e);
    return rc == RC_OK ? drop_dead_twins(db, id, e) : rc;
}

/* Only one job of a kind may be ready. The leased one stays, because it has the attempts. */
static enum rc drop_ready_twin(struct db *db, int64_t id, struct err *e)
{
    return db_exec(db,
        "DELETE FROM job WHERE state = 'ready' AND (kind, coalesce(owner, 0), subject) = "
        "(SELECT kind, coalesce(owner, 0), subject FROM job WHERE id = ? AND state = 'leased')",
        ARGS(v_int(id)), NULL, e);
}

static enum rc back_to_ready(
    struct db *db, int64_t id, int64_t run_at, const char *error, int uncounted, struct err *e)
{
    enum rc rc = drop_ready_twin(db, id, e);
    if (rc != RC_OK)
        return rc;
    return row_change(db, "leased job",
        "UPDATE job SET state = 'ready', leased_until = NULL, run_at = ?, error = ?, attempts = attempts - ? "
        "WHERE id = ? AND state = 'leased'",
        ARGS(v_int(run_at), v_text(error), v_int(uncounted), v_int(id)), e);
}

enum rc store_job_retry(struct db *db, int64_t id, int64_t run_at, const char *error, struct err *e)
{
    return back_to_ready(db, id, run_at, error, 0, e);
}

enum rc store_job_postpone(struct db *db, int64_t id, int64_t run_at, const char *error, struct err *e)
{
    return back_to_ready(db, id, run_at, error, 1, e);
}

enum rc store_job_release_all(struct db *db, int64_t now, struct err *e)
{
    enum rc rc = db_exec(db,
        "DELETE FROM job WHERE state = 'ready' AND EXISTS (SELECT 1 FROM job old WHERE old.state = 'leased' "
        "AND old.kind = job.kind AND coalesce(old.owner, 0) = coalesce(job.owner, 0) "
        "AND old.subject = job.subject)",
        NO_ARGS, NULL, e);
    if (rc == RC_OK) /* only an older helper can leave several; one of them gets the work */
        rc = db_exec(db,
            "DELETE FROM job WHERE state = 'leased' AND EXISTS (SELECT 1 FROM job newer "
            "WHERE newer.state = 'leased' AND newer.id > job.id AND newer.kind = job.kind "
            "AND coalesce(newer.owner, 0) = coalesce(job.owner, 0) AND newer.subject = job.subject)",
            NO_ARGS, NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE job SET state = 'ready', leased_until = NULL, run_at = ?, "
            "error = 'The helper ended while it ran.' WHERE state = 'leased'",
            ARGS(v_int(now)), NULL, e);
    return rc;
}

static enum rc die(struct db *db, int64_t id, int64_t now, const char *error, int uncounted, struct err *e)
{
    enum rc rc = row_change(db, "leased job",
        "UPDATE job SET state = 'dead', leased_until = NULL, error = ?, ended_at = ?, "
        "attempts = attempts - ? WHERE id = ? AND state = 'leased'",
        ARGS(v_text(error), v_int(now), v_int(uncounted), v_int(id)), e);
    return rc == RC_OK ? drop_dead_twins(db, id, e) : rc;
}

enum rc store_job_dead(struct db *db, int64_t id, int64_t now, const char *error, struct err *e)
{
    return die(db, id, now, error, 0, e);
}

enum rc store_job_found_dead(struct db *db, int64_t id, int64_t now, const char *error, struct err *e)
{
    return die(db, id, now, error, 1, e);
}

enum rc store_job_hasten(struct db *db, int64_t owner, int64_t now, struct err *e)
{
    return db_exec(db, "UPDATE job SET run_at = ? WHERE state = 'ready' AND run_at > ? AND owner = ?",
        ARGS(v_int(now), v_int(now), v_int(owner)), NULL, e);
}

enum rc store_job_next_due(struct db *db, enum job_lane lane, int64_t *run_at, struct err *e)
{
    return db_one_int(db, BY_LANE(NEXT_DUE)[lane], NO_ARGS, run_at, e);
}

enum rc store_job_list(
    struct db *db, struct arena *a, const char *state, int limit, struct job **out, size_t *n, struct err *e)
{
    return list_job(db, a,
        "SELECT " JOB_COLUMNS " FROM job WHERE coalesce(?, state) = state ORDER BY id DESC LIMIT ?",
        ARGS(v_text(state), v_int(limit)), out, n, e);
}

enum rc store_job_latest(struct db *db, struct arena *a, const char *kind, int64_t owner, int64_t subject,
    struct job *out, struct err *e)
{
    return get_job(db, a,
        "SELECT " JOB_COLUMNS " FROM job WHERE subject = ? AND kind = ? AND coalesce(owner, 0) = ? "
        "ORDER BY id DESC LIMIT 1",
        ARGS(v_int(subject), v_text(kind), v_int(owner)), out, e);
}

enum rc store_job_last_done(struct db *db, const char *kind, int64_t *at, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce(max(ended_at), 0) FROM job WHERE subject = 0 AND kind = ? AND state = 'done'",
        ARGS(v_text(kind)), at, e);
}

static struct job_count read_count(const struct rows *q, struct arena *a)
{
    return (struct job_count){row_text(q, 0, a), rows_int(q, 1), rows_int(q, 2), rows_int(q, 3)};
}

DEFINE_ROWS(count, struct job_count, read_count, "count")

/* One query per state, so that each reads its own index and none reads all finished jobs. */
enum rc store_job_counts(struct db *db, struct arena *a, struct job_count **out, size_t *n, struct err *e)
{
    return list_count(db, a,
        "SELECT kind, sum(ready), sum(leased), sum(dead) FROM ("
        "SELECT kind, 1 AS ready, 0 AS leased, 0 AS dead FROM job WHERE state = 'ready' "
        "UNION ALL SELECT kind, 0, 1, 0 FROM job WHERE state = 'leased' "
        "UNION ALL SELECT kind, 0, 0, 1 FROM job WHERE state = 'dead') AS one GROUP BY kind ORDER BY kind",
        NO_ARGS, out, n, e);
}

#define REVIVE                                                                                             \
    "UPDATE job SET state = 'ready', attempts = 0, run_at = ?, error = NULL, ended_at = NULL, tried_at = " \
    "NULL "

/* A transfer has failed with its job. */
static enum rc revive_transfers(struct db *db, struct err *e)
{
    return db_exec(db,
        "UPDATE transfer SET state = 'waiting', error = NULL, ended_at = NULL WHERE state = 'failed' "
        "AND id IN (SELECT subject FROM job WHERE kind IN (" JOB_KINDS_OF_TRANSFERS ") AND state = 'ready')",
        NO_ARGS, NULL, e);
}

enum rc store_job_revive(struct db *db, int64_t id, int64_t now, struct err *e)
{
    int64_t twin;
    enum rc rc = db_one_int(db,
        "SELECT t.id FROM job d JOIN job t ON t.subject = d.subject AND t.kind = d.kind "
        "AND coalesce(t.owner, 0) = coalesce(d.owner, 0) AND t.state = 'ready' "
        "WHERE d.id = ? AND d.state = 'dead'",
        ARGS(v_int(id)), &twin, e);
    if (rc == RC_OK)
        return err_say(e, RC_CONFLICT, "job.same_waits");
    if (rc != RC_NOT_FOUND)
        return rc;
    rc = row_change(db, "dead job", REVIVE "WHERE id = ? AND state = 'dead'", ARGS(v_int(now), v_int(id)), e);
    return rc == RC_OK ? revive_transfers(db, e) : rc;
}

enum rc store_job_revive_kind(
    struct db *db, const char *kind, int limit, int64_t now, int64_t *revived, struct err *e)
{
    enum rc rc = db_exec(db,
        REVIVE "WHERE id IN (SELECT max(id) FROM (SELECT d.id, coalesce(d.owner, 0) AS owner, d.subject "
               "FROM job d WHERE d.state = 'dead' AND d.kind = ? AND NOT EXISTS (SELECT 1 FROM job t "
               "WHERE t.subject = d.subject AND t.kind = d.kind "
               "AND coalesce(t.owner, 0) = coalesce(d.owner, 0) AND t.state = 'ready') LIMIT ?) AS some "
               "GROUP BY owner, subject)",
        ARGS(v_int(now), v_text(kind), v_int(limit)), revived, e);
    return rc == RC_OK && *revived ? revive_transfers(db, e) : rc;
}

enum rc store_job_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE state = 'done' AND ended_at < ? LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), removed, e);
}

enum rc store_job_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e)
{
    return db_exec(db, "UPDATE job SET run_at = run_at - ? WHERE state = 'ready' AND run_at > ?",
        ARGS(v_int(ms), v_int(now)), NULL, e);
}
