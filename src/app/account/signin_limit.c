#include "app/account/signin_limit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define NETWORK_BYTES 8 /* the /64 that a household or a server gets */

void signin_network(const char *address, char out[SIGNIN_NETWORK_MAX])
{
    struct in6_addr a;
    char text[INET6_ADDRSTRLEN];
    snprintf(out, SIGNIN_NETWORK_MAX, "%s", address);
    if (inet_pton(AF_INET6, address, &a) != 1)
        return;
    if (IN6_IS_ADDR_V4MAPPED(&a)) {
        inet_ntop(AF_INET, a.s6_addr + sizeof a - sizeof(struct in_addr), out, SIGNIN_NETWORK_MAX);
        return;
    }
    memset(a.s6_addr + NETWORK_BYTES, 0, sizeof a - NETWORK_BYTES);
    inet_ntop(AF_INET6, &a, text, sizeof text);
    snprintf(out, SIGNIN_NETWORK_MAX, "%s/64", text);
}

static void start(struct signin_attempt *a, const struct config *c, int64_t now)
{
    *a = (struct signin_attempt){.at = now, .window_ms = c->login.failure_minutes * MS_PER_MIN};
}

enum lasting { UNTIL_SUCCESS, LASTING };

__attribute__((format(printf, 4, 5))) static void count(
    struct signin_attempt *a, int64_t max, enum lasting lasting, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(a->counts[a->n].subject, SIGNIN_SUBJECT_MAX, fmt, args);
    va_end(args);
    a->counts[a->n].max = max;
    a->counts[a->n].window_ms = a->window_ms;
    a->counts[a->n++].lasting = lasting == LASTING;
}

void signin_attempt_stranger(
    struct signin_attempt *a, const struct config *c, const char *name, const char *address, int64_t now)
{
    char network[SIGNIN_NETWORK_MAX];
    signin_network(address, network);
    start(a, c, now);
    count(a, c->login.failures, UNTIL_SUCCESS, "pair:%s %s", name, network);
    count(a, c->login.account_failures, LASTING, "name:%s", name);
    count(a, c->login.address_failures, LASTING, "addr:%s", network);
}

#define SECOND_STEP "second:%lld"

void signin_attempt_second_step(struct signin_attempt *a, int64_t user_id)
{
    count(a, SIGNIN_CODES_MAX, LASTING, SECOND_STEP, (long long)user_id);
    a->counts[a->n - 1].window_ms = SIGNIN_CODES_HOURS * MS_PER_H;
}

enum rc signin_codes_forget(struct db *db, int64_t user_id, struct err *e)
{
    char subject[SIGNIN_SUBJECT_MAX];
    snprintf(subject, sizeof subject, SECOND_STEP, (long long)user_id);
    return store_failure_clear(db, subject, e);
}

void signin_attempt_device(struct signin_attempt *a, const struct config *c, const char *device, int64_t now)
{
    start(a, c, now);
    count(a, c->login.failures, UNTIL_SUCCESS, "device:%s", device);
}

/* One count, of the network alone. */
static void count_network(struct signin_attempt *a, const struct config *c, int64_t max, const char *kind,
    const char *address, int64_t now)
{
    char network[SIGNIN_NETWORK_MAX];
    signin_network(address, network);
    start(a, c, now);
    count(a, max, LASTING, "%s:%s", kind, network);
}

void signin_attempt_api(struct signin_attempt *a, const struct config *c, const char *address, int64_t now)
{
    count_network(a, c, c->login.address_failures, "api", address, now);
}

void signin_attempt_code(struct signin_attempt *a, const struct config *c, const char *address, int64_t now)
{
    count_network(a, c, c->login.failures, "code", address, now);
}

void signin_attempt_link(struct signin_attempt *a, const struct config *c, const char *address, int64_t now)
{
    count_network(a, c, c->login.address_failures, "link", address, now);
}

void signin_attempt_share(
    struct signin_attempt *a, const struct config *c, int64_t share_id, const char *address, int64_t now)
{
    char network[SIGNIN_NETWORK_MAX];
    signin_network(address, network);
    start(a, c, now);
    count(a, c->login.failures, UNTIL_SUCCESS, "share:%lld %s", (long long)share_id, network);
    count(a, c->login.account_failures, LASTING, "share:%lld", (long long)share_id);
    count(a, c->login.address_failures, LASTING, "addr:%s", network);
}

/* Attempts at the same time are a little later than this one. A failure that is later by more than the window
 * is from before the clock was set back: it would count until the clock is there again. */
enum rc signin_attempt_check(struct db *db, const struct signin_attempt *a, struct err *e)
{
    for (size_t i = 0; i < a->n; i++) {
        int64_t failures, oldest, window_ms = a->counts[i].window_ms;
        enum rc rc = store_failure_count(
            db, a->counts[i].subject, a->at - window_ms, a->at + window_ms, &failures, &oldest, e);
        if (rc != RC_OK)
            return rc;
        if (failures < a->counts[i].max)
            continue;
        err_say(e, RC_RATE_LIMITED, "auth.too_often");
        if (e)
            e->retry_after_s = (int)((oldest + window_ms - a->at) / MS_PER_S) + 1;
        return RC_RATE_LIMITED;
    }
    return RC_OK;
}

enum rc signin_attempt_begin(struct db *db, const struct signin_attempt *a, struct err *e)
{
    enum rc rc = signin_attempt_check(db, a, e);
    for (size_t i = 0; rc == RC_OK && i < a->n; i++)
        rc = store_failure_add(db, a->counts[i].subject, a->at, e);
    return rc;
}

enum rc signin_attempt_withdraw(struct db *db, const struct signin_attempt *a, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < a->n; i++)
        rc = store_failure_remove(db, a->counts[i].subject, a->at, e);
    return rc;
}

enum rc signin_attempt_forgive(struct db *db, const struct signin_attempt *a, struct err *e)
{
    enum rc rc = signin_attempt_withdraw(db, a, e);
    for (size_t i = 0; rc == RC_OK && i < a->n; i++)
        if (!a->counts[i].lasting)
            rc = store_failure_clear(db, a->counts[i].subject, e);
    return rc;
}

/* ---- with the store ---- */

enum rc signin_attempt_allowed(struct store *s, const struct signin_attempt *a, struct err *e)
{
    struct db *db = store_read(s);
    enum rc rc = signin_attempt_check(db, a, e);
    store_read_done(s, db);
    return rc;
}

struct change {
    signin_attempt_fn *run;
    const struct signin_attempt *attempt;
};

static enum rc change_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    return c->run(db, c->attempt, e);
}

enum rc signin_attempt_write(
    struct store *s, signin_attempt_fn *fn, const struct signin_attempt *a, struct err *e)
{
    return store_write(s, change_tx, &(struct change){fn, a}, e);
}

enum rc signin_attempt_guessed(struct store *s, const struct signin_attempt *a, struct err *e)
{
    enum rc rc = signin_attempt_write(s, signin_attempt_begin, a, NULL);
    return rc == RC_RATE_LIMITED ? err_say(e, RC_RATE_LIMITED, "auth.too_often") : RC_NOT_FOUND;
}
