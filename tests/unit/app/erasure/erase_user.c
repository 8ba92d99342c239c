/* Erasing a user while the helper imports conversations for the same user. */
#include "app/store_rig.h"

#include "app/erasure/erase_user.h"
#include "base/fs.h"
#include "store/account/user.h"
#include "store/message/picture.h"
#include "store/row.h"
#include "store/search/vector.h"
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

#define AFTER_THE_USER \
    "WHEN NOT EXISTS (SELECT 1 FROM user WHERE id = OLD.owner) BEGIN SELECT RAISE(ABORT, 'late'); END"

/* A picture that was not sent, and ten packs of vectors. */
static enum rc add_bytes(struct db *db, void *arg, struct err *e)
{
    AUTO(arena) a = arena_new();
    const int64_t bert = *(int64_t *)arg;
    const struct embedding_model m = {.provider = "p", .model = "m", .prefix = "", .dimension = 2};
    int64_t model;
    struct picture p = {.media_type = "image/png", .width = 1, .height = 1};
    enum rc rc = store_picture_add(db, a, bert, &p, STR("bytes"), NOW, e);
    if (rc == RC_OK)
        rc = store_embedding_model_add(db, &m, NOW, &model, e);
    for (int64_t i = 1; rc == RC_OK && i <= 10; i++)
        rc = db_exec(db,
            "INSERT INTO pack_message_1 (id, first, owner, ids, scales, v) VALUES (?, ?, ?, x'00', x'00', "
            "x'00')",
            ARGS(v_int(owner_first(bert) + i), v_int(owner_first(bert) + i), v_int(bert)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(
            db, "CREATE TRIGGER late_pack BEFORE DELETE ON pack_message_1 " AFTER_THE_USER, NO_ARGS, NULL, e);
    return rc == RC_OK ? db_exec(db, "CREATE TRIGGER late_picture BEFORE DELETE ON picture " AFTER_THE_USER,
                             NO_ARGS, NULL, e)
                       : rc;
}

TEST(pictures_and_packs_of_vectors_are_deleted_in_steps_before_the_user)
{
    int64_t bert;
    struct err e = ERR_INIT;
    AUTO(store) s = start(&bert, "SELECT 1");
    assert_int_equal(store_write(s, add_bytes, &bert, NULL), RC_OK);
    if (erase(s, bert, &e) != RC_OK)
        fail_msg("%s", e.text);
}
