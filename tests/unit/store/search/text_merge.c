/* Merges of the text indexes: none in a user's transaction, small ones in the helper's. */
#include "../rig.h"

#include "store/search/text_merge.h"

#define MESSAGES   12 /* FTS5 by itself merges 16 segments of a level */
#define WORDS      20000
#define PAGE_BYTES 4050 /* of FTS5 */
#define STEP_MAX   40   /* pages that a step of 16 may write: a word is not divided */

static int64_t segments(struct db *db)
{
    return rig_int(db, "SELECT count(DISTINCT segid) FROM message_text_idx");
}

static int64_t bytes(struct db *db)
{
    return rig_int(db, "SELECT sum(length(block)) FROM message_text_data");
}

/* Each is longer than what makes FTS5 merge: 64 pages. */
static void add_long_messages(struct db *db, int64_t session)
{
    char *text = xmalloc(WORDS * 16);
    for (int m = 0; m < MESSAGES; m++) {
        size_t at = 0;
        for (int w = 0; w < WORDS; w++)
            at += (size_t)snprintf(text + at, 16, "w%dx%d ", w, m % 3);
        rig_message(db, 1, session, 0, ROLE_USER, text);
    }
    free_charp(&text);
}

TEST(messages_add_segments_and_the_helper_merges_them_in_small_steps)
{
    AUTO(db) db = rig_db();
    add_long_messages(db, rig_session(db, 1, "ses_1"));
    assert_int_equal(segments(db), MESSAGES);
    bool more = true;
    int steps = 0;
    for (; more; steps++) {
        int64_t before = rig_int(db, "SELECT max(id & 0x7fffffff) FROM message_text_data");
        assert_ok(store_text_merge(db, &more, NULL));
        int64_t after = rig_int(db, "SELECT max(id & 0x7fffffff) FROM message_text_data");
        assert_true(after - before <= STEP_MAX);
    }
    assert_true(steps > bytes(db) / PAGE_BYTES / STEP_MAX);
    assert_in_range(segments(db), 1, 3);
    assert_int_equal(rig_hits(db, "w17x1"), MESSAGES / 3);
    rig_check_index(db);
}

TEST(merging_ends_when_there_is_nothing_to_merge)
{
    AUTO(db) db = rig_db();
    rig_message(db, 1, rig_session(db, 1, "ses_1"), 0, ROLE_USER, "alone");
    bool more = true;
    assert_ok(store_text_merge(db, &more, NULL));
    assert_false(more);
}
