/* The trash as its callers see it: what a repeated or foreign request gets, what is planned after a return,
 * and the audit trail. */
#include "trash_place.h"

#define FOUND "SELECT count(*) FROM message_text WHERE message_text MATCH 'walrus'"

TEST(a_session_goes_to_the_trash_and_comes_back_however_often_it_is_asked)
{
    AUTO(store) s = start();
    struct trash_restored back;
    const char *pub = place.sessions[0].pub;
    assert_int_equal(delete (s, place.bert, pub), RC_NOT_FOUND);
    assert_int_equal(delete (s, place.anna, pub), RC_OK);
    assert_int_equal(delete (s, place.anna, pub), RC_OK);
    assert_int_equal(number(s, LISTED), 1);
    assert_int_equal(number(s, FOUND), 2);
    assert_int_equal(restore(s, place.bert, pub, &back), RC_GONE);
    assert_int_equal(restore(s, place.anna, pub, &back), RC_OK);
    assert_string_equal(back.pub, pub);
    assert_int_equal(restore(s, place.anna, pub, &back), RC_OK); /* another device was faster */
    assert_int_equal(back.session_id, place.sessions[0].id);
    assert_int_equal(number(s, FOUND), 4);
    assert_int_equal(number(s, "SELECT count(*) FROM audit WHERE action = 'session_restored'"), 1);
}

TEST(the_jobs_that_went_with_a_session_are_planned_again)
{
    AUTO(store) s = start();
    struct trash_restored back;
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    assert_int_equal(number(s, "SELECT count(*) FROM job WHERE kind = 'title'"), 0);
    assert_int_equal(restore(s, place.anna, place.sessions[0].pub, &back), RC_OK);
    assert_int_equal(number(s, "SELECT count(*) FROM job WHERE kind = 'title' AND state = 'ready'"), 1);
    assert_int_equal(number(s, "SELECT count(*) FROM job WHERE kind = 'embed' AND state = 'ready'"), 1);
}

static enum rc ask_for_work(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    int64_t id = place.sessions[0].id, last = place.sessions[0].reply;
    struct compaction_request r = {.session_id = id, .head_id = last, .keep = "", .asked_at = NOW};
    enum rc rc = store_compaction_request(db, place.anna, &r, e);
    if (rc == RC_OK)
        rc = store_summary_request(db, place.anna, (struct message_range){id, 0, last}, NOW, e);
    return rc == RC_OK ? store_session_set_topic(db, place.anna, id, "Walruses", "walrus", last, e) : rc;
}

TEST(summaries_that_were_asked_for_are_planned_again)
{
    AUTO(store) s = start();
    struct trash_restored back;
    assert_int_equal(store_write(s, ask_for_work, NULL, NULL), RC_OK);
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    assert_int_equal(restore(s, place.anna, place.sessions[0].pub, &back), RC_OK);
    assert_int_equal(number(s, "SELECT count(*) FROM job WHERE kind = 'compact' AND state = 'ready'"), 1);
    assert_int_equal(number(s, "SELECT count(*) FROM job WHERE kind = 'summarise' AND state = 'ready'"), 1);
}

TEST(what_is_made_of_a_deleted_message_is_made_again_without_it)
{
    AUTO(store) s = start();
    char entry[ID_SIZE];
    assert_int_equal(store_write(s, ask_for_work, NULL, NULL), RC_OK);
    assert_int_equal(trash_message(s, &config, place.anna, place.sessions[0].pub, place.sessions[0].reply,
                         &from, entry, NULL),
        RC_OK);
    assert_int_equal(number(s, "SELECT count(*) FROM session WHERE owner > 0 AND topic IS NOT NULL"), 0);
    assert_int_equal(number(s, "SELECT head_id FROM compaction_request"), place.sessions[0].asked);
    assert_int_equal(number(s, "SELECT count(*) FROM job WHERE kind = 'compact' AND state = 'ready'"), 1);
}

