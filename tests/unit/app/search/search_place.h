/* Shared by the tests of searches: a store with two users, sessions with messages, and the helper's task
 * that embeds them. */
#ifndef ALFRED_TESTS_SEARCH_PLACE_H
#define ALFRED_TESTS_SEARCH_PLACE_H

#include "store/rig.h"

#include "app/jobs/helper_notify.h"
#include "app/search/search.h"
#include "app/search/search_tasks.h"
#include "base/clock.h"

struct place {
    struct config *config;
    struct providers *providers;
    struct store *store;
    int64_t ann, bob;
};

__attribute__((unused)) static enum rc users_tx(struct db *db, void *arg, struct err *e)
{
    struct place *p = arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "-", NOW, &p->ann, e);
    return rc == RC_OK ? store_user_add(db, "bob", USER_MEMBER, "-", NOW, &p->bob, e) : rc;
}

__attribute__((unused)) static struct place open_place(const char *settings)
{
    char path[128];
    struct place p = {0};
    unsetenv("OPENAI_API_KEY");
    assert_ok(config_parse("test", unit_tmp(), str_of(settings), &p.config, NULL));
    assert_ok(providers_new(p.config, &p.providers, NULL));
    assert_ok(store_open(unit_migrated(rig_path(path)), 2, &p.store, NULL));
    assert_ok(store_write(p.store, users_tx, &p, NULL));
    return p;
}

__attribute__((unused)) static void close_place(struct place *p)
{
    store_free(p->store);
    providers_free(p->providers);
    config_free(p->config);
}

struct said {
    int64_t owner, session, id, at;
    const char *text;
};

__attribute__((unused)) static enum rc say_tx(struct db *db, void *arg, struct err *e)
{
    struct said *s = arg;
    char pub[32];
    enum rc rc = RC_OK;
    if (!s->session) {
        static int n;
        snprintf(pub, sizeof pub, "ses_%d", ++n);
        rc = store_session_add(db, s->owner, pub, NULL, NULL, NOW, &s->session, e);
    }
    struct message m = {.session_id = s->session,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = str_of(s->text),
        .created_at = s->at ? s->at : NOW};
    if (rc == RC_OK)
        rc = store_message_add(db, s->owner, &m, e);
    s->id = m.id;
    return rc;
}

__attribute__((unused)) static struct said say(
    struct place *p, int64_t owner, int64_t session, int64_t at, const char *text)
{
    struct said s = {.owner = owner, .session = session, .at = at, .text = text};
    assert_ok(store_write(p->store, say_tx, &s, NULL));
    return s;
}

static enum rc take_job_tx(struct db *db, void *arg, struct err *e)
{
    return db_exec(db, "DELETE FROM job WHERE kind = ?", ARGS(v_text(JOB_EMBED)), arg, e);
}

/* Runs the task, and its next slices on a busy machine. */
__attribute__((unused)) static enum rc embed(struct place *p, int64_t owner)
{
    struct helper h = {.config = p->config, .providers = p->providers, .store = p->store};
    struct job job = {.owner = owner, .kind = JOB_EMBED};
    int64_t more;
    enum rc rc;
    do {
        rc = task_embed(&h, &job, NULL);
        assert_ok(store_write(p->store, take_job_tx, &more, NULL));
    } while (rc == RC_OK && more);
    return rc;
}

#endif
