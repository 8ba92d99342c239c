#include "store/channel/bot.h"

#include "../rig.h"

TEST(bot_has_the_newest_description)
{
    AUTO(db) db = rig_db();
    AUTO(arena) a = arena_new();
    struct channel_bot got, b = {.channel = "telegram",
                                .external_id = "1",
                                .username = "old_bot",
                                .name = "Old",
                                .checked_at = NOW};
    assert_rc(store_channel_bot_get(db, a, "telegram", &got, NULL), RC_NOT_FOUND);
    assert_ok(store_channel_bot_put(db, &b, NULL));
    b.username = "alfred_bot";
    b.external_id = "9007199254740993";
    b.checked_at = NOW + 1;
    assert_ok(store_channel_bot_put(db, &b, NULL));
    assert_ok(store_channel_bot_get(db, a, "telegram", &got, NULL));
    assert_string_equal(got.username, "alfred_bot");
    assert_string_equal(got.name, "Old");
    assert_string_equal(got.external_id, "9007199254740993");
    assert_int_equal(got.checked_at, NOW + 1);
    assert_rc(store_channel_bot_get(db, a, "mail", &got, NULL), RC_NOT_FOUND);
}