TEST(a_message_goes_with_all_below_it_and_returns_with_its_session)
{
    AUTO(store) s = start();
    struct trash_restored back;
    char entry[ID_SIZE];
    const char *pub = place.sessions[0].pub;
    int64_t asked = place.sessions[0].asked;
    assert_int_equal(trash_message(s, &config, place.bert, pub, asked, &from, entry, NULL), RC_NOT_FOUND);
    assert_int_equal(trash_message(s, &config, place.anna, pub, asked, &from, entry, NULL), RC_OK);
    assert_int_equal(number(s, FOUND), 2);
    assert_int_equal(delete (s, place.anna, pub), RC_OK);
    assert_int_equal(number(s, LISTED), 2);
    assert_int_equal(restore(s, place.anna, entry, &back), RC_OK); /* needs its session */
    assert_string_equal(back.pub, pub);
    assert_int_equal(back.message_id, asked);
    assert_int_equal(number(s, LISTED), 0);
    assert_int_equal(number(s, FOUND), 4);
}

TEST(all_entries_return_and_are_counted)
{
    AUTO(store) s = start();
    int64_t n;
    char entry[ID_SIZE];
    assert_int_equal(trash_message(s, &config, place.anna, place.sessions[0].pub, place.sessions[0].reply,
                         &from, entry, NULL),
        RC_OK);
    for (size_t i = 0; i < ARRAY_LEN(place.sessions); i++)
        assert_int_equal(delete (s, place.anna, place.sessions[i].pub), RC_OK);
    assert_int_equal(trash_restore_all(s, &config, place.bert, &from, &n, NULL), RC_OK);
    assert_int_equal(n, 0);
    assert_int_equal(trash_restore_all(s, &config, place.anna, &from, &n, NULL), RC_OK);
    assert_int_equal(n, 3);
    assert_int_equal(number(s, FOUND), 4);
}

TEST(what_is_erased_is_gone_at_once_and_its_rows_after_the_task)
{
    AUTO(store) s = start();
    struct trash_restored back;
    struct helper h = {.config = &config, .store = s};
    assert_int_equal(delete (s, place.anna, place.sessions[0].pub), RC_OK);
    assert_int_equal(trash_erase(s, &config, place.bert, place.sessions[0].pub, &from, NULL), RC_GONE);
    assert_int_equal(trash_erase(s, &config, place.anna, place.sessions[0].pub, &from, NULL), RC_OK);
    assert_int_equal(trash_erase(s, &config, place.anna, place.sessions[0].pub, &from, NULL), RC_GONE);
    assert_int_equal(restore(s, place.anna, place.sessions[0].pub, &back), RC_GONE);
    assert_int_equal(number(s, "SELECT count(*) FROM message"), 4);
    assert_int_equal(task_purge_trash(&h, &(struct job){0}, NULL), RC_OK);
    assert_int_equal(number(s, "SELECT count(*) FROM message"), 2);
    assert_int_equal(number(s, "SELECT count(*) FROM session"), 1);
}

TEST(the_task_erases_what_is_older_than_the_setting_allows)
{
    AUTO(store) s = start();
    struct helper h = {.config = &config, .store = s};
    struct auth_client old = from, fresh = from;
    old.now = clock_wall_ms() - config.trash.days * MS_PER_DAY - 1;
    fresh.now = clock_wall_ms();
    assert_int_equal(trash_session(s, &config, place.anna, place.sessions[0].pub, &old, NULL), RC_OK);
    assert_int_equal(trash_session(s, &config, place.anna, place.sessions[1].pub, &fresh, NULL), RC_OK);
    assert_int_equal(task_purge_trash(&h, &(struct job){0}, NULL), RC_OK);
    assert_int_equal(number(s, LISTED), 1);
    assert_int_equal(number(s, "SELECT count(*) FROM message"), 2);
}
