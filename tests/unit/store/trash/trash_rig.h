/* Shared by the tests of the trash. */
#ifndef ALFRED_TESTS_STORE_TRASH_RIG_H
#define ALFRED_TESTS_STORE_TRASH_RIG_H

#include "../rig.h"

#include "store/trash/trash.h"

__attribute__((unused)) static struct session session_of(struct db *db, struct arena *a, const char *pub)
{
    struct session s = {0};
    assert_ok(store_session_get(db, a, 1, pub, &s, NULL));
    return s;
}

__attribute__((unused)) static int64_t in_trash(struct db *db, int64_t owner)
{
    int64_t n;
    assert_ok(store_trash_count(db, owner, &n, NULL));
    return n;
}

__attribute__((unused)) static void purge(struct db *db)
{
    for (bool more = true; more;)
        assert_ok(store_trash_purge(db, 0, &more, NULL));
}

#endif
