/* Erasing a user while the helper imports conversations for the same user. */
#include "app/store_rig.h"

#include "app/erasure/erase_user.h"
#include "base/fs.h"
#include "store/account/user.h"
#include "store/session/session.h"
#include "store/transfer.h"
#include "store/trash/trash.h"

#define NOW INT64_C(1795182361000)

static const struct auth_client from = {.address = "", .agent = "", .now = NOW};
static struct config config;

/* User 1 stays, bert is erased. He has a session and an import that runs. */
static enum rc fill(struct db *db, void *arg, struct err *e)
{
    int64_t *bert = arg, id;
    struct transfer t = {.pub = "xfr_0", .kind = TRANSFER_IMPORT, .format = "", .created_at = NOW};
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, &id, e);
    if (rc == RC_OK)
        rc = store_user_add(db, "bert", USER_MEMBER, "x", NOW, bert, e);
    if (rc == RC_OK)
        rc = store_session_add(db, *bert, "ses_b", NULL, NULL, NOW, &id, e);
    t.owner = *bert;
    return rc == RC_OK ? store_transfer_add(db, &t, e) : rc;
}

static enum rc execute(struct db *db, void *sql, struct err *e)
{
    return db_exec(db, sql, NO_ARGS, NULL, e);
}

static struct store *start(int64_t *bert, const char *trigger)
{
    config = (struct config){.server.data_dir = (char *)(uintptr_t)unit_tmp(), .trash.days = 30};
    struct store *s = rig_store(fill, bert);
    assert_int_equal(store_write(s, execute, (void *)(uintptr_t)trigger, NULL), RC_OK);
    return s;
}

static enum rc erase(struct store *s, int64_t user_id, struct err *e)
{
    struct user_holdings erased;
    struct erasure x = {.store = s, .config = &config, .user_id = user_id, .from = &from};
    return erase_user(&x, &erased, e);
}

#define ADD_SESSION                                                                              \
    "BEGIN INSERT INTO session (owner, pub, created_at, active_at, seen_at) VALUES (OLD.owner, " \
    "'ses_new' || OLD.session_id, 1, 1, 1); END"

TEST(an_import_that_runs_ends_before_its_user_is_erased)
{
    int64_t bert;
    struct err e = ERR_INIT;
    AUTO(store)
    s = start(&bert, "CREATE TRIGGER import AFTER UPDATE OF erased ON trash "
                     "WHEN EXISTS (SELECT 1 FROM transfer WHERE owner = OLD.owner) " ADD_SESSION);
    if (erase(s, bert, &e) != RC_OK)
        fail_msg("%s", e.text);
}

TEST(a_conversation_that_appears_meanwhile_is_a_conflict_with_a_sentence)
{
    int64_t bert;
    struct err e = ERR_INIT;
    AUTO(store) s = start(&bert, "CREATE TRIGGER import AFTER UPDATE OF erased ON trash " ADD_SESSION);
    assert_int_equal(erase(s, bert, &e), RC_CONFLICT);
    assert_true(err_is(&e, "auth.sessions_left"));
    assert_int_equal(store_write(s, execute, (char[]){"DROP TRIGGER import"}, NULL), RC_OK);
    assert_int_equal(erase(s, bert, &e), RC_OK);
}

static enum rc trash_session_b(struct db *db, void *owner, struct err *e)
{
    return store_trash_session(db, *(int64_t *)owner, "ses_b", NOW, e);
}

static enum rc add_session_of_ann(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return store_session_add(db, 1, "ses_a", NULL, NULL, NOW, &(int64_t){0}, e);
}

static void add_transcript(const char *session, char path[FS_PATH_MAX])
{
    char all[FS_PATH_MAX], folder[FS_PATH_MAX];
    assert_int_equal(fs_join(all, unit_tmp(), "transcripts", NULL), RC_OK);
    assert_int_equal(fs_join(folder, all, session, NULL), RC_OK);
    assert_int_equal(fs_mkdirs(folder, NULL), RC_OK);
    assert_int_equal(fs_join(path, folder, "1.md", NULL), RC_OK);
    assert_int_equal(fs_write_atomic(path, STR("what was said"), NULL), RC_OK);
}

TEST(transcripts_of_the_users_trash_are_removed_and_those_of_others_stay)
{
    int64_t bert;
    char of_ann[FS_PATH_MAX], of_bert[FS_PATH_MAX];
    AUTO(store) s = start(&bert, "SELECT 1");
    assert_int_equal(store_write(s, trash_session_b, &bert, NULL), RC_OK);
    assert_int_equal(store_write(s, add_session_of_ann, NULL, NULL), RC_OK);
    add_transcript("ses_a", of_ann);
    add_transcript("ses_b", of_bert);
    assert_int_equal(erase(s, bert, NULL), RC_OK);
    assert_false(fs_exists(of_bert));
    assert_true(fs_exists(of_ann));
}
