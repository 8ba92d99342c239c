/*
 * The calendar feed: the dates of a user as iCalendar (RFC 5545), for the calendar programs that subscribe to
 * its secret address. Anyone with the address can read the dates. The user can renew the address or switch
 * the feed off.
 *
 * The content follows from what calendar programs show. Those of Google and Apple show the events (VEVENT) of
 * a subscribed calendar and ignore its tasks (VTODO); Thunderbird shows both. So a task with a due day is an
 * event of that day, and only a task without a day is a VTODO. A reminder is an event at its time, with its
 * rule of repetition in its zone. Done tasks and ended or paused reminders are not in it. Events have no
 * alarm, because Alfred itself reminds.
 */
#ifndef ALFRED_APP_CALENDAR_CALENDAR_H
#define ALFRED_APP_CALENDAR_CALENDAR_H

#include "app/account/auth.h"
#include "app/account/token.h"
#include "app/config/config.h"
#include "store/account/calendar_feed.h"

#define CALENDAR_BYTES_MAX ((size_t)8 * 1024 * 1024)

/* Makes the secret address, or replaces it. `token` is the part of the address after /calendar/. It is not
 * stored. */
enum rc calendar_renew(
    struct store *s, int64_t owner, const struct auth_client *from, char token[TOKEN_SIZE], struct err *e);
/* RC_NOT_FOUND: there is none. */
enum rc calendar_end(struct store *s, int64_t owner, const struct auth_client *from, struct err *e);

/* The feed with this token. RC_NOT_FOUND: there is none; this counts as a guess of the client's network.
 * RC_RATE_LIMITED: too many guesses. */
enum rc calendar_find(struct store *s, const struct config *c, const char *token,
    const struct auth_client *from, struct calendar_feed *out, struct err *e);

/* Writes the whole calendar. Equal dates give equal bytes. RC_TOO_BIG: the cap of `out`. */
enum rc calendar_write(
    struct db *db, const struct config *c, int64_t owner, int64_t now, struct strbuf *out, struct err *e);

#endif
