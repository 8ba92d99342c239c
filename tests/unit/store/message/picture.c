#include "../rig.h"

#include "store/message/turn_order.h"

#include "codec/picture.h"
#include "store/message/picture.h"

static const char png[] = "image/png";

static struct picture add(struct db *db, struct arena *a, int64_t owner, const char *bytes)
{
    struct picture p = {.media_type = png, .width = 640, .height = 480, .bytes = (int64_t)strlen(bytes)};
    assert_ok(store_picture_add(db, a, owner, &p, str_of(bytes), NOW, NULL));
    assert_true(id_valid(ID_PICTURE, p.pub));
    return p;
}

static struct message question(int64_t session, const struct picture *list, size_t n)
{
    return (struct message){.session_id = session,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("q"),
        .created_at = NOW,
        .pictures = list,
        .pictures_n = n};
}

static int64_t ask(struct db *db, int64_t session, const struct picture *list, size_t n)
{
    struct message m = question(session, list, n);
    assert_ok(store_message_add(db, 1, &m, NULL));
    return m.id;
}

static bool exists(struct db *db, int64_t owner, const char *pub)
{
    AUTO(arena) a = arena_new();
    struct picture p;
    enum rc rc = store_picture_get(db, a, owner, pub, &p, NULL, NULL);
    assert_true(rc == RC_OK || rc == RC_NOT_FOUND);
    return rc == RC_OK;
}

TEST(a_picture_is_read_with_or_without_its_bytes_by_its_owner_only)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    struct picture p, one = add(db, a, 1, "abc\xFF");
    struct str data = {0};
    assert_ok(store_picture_get(db, a, 1, one.pub, &p, &data, NULL));
    assert_true(str_is(data, "abc\xFF"));
    assert_string_equal(p.pub, one.pub);
    assert_ptr_equal(p.media_type, picture_media_type(STR("image/png")));
    assert_int_equal(p.width, 640);
    assert_int_equal(p.height, 480);
    assert_int_equal(p.bytes, 4);
    assert_ok(store_picture_get(db, a, 1, one.pub, &p, NULL, NULL));
    assert_int_equal(p.bytes, 4);
    assert_rc(store_picture_get(db, a, 2, one.pub, &p, &data, NULL), RC_NOT_FOUND);
    assert_rc(store_picture_get(db, a, 2, one.pub, &p, NULL, NULL), RC_NOT_FOUND);
    assert_rc(store_picture_get(db, a, 1, "pic_00000000000000000000", &p, NULL, NULL), RC_NOT_FOUND);
    db_close(db);
}

TEST(pictures_are_found_in_the_order_of_their_ids)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    struct picture one = add(db, a, 1, "1"), two = add(db, a, 1, "22"), theirs = add(db, a, 2, "3"), *out;
    size_t n;
    assert_ok(store_pictures_find(
        db, a, 1, str_of(arena_printf(a, "  %s   %s ", two.pub, one.pub)), &out, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(out[0].bytes, 2);
    assert_string_equal(out[1].pub, one.pub);
    assert_ok(store_pictures_find(db, a, 1, STR(""), &out, &n, NULL));
    assert_int_equal(n, 0);
    assert_ok(store_pictures_find(db, a, 1, STR("  "), &out, &n, NULL));
    assert_int_equal(n, 0);

    struct err e = ERR_INIT;
    assert_rc(
        store_pictures_find(db, a, 1, str_of(arena_printf(a, "%s %s", one.pub, theirs.pub)), &out, &n, &e),
        RC_BAD_INPUT);
    assert_non_null(strstr(e.text, "no longer there"));
    db_close(db);
}

TEST(a_picture_that_is_named_twice_is_one)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t session = rig_session(db, 1, "ses_1");
    struct picture one = add(db, a, 1, "1"), two = add(db, a, 1, "22"), *out;
    size_t n;
    AUTO_STRBUF ids;
    strbuf_init(&ids, 4096);
    for (int i = 0; i < 2 * PICTURES_PER_MESSAGE; i++)
        strbuf_addf(&ids, "%s ", i % 2 ? one.pub : two.pub);
    assert_ok(store_pictures_find(db, a, 1, strbuf_str(&ids), &out, &n, NULL));
    assert_int_equal(n, 2);
    assert_string_equal(out[0].pub, two.pub);
    ask(db, session, out, n);
    db_close(db);
}

TEST(more_pictures_than_a_message_may_have_are_refused)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    struct picture *out;
    size_t n;
    AUTO_STRBUF ids;
    strbuf_init(&ids, 4096);
    for (int i = 0; i < PICTURES_PER_MESSAGE; i++)
        strbuf_addf(&ids, "%s ", add(db, a, 1, "x").pub);
    assert_ok(store_pictures_find(db, a, 1, strbuf_str(&ids), &out, &n, NULL));
    assert_int_equal(n, PICTURES_PER_MESSAGE);
    strbuf_adds(&ids, add(db, a, 1, "x").pub);
    struct err e = ERR_INIT;
    assert_rc(store_pictures_find(db, a, 1, strbuf_str(&ids), &out, &n, &e), RC_TOO_BIG);
    assert_non_null(strstr(e.text, "at most 8 pictures"));
    db_close(db);
}

