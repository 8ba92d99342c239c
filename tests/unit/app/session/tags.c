#include "app/store_rig.h"

#include <stdio.h>

#include "app/session/tags.h"
#include "store/account/user.h"

#define NOW INT64_C(1795182361000)

static int64_t anna;

static enum rc fill_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    int64_t id;
    char name[16];
    enum rc rc = store_user_add(db, "anna", USER_MEMBER, "", NOW, &anna, e);
    for (int i = 0; rc == RC_OK && i < TAGS_MAX; i++) {
        snprintf(name, sizeof name, "t%d", i);
        rc = store_tag_add(db, anna, name, 0, NOW, &id, e);
    }
    return rc;
}

TEST(a_refused_tag_has_the_sentence_of_its_reason)
{
    AUTO(store) s = rig_store(fill_tx, NULL);
    int64_t id;
    struct err e = ERR_INIT;
    assert_int_equal(tag_add(s, anna, STR("T7"), 0, NOW, &id, &e), RC_CONFLICT);
    assert_true(err_is(&e, "tag.exists"));
    assert_int_equal(tag_add(s, anna, STR("more"), 0, NOW, &id, &e), RC_CONFLICT);
    assert_true(err_is(&e, "tag.too_many"));
}

static enum rc break_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return db_exec(db, "ALTER TABLE tag RENAME COLUMN folded TO other", NO_ARGS, NULL, e);
}

TEST(a_look_up_that_fails_keeps_its_cause)
{
    AUTO(store) s = rig_store(fill_tx, NULL);
    int64_t id;
    struct err e = ERR_INIT;
    assert_int_equal(store_write(s, break_tx, NULL, NULL), RC_OK);
    assert_int_equal(tag_add(s, anna, STR("more"), 0, NOW, &id, &e), RC_INTERNAL);
    assert_non_null(strstr(e.text, "no such column"));
}
