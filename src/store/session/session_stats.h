/* Figures of one session, for its page of details. Messages in the trash are not among them. */
#ifndef ALFRED_STORE_SESSION_SESSION_STATS_H
#define ALFRED_STORE_SESSION_SESSION_STATS_H

#include "store/store.h"

/* By provider and model; only answers that a model wrote. */
struct model_stats {
    const char *provider, *model;
    int64_t answers, tokens_in, tokens_out, tokens_cached, tokens_reasoning;
};

struct tool_stats {
    const char *tool;
    int64_t calls;
};

/* The last message of a branch. */
struct branch_end {
    int64_t id;
    struct str text; /* its beginning, at most BRANCH_TEXT_CHARS characters */
    int64_t created_at;
};

#define BRANCH_TEXT_CHARS 200

struct session_stats {
    int64_t asked, answered, tool_results; /* messages by role; answered: without steps that call tools */
    int64_t text_bytes;                    /* texts, reasoning, arguments and results of tools */
    int64_t picture_bytes;
    int64_t compactions, summaries;
    int64_t summary_bytes; /* of both */
    struct model_stats *models;
    size_t models_n;
    struct tool_stats *tools; /* the most used first */
    size_t tools_n;
    const char **channels;
    size_t channels_n;
    int64_t branches_n;          /* of all branches */
    struct branch_end *branches; /* the newest ones, at most `branches_most` */
    size_t branches_shown;
};

/* RC_NOT_FOUND: not the owner's session. */
enum rc store_session_stats(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int branches_most, struct session_stats *out, struct err *e);

#endif
