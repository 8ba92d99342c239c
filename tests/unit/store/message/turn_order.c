/* Orders for turns, as rows. */
#include "../rig.h"

#include "store/message/picture.h"
#include "store/message/turn_order.h"

static const char *add_picture(struct db *db, struct arena *a)
{
    struct picture p = {.media_type = "image/png", .width = 1, .height = 1, .bytes = 1};
    assert_ok(store_picture_add(db, a, 1, &p, STR("x"), NOW, NULL));
    return p.pub;
}

TEST(pictures_of_an_order_that_waits_stay)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    rig_session(db, 1, "ses_1");
    const char *first = add_picture(db, a), *second = add_picture(db, a);
    add_picture(db, a);
    const struct turn_order o = {.owner = 1,
        .session = "ses_1",
        .text = STR(""),
        .pictures = arena_printf(a, "%s %s", first, second),
        .client_id = "c",
        .channel = "telegram",
        .purpose = ORDER_CHANNEL,
        .created_at = NOW};
    assert_ok(store_turn_order_add(db, &o, NULL));
    struct turn_order stored;
    assert_ok(store_turn_order_by_client(db, a, 1, "c", &stored, NULL));
    assert_string_equal(stored.pictures, o.pictures);
    int64_t removed;
    assert_ok(store_picture_sweep(db, NOW + 1, 10, &removed, NULL));
    assert_int_equal(removed, 1);
    assert_ok(store_turn_order_refuse(db, stored.id, "no", NULL));
    assert_ok(store_picture_sweep(db, NOW + 1, 10, &removed, NULL));
    assert_int_equal(removed, 2);
    db_close(db);
}
