/* Shared by tests of app: a store in a file of its own, and messages in it. */
#ifndef ALFRED_TESTS_APP_STORE_RIG_H
#define ALFRED_TESTS_APP_STORE_RIG_H

#include "migrated.h"

#include <stdio.h>

#include "store/message/message.h"
#include "store/store.h"

/* A fresh store with one reader, filled by `fill`; NULL: without users. */
__attribute__((unused)) static struct store *rig_store(store_fn *fill, void *arg)
{
    static int n;
    char path[256];
    struct store *s = NULL;
    struct err e = ERR_INIT;
    snprintf(path, sizeof path, "%s/%d.db", unit_tmp(), n++);
    if (store_open(unit_migrated(path), 1, &s, &e) != RC_OK ||
        (fill && store_write(s, fill, arg, &e) != RC_OK))
        fail_msg("%s", e.text);
    return s;
}

/* Adds a finished message. */
__attribute__((unused)) static enum rc rig_add_message(struct db *db, int64_t owner, int64_t session,
    int64_t parent, enum message_role role, const char *text, int64_t at, int64_t *id, struct err *e)
{
    struct message m = {.session_id = session,
        .parent_id = parent,
        .role = role,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = str_of(text),
        .created_at = at};
    enum rc rc = store_message_add(db, owner, &m, e);
    *id = m.id;
    return rc;
}

#endif
