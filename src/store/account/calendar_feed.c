#include "store/account/calendar_feed.h"

#include "store/row.h"

static struct calendar_feed read_feed(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct calendar_feed){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2)};
}

DEFINE_ROWS(feed, struct calendar_feed, read_feed, "calendar feed")

#define FEED "SELECT f.owner, f.created_at, coalesce(f.read_at, 0) FROM calendar_feed f "

enum rc store_calendar_feed_set(
    struct db *db, int64_t owner, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, struct err *e)
{
    return row_change(db, "user",
        "INSERT INTO calendar_feed (owner, hash, created_at) SELECT id, ?, ? FROM user WHERE id = ? "
        "ON CONFLICT (owner) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at, "
        "read_at = NULL",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE), v_int(now), v_int(owner)), e);
}

enum rc store_calendar_feed_get(struct db *db, int64_t owner, struct calendar_feed *out, struct err *e)
{
    return get_feed(db, NULL, FEED "WHERE f.owner = ?", ARGS(v_int(owner)), out, e);
}

enum rc store_calendar_feed_delete(struct db *db, int64_t owner, struct err *e)
{
    return row_change(
        db, "calendar feed", "DELETE FROM calendar_feed WHERE owner = ?", ARGS(v_int(owner)), e);
}

enum rc store_calendar_feed_find(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], struct calendar_feed *out, struct err *e)
{
    return get_feed(db, NULL, FEED "JOIN user u ON u.id = f.owner WHERE f.hash = ? AND u.disabled_at IS NULL",
        ARGS(v_blob(hash, TOKEN_HASH_SIZE)), out, e);
}

enum rc store_calendar_feed_touch(struct db *db, int64_t owner, int64_t now, struct err *e)
{
    return row_change(db, "calendar feed", "UPDATE calendar_feed SET read_at = ? WHERE owner = ?",
        ARGS(v_int(now), v_int(owner)), e);
}
