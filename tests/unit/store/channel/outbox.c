#include "store/channel/outbox.h"

#include "../rig.h"
#include "base/lang.h"
#include "base/said.h"
#include "store/channel/chat.h"

static int64_t chat(struct db *db, const char *id)
{
    int64_t out;
    struct channel_chat c = {.channel = "telegram", .chat = id, .thread = "", .owner = 1, .sender = id};
    assert_ok(store_channel_chat_add(db, &c, NOW, &out, NULL));
    return out;
}

static void post(struct db *db, int64_t chat_id, int64_t at)
{
    struct outbox_row r = {.chat_id = chat_id, .markdown = STR("Water the plants."), .created_at = at};
    assert_ok(store_outbox_add(db, &r, NULL));
}

static struct outbox_counts counts(struct db *db)
{
    struct outbox_counts n;
    assert_ok(store_outbox_counts(db, &n, NULL));
    return n;
}

static void sweep(struct db *db, int64_t now)
{
    int64_t removed;
    assert_ok(store_outbox_give_up(db, now, NULL));
    assert_ok(store_outbox_sweep(db, now - OUTBOX_KEEP_MS, 100, &removed, NULL));
}

TEST(messages_that_nobody_sends_end_after_a_week_with_a_reason)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct outbox_row *list;
    size_t n;
    int64_t seven = chat(db, "7"), eight = chat(db, "8");
    assert_ok(store_channel_chat_pause(db, "telegram", "8", NOW, NULL));
    for (int day = 0; day < 90; day++) {
        post(db, seven, NOW + day * MS_PER_DAY);
        post(db, eight, NOW + day * MS_PER_DAY);
        sweep(db, NOW + day * MS_PER_DAY);
    }
    assert_int_equal(counts(db).waiting, 2 * 8);
    assert_int_equal(counts(db).failed, 2 * 8); /* those that ended before this week are deleted */
    assert_ok(store_outbox_list(db, a, OUTBOX_FAILED, 1, &list, &n, NULL));
    assert_int_equal(n, 1);
    assert_string_equal(said_words(a, lang_english(), list->error), "It was not sent for 7 days.");
    assert_ok(store_outbox_retry(db, list->id, NOW + 90 * MS_PER_DAY, NULL));
    sweep(db, NOW + 90 * MS_PER_DAY);
    assert_int_equal(counts(db).waiting, 2 * 7 + 1); /* a day has passed for the others */
}

TEST(a_message_that_is_being_sent_is_left_to_its_outcome)
{
    AUTO(db) db = rig_db();
    post(db, chat(db, "7"), NOW);
    assert_ok(store_outbox_begin(db, 1, NULL));
    sweep(db, NOW + 90 * MS_PER_DAY);
    assert_int_equal(counts(db).sending, 1);
}
