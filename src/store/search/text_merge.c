#include "store/search/text_merge.h"

/* Pages that one step writes. A word is not divided, and a page that is written can cost several that are
 * read, so a step of 16 takes 3 to 10 ms. */
#define STEP_PAGES 16
#define STEP_IDLE  2 /* fewer changes mean that the merge is complete (FTS5, "The merge command") */

static const char *const merges[] = {
    "INSERT INTO message_text (message_text, rank) VALUES ('merge', ?)",
    "INSERT INTO message_pair (message_pair, rank) VALUES ('merge', ?)",
    "INSERT INTO session_subject (session_subject, rank) VALUES ('merge', ?)",
    "INSERT INTO summary_text (summary_text, rank) VALUES ('merge', ?)",
    "INSERT INTO memory_text (memory_text, rank) VALUES ('merge', ?)",
};

static enum rc merge(struct db *db, const char *sql, int pages, bool *worked, struct err *e)
{
    static const char changes[] = "SELECT total_changes()";
    int64_t before = 0, after = 0;
    enum rc rc = db_one_int(db, changes, NO_ARGS, &before, e);
    if (rc == RC_OK)
        rc = db_exec(db, sql, ARGS(v_int(pages)), NULL, e);
    if (rc == RC_OK)
        rc = db_one_int(db, changes, NO_ARGS, &after, e);
    *worked = rc == RC_OK && after - before >= STEP_IDLE;
    return rc;
}

enum rc store_text_merge(struct db *db, bool *more, struct err *e)
{
    enum rc rc = RC_OK;
    *more = false;
    for (size_t i = 0; rc == RC_OK && !*more && i < ARRAY_LEN(merges); i++)
        rc = merge(db, merges[i], STEP_PAGES, more, e);
    return rc;
}

enum rc store_text_purge(struct db *db, bool begin, bool *more, struct err *e)
{
    bool worked;
    enum rc rc = RC_OK;
    if (!begin)
        return store_text_merge(db, more, e);
    /* a negative number begins a merge of all segments, a positive one continues it */
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(merges); i++)
        rc = merge(db, merges[i], -1, &worked, e);
    *more = true;
    return rc;
}
