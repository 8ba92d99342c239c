/*
 * The text index (FTS5, external content) and the removal of erased text from it.
 *
 * FTS5 deletes by writing a delete marker. The words stay in its older segments until these are merged.
 * FTS5's option secure-delete rewrites a page for every word. It took 2 ms per message (400 messages: 0.8 s
 * against 0.04 s), during which no one else can write. So a deletion adds a job, and the helper merges all
 * segments into one, in small steps.
 */
#include "store/message_private.h"

#define STEP_PAGES 500 /* of the index, written in one step */
#define STEP_IDLE  2   /* fewer changes mean that the merge is complete (FTS5, "The merge command") */

enum rc message_index_add(struct db *db, int64_t id, struct str text, struct err *e)
{
    return db_exec(
        db, "INSERT INTO message_text (rowid, text) VALUES (?, ?)", ARGS(v_int(id), v_str(text)), NULL, e);
}

enum rc store_message_purge_index(struct db *db, bool begin, bool *more, struct err *e)
{
    static const char changes[] = "SELECT total_changes()";
    int64_t before = 0, after = 0;
    *more = false;
    enum rc rc = db_one_int(db, changes, NO_ARGS, &before, e);
    /* a negative number begins a merge of all segments, a positive one continues it */
    if (rc == RC_OK)
        rc = db_exec(db, "INSERT INTO message_text (message_text, rank) VALUES ('merge', ?)",
            ARGS(v_int(begin ? -STEP_PAGES : STEP_PAGES)), NULL, e);
    if (rc == RC_OK)
        rc = db_one_int(db, changes, NO_ARGS, &after, e);
    if (rc == RC_OK)
        *more = after - before >= STEP_IDLE;
    return rc;
}
