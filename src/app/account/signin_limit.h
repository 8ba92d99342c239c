/*
 * Limits of failed sign-ins.
 *
 * An attempt is counted before its password is hashed and taken back when the password was right, so that
 * attempts at the same time cannot pass the limit together. The kinds:
 *
 * - a known device (it signed in to the account before, or is signed in): the device alone counts, so guesses
 *   of others do not make it wait;
 * - a stranger: the account together with the network ([login] failures), the account from all networks
 *   ([login] account_failures) and the network ([login] address_failures);
 * - a code of the second step: the same as for the password, and for a stranger also the codes of the account
 *   from all networks (SIGNIN_CODES_MAX within SIGNIN_CODES_HOURS). A code has only 6 digits, and who guesses
 *   it has the password. A new password ends this count;
 * - a one-time code, whose failures are only counted afterwards: the network ([login] failures);
 * - an API token that is not valid: the network ([login] address_failures);
 * - the password of a shared link: the link together with the network, the link from all networks and the
 *   network, as for a stranger;
 * - a guessed link, counted afterwards: the network ([login] address_failures).
 *
 * A network is an IPv4 address, or the first 64 bits of an IPv6 address. Other counts lapse after
 * [login] failure_minutes.
 */
#ifndef ALFRED_APP_ACCOUNT_SIGNIN_LIMIT_H
#define ALFRED_APP_ACCOUNT_SIGNIN_LIMIT_H

#include "app/config/config.h"
#include "store/account/user.h"

#define SIGNIN_NETWORK_MAX 64
#define SIGNIN_SUBJECT_MAX 160
#define SIGNIN_CODES_MAX   20
#define SIGNIN_CODES_HOURS 24

struct signin_attempt {
    struct {
        char subject[SIGNIN_SUBJECT_MAX];
        int64_t max, window_ms;
        bool lasting; /* stays when the password is right: otherwise a guesser's own account would clear it */
    } counts[4];
    size_t n;
    int64_t at, window_ms;
};

/* "203.0.113.9", "2001:db8:1:2::/64"; an IPv4 address in IPv6 form counts as IPv4. Text that is not an
 * address is copied. */
void signin_network(const char *address, char out[SIGNIN_NETWORK_MAX]);

/* The attempts of each kind, ready to be counted. `name` as typed. */
void signin_attempt_stranger(
    struct signin_attempt *a, const struct config *c, const char *name, const char *address, int64_t now);
/* Adds the count of a stranger's codes of the second step. */
void signin_attempt_second_step(struct signin_attempt *a, int64_t user_id);
/* Ends that count. */
enum rc signin_codes_forget(struct db *db, int64_t user_id, struct err *e);
/* `device` names the device and the account. It is not a secret. */
void signin_attempt_device(struct signin_attempt *a, const struct config *c, const char *device, int64_t now);
/* Requests with an API token that is not valid. */
void signin_attempt_api(struct signin_attempt *a, const struct config *c, const char *address, int64_t now);
void signin_attempt_code(struct signin_attempt *a, const struct config *c, const char *address, int64_t now);
void signin_attempt_share(
    struct signin_attempt *a, const struct config *c, int64_t share_id, const char *address, int64_t now);
void signin_attempt_link(struct signin_attempt *a, const struct config *c, const char *address, int64_t now);

typedef enum rc signin_attempt_fn(struct db *db, const struct signin_attempt *a, struct err *e);

/* RC_RATE_LIMITED with a sentence and the time to wait. Counts nothing. */
signin_attempt_fn signin_attempt_check;
/* Checks and counts; in a writing transaction. */
signin_attempt_fn signin_attempt_begin;
/* Takes the attempt back, as if it had not been made. */
signin_attempt_fn signin_attempt_withdraw;
/* After a right password: also removes the earlier failures of this client. */
signin_attempt_fn signin_attempt_forgive;

/* signin_attempt_check() on a connection for reading. */
enum rc signin_attempt_allowed(struct store *s, const struct signin_attempt *a, struct err *e);
/* One of the other three in a transaction of its own. */
enum rc signin_attempt_write(
    struct store *s, signin_attempt_fn *fn, const struct signin_attempt *a, struct err *e);
/* Counts a guess: an address with a secret was requested that does not exist. Returns RC_NOT_FOUND, or
 * RC_RATE_LIMITED with a sentence. */
enum rc signin_attempt_guessed(struct store *s, const struct signin_attempt *a, struct err *e);

#endif
