/*
 * The secret address of a user's calendar (app/calendar/calendar.h). A user has one at most. The store has
 * the hash of its token only.
 */
#ifndef ALFRED_STORE_ACCOUNT_CALENDAR_FEED_H
#define ALFRED_STORE_ACCOUNT_CALENDAR_FEED_H

#include "store/account/user.h"

struct calendar_feed {
    int64_t owner;
    int64_t created_at;
    int64_t read_at; /* when a calendar has read it last, to the hour; 0: never */
};

/* Makes the address, in place of an earlier one. RC_NOT_FOUND: no such user. */
enum rc store_calendar_feed_set(
    struct db *db, int64_t owner, const unsigned char hash[TOKEN_HASH_SIZE], int64_t now, struct err *e);
/* RC_NOT_FOUND: the owner has none. */
enum rc store_calendar_feed_get(struct db *db, int64_t owner, struct calendar_feed *out, struct err *e);
enum rc store_calendar_feed_delete(struct db *db, int64_t owner, struct err *e);
/* For everybody who has the address. RC_NOT_FOUND also when its owner is disabled. */
enum rc store_calendar_feed_find(
    struct db *db, const unsigned char hash[TOKEN_HASH_SIZE], struct calendar_feed *out, struct err *e);
enum rc store_calendar_feed_touch(struct db *db, int64_t owner, int64_t now, struct err *e);

#endif
