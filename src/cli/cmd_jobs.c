/* alfred jobs [list] | retry ID */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "app/jobs/jobs.h"
#include "base/clock.h"
#include "store/job.h"

#define LISTED 200 /* of each state */

static const char usage[] = "usage: alfred jobs [list]     what waits, runs, and what failed for good\n"
                            "       alfred jobs retry ID   a dead job once more\n";

static void print_job(const struct job *j)
{
    char at[CLOCK_RFC3339_SIZE];
    clock_rfc3339(j->ended_at ? j->ended_at : j->run_at, at);
    printf("%-8lld  %-7s  %-12s  %2d tries  %s  %s\n", (long long)j->id,
        strcmp(j->state, "ready") == 0    ? "waiting"
        : strcmp(j->state, "leased") == 0 ? "running"
                                          : j->state,
        j->kind, j->attempts, at, j->error ? j->error : "");
}

static enum rc list(struct store *store, struct err *e)
{
    static const char *const states[] = {"dead", "leased", "ready"};
    AUTO(arena) a = arena_new();
    struct db *db = store_read(store);
    enum rc rc = RC_OK;
    size_t n, all = 0;
    for (size_t s = 0; rc == RC_OK && s < ARRAY_LEN(states); s++) {
        struct job *jobs;
        rc = store_job_list(db, a, states[s], LISTED, &jobs, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            print_job(&jobs[i]);
        all += rc == RC_OK ? n : 0;
    }
    store_read_done(store, db);
    if (rc == RC_OK && all == 0)
        puts("There is nothing to do.");
    return rc;
}

static enum rc retry(struct store *store, const struct config *c, const char *word, struct err *e)
{
    int64_t id;
    struct auth_client from = {.address = "", .agent = "alfred jobs", .now = clock_wall_ms()};
    if (!str_to_int(str_of(word), 1, INT64_MAX, &id))
        return err_say(e, RC_BAD_INPUT, "\"%s\" is not the number of a job.", word);
    enum rc rc = jobs_retry(store, c, 0, id, &from, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, rc, "There is no dead job %lld.", (long long)id);
    if (rc == RC_OK)
        printf("Job %lld is tried again.\n", (long long)id);
    return rc;
}

int cmd_jobs(int argc, char **argv)
{
    bool again = argc == 3 && strcmp(argv[1], "retry") == 0;
    if (!again && argc != 1 && !(argc == 2 && strcmp(argv[1], "list") == 0)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    struct config *config = NULL;
    struct store *store = NULL;
    struct err e = ERR_INIT;
    enum rc rc = cli_open(&config, &store, &e);
    if (rc == RC_OK)
        rc = again ? retry(store, config, argv[2], &e) : list(store, &e);
    store_free(store);
    config_free(config);
    return rc == RC_OK ? 0 : cli_fail(&e);
}