TEST(a_picture_belongs_to_one_message)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t session = rig_session(db, 1, "ses_1");
    struct picture one = add(db, a, 1, "abc");
    ask(db, session, &one, 1);
    struct message again = question(session, &one, 1);
    struct err e = ERR_INIT;
    assert_ok(db_exec(db, "SAVEPOINT s", NO_ARGS, NULL, NULL));
    assert_rc(store_message_add(db, 1, &again, &e), RC_CONFLICT);
    assert_non_null(strstr(e.text, "no longer there"));
    assert_ok(db_exec(db, "ROLLBACK TO s", NO_ARGS, NULL, NULL));

    struct picture *mine = picture_list_copy(a, &one, 1);
    assert_ok(store_pictures_free(db, a, 1, mine, 1, NOW, NULL));
    assert_string_not_equal(mine[0].pub, one.pub);
    int64_t id = ask(db, session, mine, 1);
    struct str data;
    struct picture p;
    assert_ok(store_picture_get(db, a, 1, mine[0].pub, &p, &data, NULL));
    assert_true(str_is(data, "abc"));
    struct message m;
    assert_ok(store_message_get(db, a, 1, id, &m, NULL));
    assert_int_equal(m.pictures_n, 1);
    assert_string_equal(m.pictures[0].pub, mine[0].pub);
    db_close(db);
}

TEST(only_pictures_of_messages_are_copied_before_they_are_sent)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t session = rig_session(db, 1, "ses_1");
    struct picture list[] = {add(db, a, 1, "1"), add(db, a, 1, "2"), add(db, a, 2, "3")}, before[3];
    ask(db, session, &list[1], 1);
    memcpy(before, list, sizeof list);
    assert_ok(store_pictures_free(db, a, 1, list, 3, NOW, NULL));
    assert_string_equal(list[0].pub, before[0].pub);
    assert_string_not_equal(list[1].pub, before[1].pub);
    assert_string_equal(list[2].pub, before[2].pub); /* of another user: stays, and cannot be taken */
    struct message m = question(session, list, 3);
    assert_rc(store_message_add(db, 1, &m, NULL), RC_CONFLICT);
    db_close(db);
}

TEST(the_column_of_a_message_survives_the_way_through_json)
{
    AUTO(arena) a = arena_new();
    const struct picture *out,
        list[] = {{.pub = "pic_a", .media_type = png, .width = 1, .height = 16384, .bytes = 5242880},
            {.pub = "pic_b",
                .media_type = "image/webp",
                .width = 7,
                .height = 9,
                .bytes = 1,
                .alt = "A \"fox\"\n"}};
    size_t n;
    picture_list_read(a, picture_list_json(a, list, 2), &out, &n);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(out[i].pub, list[i].pub);
        assert_string_equal(out[i].alt ? out[i].alt : "", list[i].alt ? list[i].alt : "");
        assert_string_equal(out[i].media_type, list[i].media_type);
        assert_int_equal(out[i].width, list[i].width);
        assert_int_equal(out[i].height, list[i].height);
        assert_int_equal(out[i].bytes, list[i].bytes);
    }
    assert_null(picture_list_json(a, list, 0));
}

TEST(a_column_that_cannot_be_read_has_no_pictures)
{
    static const char good[] =
        "{\"id\":\"pic_a\",\"type\":\"image/png\",\"width\":1,\"height\":2,\"bytes\":3}";
    AUTO(arena) a = arena_new();
    const char *const bad[] = {NULL, "", "[", "{}", "null", "[1,null,\"x\",[]]",
        "[{\"id\":\"pic_a\",\"type\":\"image/svg+xml\",\"width\":1,\"height\":2,\"bytes\":3}]",
        "[{\"id\":1,\"type\":\"image/png\",\"width\":1,\"height\":2,\"bytes\":3}]",
        "[{\"id\":\"pic_a\",\"type\":\"image/png\",\"width\":\"1\",\"height\":2,\"bytes\":3}]",
        "[{\"id\":\"pic_a\",\"type\":\"image/png\",\"width\":1,\"height\":2}]"};
    const struct picture *out;
    size_t n = 9;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        picture_list_read(a, bad[i], &out, &n);
        assert_int_equal(n, 0);
    }
    picture_list_read(a, arena_printf(a, "[1,%s,{}]", good), &out, &n); /* the others stay */
    assert_int_equal(n, 1);
    assert_string_equal(out[0].pub, "pic_a");
}

