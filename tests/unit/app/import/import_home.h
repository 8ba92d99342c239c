/* Shared by the tests of whole imports: a store with two users. */
#ifndef ALFRED_TESTS_APP_IMPORT_HOME_H
#define ALFRED_TESTS_APP_IMPORT_HOME_H

#include "import_rig.h"

#include "store/account/user.h"

struct home {
    struct store *store;
    struct config *config;
    struct arena *a;
};

__attribute__((unused)) static enum rc users_tx(struct db *db, void *arg, struct err *e)
{
    int64_t *id = arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, id, e);
    return rc == RC_OK ? store_user_add(db, "bob", USER_MEMBER, "x", NOW, id, e) : rc;
}

__attribute__((unused)) static struct home home(void)
{
    int64_t id;
    struct home h = {.a = arena_new()};
    h.store = rig_store(users_tx, &id);
    assert_ok(config_load(write_file("alfred.toml", STR("")), &h.config, NULL));
    h.config->server.data_dir = unit_tmp();
    return h;
}

__attribute__((unused)) static void leave(struct home *h)
{
    store_free(h->store);
    config_free(h->config);
    arena_free(h->a);
}

__attribute__((unused)) static struct transfer imports(const struct home *h, const char *text)
{
    struct transfer t = {.owner = 1, .format = ""};
    bool whole = false;
    struct import_args x = {
        .store = h->store, .config = h->config, .path = write_file("in.json", str_of(text))};
    assert_ok(import_run(&x, &t, &whole, NULL));
    assert_true(whole);
    return t;
}

__attribute__((unused)) static int64_t number(const struct home *h, const char *sql)
{
    int64_t n = -1;
    struct db *db = store_read(h->store);
    assert_ok(db_one_int(db, sql, NO_ARGS, &n, NULL));
    store_read_done(h->store, db);
    return n;
}

#endif
