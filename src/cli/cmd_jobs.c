/* alfred jobs list, retry */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "app/jobs/jobs.h"
#include "base/clock.h"
#include "base/said.h"
#include "store/job.h"

#define LISTED 200 /* jobs of each state */

static void print_job(struct arena *a, const struct job *j)
{
    char at[CLOCK_RFC3339_SIZE];
    clock_rfc3339(j->ended_at ? j->ended_at : j->run_at, at);
    printf("%-8lld  %-7s  %-12s  %2d tries  %s  %s\n", (long long)j->id,
        strcmp(j->state, "ready") == 0    ? "waiting"
        : strcmp(j->state, "leased") == 0 ? "running"
                                          : j->state,
        j->kind, j->attempts, at, j->error ? said_words(a, lang_english(), j->error) : "");
}

static enum rc list(struct cli *k, const struct command_line *l, struct err *e)
{
    static const char *const states[] = {"dead", "leased", "ready"};
    (void)l;
    struct db *db = store_read(k->store);
    enum rc rc = RC_OK;
    size_t n, all = 0;
    for (size_t s = 0; rc == RC_OK && s < ARRAY_LEN(states); s++) {
        struct job *jobs;
        rc = store_job_list(db, k->arena, states[s], LISTED, &jobs, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            print_job(k->arena, &jobs[i]);
        all += rc == RC_OK ? n : 0;
    }
    int64_t skipped[SKIP_REASONS];
    if (rc == RC_OK)
        rc = jobs_skipped(db, skipped, e);
    store_read_done(k->store, db);
    if (rc == RC_OK && all == 0)
        puts("There is nothing to do.");
    for (enum vector_skip i = 0; rc == RC_OK && i < SKIP_REASONS; i++)
        if (skipped[i])
            printf("texts without a vector: %lld  %s\n", (long long)skipped[i],
                lang_text(lang_english(), job_skip_label(i)));
    return rc;
}

static bool read_id(const struct command_line *l, int64_t *id)
{
    return str_to_int(str_of(l->args[0]), 1, INT64_MAX, id);
}

static enum rc retry_kind(struct cli *k, const char *kind, struct err *e)
{
    int64_t n, all = 0;
    enum rc rc;
    do {
        rc = jobs_retry_kind(k->store, k->config, 0, kind, &k->from, &n, e);
        all += n;
    } while (rc == RC_OK && n >= JOBS_RETRIED_MAX);
    if (rc == RC_OK && all == 0)
        return err_tell(e, RC_NOT_FOUND, "There is no dead job \"%s\" to retry.", kind);
    if (rc == RC_OK)
        printf("%lld jobs will be retried.\n", (long long)all);
    return rc;
}

static enum rc retry(struct cli *k, const struct command_line *l, struct err *e)
{
    int64_t id;
    if (!read_id(l, &id))
        return retry_kind(k, l->args[0], e);
    enum rc rc = jobs_retry(k->store, k->config, 0, id, &k->from, e);
    if (rc == RC_NOT_FOUND)
        return err_tell(e, rc, "There is no dead job %lld.", (long long)id);
    if (rc == RC_OK)
        printf("Job %lld will be retried.\n", (long long)id);
    return rc;
}

int cmd_jobs_list(const struct command_line *l)
{
    return cli_run(l, list);
}

int cmd_jobs_retry(const struct command_line *l)
{
    int64_t id;
    if (!read_id(l, &id) && !job_is_kind(l->args[0]))
        return command_misused(l, "\"%s\" is neither the number nor the kind of a job", l->args[0]);
    return cli_run(l, retry);
}
