#include "../rig.h"

#include "store/account/audit.h"

TEST(audit_rows_are_kept)
{
    AUTO(db) db = rig_db();
    assert_ok(store_audit(db, NOW, 1, "signin", "web", "10.0.0.1", NULL));
    assert_ok(store_audit(db, NOW, 0, "signin_refused", "unknown name", "10.0.0.1", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM audit WHERE user_id IS NULL"), 1);
    assert_int_equal(rig_int(db, "SELECT user_id FROM audit WHERE action = 'signin'"), 1);
    assert_int_equal(rig_int(db, "SELECT sum(times) FROM audit WHERE last_at IS NULL"), 2);
}

static void refuse(struct db *db, int64_t user, int n, int64_t from)
{
    for (int i = 0; i < n; i++)
        assert_ok(store_audit(db, from + i, user, "refused", "wrong token", "10.0.0.1", NULL));
}

TEST(a_flood_of_one_action_is_counted_in_one_row)
{
    AUTO(db) db = rig_db();
    refuse(db, 2, 1000, NOW);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM audit"), AUDIT_WINDOW_ROWS);
    assert_int_equal(rig_int(db, "SELECT sum(times) FROM audit"), 1000);
    assert_int_equal(rig_int(db, "SELECT max(times) FROM audit"), 1000 - AUDIT_WINDOW_ROWS + 1);
    assert_int_equal(rig_int(db, "SELECT last_at FROM audit WHERE times > 1"), NOW + 999);
}

TEST(a_flood_hides_no_other_action_and_no_other_user)
{
    AUTO(db) db = rig_db();
    refuse(db, 2, 1000, NOW);
    assert_ok(store_audit(db, NOW + 2000, 2, "password_changed", "", "10.0.0.1", NULL));
    assert_int_equal(rig_int(db, "SELECT count(*) FROM audit WHERE action = 'password_changed'"), 1);
    refuse(db, 1, 1, NOW + 2000);
    refuse(db, 0, 1, NOW + 2000);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM audit WHERE coalesce(user_id, 0) <> 2"), 2);
}

TEST(after_the_window_rows_are_written_again)
{
    AUTO(db) db = rig_db();
    refuse(db, 2, AUDIT_WINDOW_ROWS + 5, NOW);
    refuse(db, 2, 3, NOW + AUDIT_WINDOW_MS + AUDIT_WINDOW_ROWS);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM audit"), AUDIT_WINDOW_ROWS + 3);
}

TEST(the_sweep_removes_by_age_and_by_number_in_steps)
{
    AUTO(db) db = rig_db();
    int64_t removed;
    refuse(db, 2, 100, NOW);
    assert_ok(store_audit_sweep(db, NOW + 10, 1000, 7, &removed, NULL));
    assert_int_equal(removed, 7);
    assert_ok(store_audit_sweep(db, NOW + 10, 1000, 7, &removed, NULL));
    assert_int_equal(removed, 3);
    assert_int_equal(rig_int(db, "SELECT min(at) FROM audit"), NOW + 10);
    assert_ok(store_audit_sweep(db, NOW, 20, 1000, &removed, NULL));
    assert_int_equal(removed, 70);
    assert_int_equal(rig_int(db, "SELECT count(*) FROM audit"), 20);
    assert_int_equal(rig_int(db, "SELECT max(at) FROM audit"), NOW + 99);
    assert_ok(store_audit_sweep(db, NOW, 20, 1000, &removed, NULL));
    assert_int_equal(removed, 0);
}
