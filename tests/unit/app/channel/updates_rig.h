/* Shared by the tests of the router and the intake: a store with two people, anna (7) and bert (8), and a
 * channel "test" whose updates are written by hand. */
#ifndef ALFRED_TESTS_APP_CHANNEL_UPDATES_RIG_H
#define ALFRED_TESTS_APP_CHANNEL_UPDATES_RIG_H

#include "migrated.h"

#include <stdio.h>
#include <string.h>

#include "app/account/channel_identity.h"
#include "app/channel/router.h"
#include "base/clock.h"
#include "base/fs.h"
#include "store/account/user.h"
#include "store/channel/chat.h"
#include "store/channel/inbox.h"
#include "store/message/message.h"
#include "store/message/turn.h"
#include "store/message/turn_order.h"
#include "store/session/session.h"

static struct store *store;
static struct config *config;
static struct arena *arena;
static int64_t anna, bert, door_updates;
static char door_dir[FS_PATH_MAX];

/* chat, thread, sender, message, flags, text; a line each. Flags: g group, a addressed, c command, e edited,
 * m moved (text: to), b blocked, f forwarded from Mum, p with a picture, d with a document, l in an album, u
 * in the name of the group (without a sender). */
__attribute__((unused)) static bool door_read(
    void *self, struct arena *a, struct str body, struct channel_update *out)
{
    const char *part[5];
    (void)self;
    for (size_t i = 0; i < 5; i++) {
        struct str line = str_cut(&body, '\n');
        part[i] = line.s ? arena_strndup(a, line.s, line.len) : "";
    }
    if (!body.s)
        return false;
    const char *flags = part[4];
    *out = (struct channel_update){
        .kind = strchr(flags, 'e')   ? UPDATE_EDITED
                : strchr(flags, 'm') ? UPDATE_MOVED
                : strchr(flags, 'b') ? UPDATE_BLOCKED
                                     : UPDATE_MESSAGE,
        .place = {part[0], part[1]},
        .sender = part[2],
        .sender_name = arena_printf(a, "Person %s", part[2]),
        .message = part[3],
        .unnamed = strchr(flags, 'u') != NULL,
        .group = strchr(flags, 'g') != NULL,
        .addressed = !strchr(flags, 'g') || strchr(flags, 'a'),
        .is_command = strchr(flags, 'c') != NULL,
        .forwarded = strchr(flags, 'f') != NULL,
        .author = strchr(flags, 'f') ? "Mum" : "",
        .file = {.id = strpbrk(flags, "pd") ? part[3] : NULL,
            .kind = strchr(flags, 'd') ? CHANNEL_DOCUMENT : CHANNEL_PICTURE,
            .bytes = strchr(flags, 'p') && str_is(body, "large") ? INT64_C(11) * 1024 * 1024 : 0},
        .in_album = strchr(flags, 'l') != NULL,
        .text = body,
        .press = "",
        .data = "",
        .moved_to = strchr(flags, 'm') ? arena_strndup(a, body.s, body.len) : "",
    };
    return true;
}

static const struct channel_driver door_driver = {
    .name = "test", .label = "Test", .read = door_read, .piece_chars = 100};

static enum rc door_people_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    enum rc rc = store_user_add(db, "anna", USER_ADMIN, "", 1, &anna, e);
    if (rc == RC_OK)
        rc = store_user_add(db, "bert", USER_MEMBER, "", 1, &bert, e);
    struct channel_identity a = {.user_id = anna, .channel = "test", .external_id = "7", .name = "Anna"};
    struct channel_identity b = {.user_id = bert, .channel = "test", .external_id = "8", .name = "Bert"};
    if (rc == RC_OK)
        rc = store_channel_identity_put(db, &a, 1, e);
    return rc == RC_OK ? store_channel_identity_put(db, &b, 1, e) : rc;
}

static void door_open(const char *settings)
{
    static int n;
    char path[FS_PATH_MAX];
    snprintf(door_dir, sizeof door_dir, "%s/%d", unit_tmp(), n++);
    assert_ok(fs_mkdirs(door_dir, NULL));
    assert_ok(fs_join(path, door_dir, "alfred.db", NULL));
    assert_ok(store_open(unit_migrated(path), 6, &store, NULL));
    assert_ok(config_parse("test", door_dir, str_of(settings), &config, NULL));
    assert_ok(store_write(store, door_people_tx, NULL, NULL));
    arena = arena_new();
    door_updates = 0;
}

static void door_close(void)
{
    arena_free(arena);
    config_free(config);
    store_free(store);
}

struct door_added {
    const char *body;
    int64_t at;
};

static enum rc door_add_tx(struct db *db, void *arg, struct err *e)
{
    const struct door_added *d = arg;
    char id[32];
    bool is_new;
    snprintf(id, sizeof id, "%lld", (long long)++door_updates);
    return store_inbox_add(db, "test", "bot", id, str_of(d->body), d->at, &is_new, e);
}

/* Stores an update in the inbox; its update id is a number that counts. */
static void door_receive(int64_t at, const char *chat, const char *thread, const char *sender,
    const char *message, const char *flags, const char *text)
{
    struct door_added d = {
        arena_printf(arena, "%s\n%s\n%s\n%s\n%s\n%s", chat, thread, sender, message, flags, text), at};
    assert_ok(store_write(store, door_add_tx, &d, NULL));
}

struct door_query {
    const char *sql;
    int64_t n;
    const char *text;
};

static enum rc door_query_fn(struct db *db, void *arg, struct err *e)
{
    struct door_query *w = arg;
    struct rows q;
    enum rc rc = db_query(db, &q, w->sql, (struct db_args){.built = true}, e);
    if (rc == RC_OK && rows_next(&q)) {
        w->n = rows_int(&q, 0);
        w->text = arena_strdup(arena, rows_text(&q, 0));
    }
    return rows_done(&q, rc, e);
}

__attribute__((unused)) static int64_t door_int(const char *sql)
{
    struct door_query q = {.sql = sql};
    assert_ok(store_with_reader(store, door_query_fn, &q, NULL));
    return q.n;
}

__attribute__((unused)) static const char *door_text(const char *sql)
{
    struct door_query q = {.sql = sql};
    assert_ok(store_with_reader(store, door_query_fn, &q, NULL));
    return q.text ? q.text : "";
}

static enum rc door_exec_fn(struct db *db, void *arg, struct err *e)
{
    return db_exec(db, arg, (struct db_args){.built = true}, NULL, e);
}

__attribute__((unused)) static void door_exec(const char *sql)
{
    assert_ok(store_write(store, door_exec_fn, (void *)sql, NULL));
}

#endif