TEST(the_oldest_picture_that_was_not_sent_makes_room_for_a_new_one)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t session = rig_session(db, 1, "ses_1");
    struct picture sent = add(db, a, 1, "x"), theirs = add(db, a, 2, "x"), ordered = add(db, a, 1, "x"),
                   old = add(db, a, 1, "x"), next = add(db, a, 1, "x");
    ask(db, session, &sent, 1);
    assert_ok(store_turn_order_add(db,
        &(struct turn_order){.owner = 1,
            .session = "ses_1",
            .kind = ORDER_SEND,
            .text = STR("What is this?"),
            .pictures = ordered.pub,
            .client_id = "c",
            .channel = "telegram",
            .purpose = ORDER_CHANNEL},
        NULL));
    for (int i = 3; i < PICTURES_UNSENT_MAX; i++)
        add(db, a, 1, "x");
    assert_true(exists(db, 1, old.pub));
    add(db, a, 1, "x");
    assert_false(exists(db, 1, old.pub));
    assert_true(exists(db, 1, next.pub) && exists(db, 1, ordered.pub) && exists(db, 1, sent.pub));
    assert_true(exists(db, 2, theirs.pub));
    db_close(db);
}

TEST(the_bytes_of_a_users_pictures_are_read_from_an_index)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t bytes = -1;
    assert_ok(store_pictures_bytes(db, 1, &bytes, NULL));
    assert_int_equal(bytes, 0);
    add(db, a, 1, "12");
    add(db, a, 1, "345");
    add(db, a, 2, "6789");
    assert_ok(store_pictures_bytes(db, 1, &bytes, NULL));
    assert_int_equal(bytes, 5);
    struct rows q;
    assert_ok(db_query(db, &q,
        "EXPLAIN QUERY PLAN SELECT coalesce(sum(length(data)), 0) FROM picture WHERE owner = 1", NO_ARGS,
        NULL));
    assert_true(rows_next(&q));
    assert_string_equal(rows_text(&q, 3), "SEARCH picture USING COVERING INDEX picture_owner (owner=?)");
    assert_ok(rows_done(&q, RC_OK, NULL));
    db_close(db);
}

TEST(the_sweep_removes_old_pictures_without_a_message_only)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t session = rig_session(db, 1, "ses_1"), removed = 0;
    struct picture sent = add(db, a, 1, "1"), old[] = {add(db, a, 1, "2"), add(db, a, 2, "3")},
                   young = {.media_type = png, .width = 1, .height = 1, .bytes = 1};
    ask(db, session, &sent, 1);
    assert_ok(store_picture_add(db, a, 1, &young, STR("4"), NOW + 1, NULL));
    assert_ok(store_picture_sweep(db, NOW, 10, &removed, NULL));
    assert_int_equal(removed, 0);
    assert_ok(store_picture_sweep(db, NOW + 1, 1, &removed, NULL));
    assert_int_equal(removed, 1);
    assert_ok(store_picture_sweep(db, NOW + 1, 10, &removed, NULL));
    assert_int_equal(removed, 1);
    assert_false(exists(db, 1, old[0].pub) || exists(db, 2, old[1].pub));
    assert_true(exists(db, 1, sent.pub) && exists(db, 1, young.pub));
    db_close(db);
}

TEST(a_picture_is_deleted_with_its_message_or_its_user)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t session = rig_session(db, 1, "ses_1");
    struct picture sent = add(db, a, 1, "1"), unsent = add(db, a, 1, "2"), theirs = add(db, a, 2, "3");
    int64_t id = ask(db, session, &sent, 1);
    struct picture *copy = picture_list_copy(a, &sent, 1);
    assert_ok(store_pictures_free(db, a, 1, copy, 1, NOW, NULL));
    ask(db, session, copy, 1);
    assert_ok(rig_message_delete(db, 1, session, id, NULL));
    assert_false(exists(db, 1, sent.pub));
    assert_true(exists(db, 1, copy[0].pub) && exists(db, 1, unsent.pub));
    assert_ok(db_exec(db, "DELETE FROM user WHERE id = 1", NO_ARGS, NULL, NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM picture"), 1);
    assert_true(exists(db, 2, theirs.pub));
    db_close(db);
}

/* Pictures of some MB each are not erased in one transaction with two hundred messages. */
TEST(the_purge_erases_one_picture_at_a_time)
{
    AUTO(arena) a = arena_new();
    struct db *db = rig_db();
    int64_t session = rig_session(db, 1, "ses_1"), left = 3;
    struct picture list[] = {add(db, a, 1, "1"), add(db, a, 1, "2"), add(db, a, 1, "3")};
    ask(db, session, list, 2);
    ask(db, session, &list[2], 1);
    assert_ok(store_trash_session(db, 1, "ses_1", NOW, NULL));
    assert_ok(store_trash_erase(db, 1, "ses_1", NULL));
    for (bool more = true; more;) {
        assert_ok(store_trash_purge(db, 1, &more, NULL));
        int64_t now = rig_int(db, "SELECT count(*) FROM picture");
        assert_in_range(now, left ? left - 1 : 0, left);
        left = now;
    }
    assert_int_equal(left, 0);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM session"), 0);
    db_close(db);
}
