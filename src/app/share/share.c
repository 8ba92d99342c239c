#include "app/share/share.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "app/account/password.h"
#include "app/account/signin_limit.h"
#include "app/account/token.h"
#include "app/tasks/tasks.h"
#include "base/clock.h"
#include "base/rand.h"
#include "store/session/session.h"
#include "store/session/temporary.h"

#define TOKEN_BYTES_OF_SHARE 16
#define VARIANT              sodium_base64_VARIANT_URLSAFE_NO_PADDING

_Static_assert(sodium_base64_ENCODED_LEN(TOKEN_BYTES_OF_SHARE, VARIANT) == SHARE_TOKEN_SIZE, "a token fits");
_Static_assert(sodium_base64_ENCODED_LEN(TOKEN_HASH_SIZE, VARIANT) == SHARE_KEY_SIZE, "a key fits");

bool share_allowed(const struct config *c, enum user_role role)
{
    return role == USER_ADMIN || c->share.members == CONFIG_YES;
}

static enum rc check_allowed(const struct config *c, const struct identity *who, struct err *e)
{
    return share_allowed(c, who->role) ? RC_OK : err_say(e, RC_FORBIDDEN, "share.not_allowed");
}

/* ---- changes ---- */

struct change {
    const struct identity *who;
    const struct auth_client *from;
    const char *session;
    const unsigned char *hash;
    struct share share;
};

static enum rc note(struct db *db, const struct change *c, const char *action, struct err *e)
{
    AUTO(arena) a = arena_new();
    return auth_audit(
        db, c->from, c->who->user_id, action, arena_printf(a, "share %lld", (long long)c->share.id), e);
}

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    struct change *c = arg;
    AUTO(arena) a = arena_new();
    struct session session;
    enum rc rc = store_session_get(db, a, c->who->user_id, c->session, &session, e);
    if (rc == RC_OK)
        rc = session_lasting(&session, e);
    c->share.session_id = rc == RC_OK ? session.id : 0;
    if (rc == RC_OK)
        rc = store_share_add(db, &c->share, c->hash, e);
    if (rc == RC_OK)
        rc = store_share_copy(
            db, c->who->user_id, c->share.id, SHARE_BYTES_MAX, SHARE_PICTURE_BYTES_MAX, c->from->now, e);
    return rc == RC_OK ? note(db, c, "shared", e) : rc;
}

/* The end of the day `in->until` in its zone; 0: none is wanted. */
static enum rc last_moment(const struct share_input *in, int64_t now, int64_t *out, struct err *e)
{
    struct tm day = {0};
    *out = 0;
    if (!in->until || !*in->until)
        return RC_OK;
    if (!tasks_day_valid(str_of(in->until)) || !strptime(in->until, "%Y-%m-%d", &day))
        return err_say(e, RC_BAD_INPUT, "share.bad_day");
    day.tm_mday++;
    *out = time_zone_at(in->zone, (int64_t)timegm(&day) * MS_PER_S);
    if (*out <= now || *out > now + SHARE_UNTIL_DAYS_MAX * MS_PER_DAY)
        return err_say(e, RC_BAD_INPUT, "share.bad_day");
    return RC_OK;
}

static enum rc hash_password(const char *typed, char out[PASSWORD_HASH_SIZE], struct err *e)
{
    enum rc rc = password_check(typed, e);
    if (rc == RC_OK)
        rc = password_enter(PASSWORD_KNOWN_DEVICE, e);
    if (rc != RC_OK)
        return rc;
    rc = password_hash(typed, out, e);
    password_leave();
    return rc;
}

static const char *or_null(const char *s)
{
    return s && *s ? s : NULL;
}

enum rc share_add(struct store *s, const struct config *c, const struct identity *who,
    const struct share_input *in, const struct auth_client *from, int64_t *id, struct err *e)
{
    unsigned char raw[TOKEN_BYTES_OF_SHARE], hash[TOKEN_HASH_SIZE];
    char token[SHARE_TOKEN_SIZE], password[PASSWORD_HASH_SIZE];
    struct change change = {.who = who, .from = from, .session = in->session, .hash = hash};
    change.share = (struct share){.owner = who->user_id,
        .token = token,
        .name = or_null(in->name),
        .tools = in->tools,
        .created_at = from->now};
    enum rc rc = check_allowed(c, who, e);
    if (rc == RC_OK)
        rc = last_moment(in, from->now, &change.share.expires_at, e);
    if (rc == RC_OK && or_null(in->password)) {
        rc = hash_password(in->password, password, e);
        change.share.password = password;
    }
    if (rc != RC_OK)
        return rc;
    rand_bytes(raw, sizeof raw);
    sodium_bin2base64(token, sizeof token, raw, sizeof raw, VARIANT);
    token_hash(token, hash);
    rc = store_write(s, add_tx, &change, e);
    *id = change.share.id;
    return rc;
}

static enum rc renew_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    enum rc rc = store_share_copy(
        db, c->who->user_id, c->share.id, SHARE_BYTES_MAX, SHARE_PICTURE_BYTES_MAX, c->from->now, e);
    return rc == RC_OK ? note(db, c, "share_renewed", e) : rc;
}

enum rc share_renew(struct store *s, const struct config *c, const struct identity *who, int64_t id,
    const struct auth_client *from, struct err *e)
{
    struct change change = {.who = who, .from = from, .share = {.id = id}};
    enum rc rc = check_allowed(c, who, e);
    return rc == RC_OK ? store_write(s, renew_tx, &change, e) : rc;
}

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct change *c = arg;
    enum rc rc = store_share_delete(db, c->who->user_id, c->share.id, e);
    return rc == RC_OK ? note(db, c, "share_ended", e) : rc;
}

enum rc share_end(
    struct store *s, const struct identity *who, int64_t id, const struct auth_client *from, struct err *e)
{
    return store_write(s, end_tx, &(struct change){.who = who, .from = from, .share = {.id = id}}, e);
}

/* ---- for people without an account ---- */

enum rc share_find(struct store *s, const struct config *c, struct arena *a, const char *token,
    const struct auth_client *from, struct share *out, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    struct signin_attempt guess;
    signin_attempt_link(&guess, c, from->address, from->now);
    token_hash(token, hash);
    struct db *db = store_read(s);
    enum rc rc = signin_attempt_check(db, &guess, e);
    if (rc == RC_OK)
        rc = store_share_find(db, a, hash, from->now, out, e);
    store_read_done(s, db);
    if (rc == RC_OK && !share_allowed(c, out->owner_role))
        rc = err_set(e, RC_NOT_FOUND, "members may not share");
    return rc == RC_NOT_FOUND ? signin_attempt_guessed(s, &guess, e) : rc;
}

enum rc share_unlock(struct store *s, const struct config *c, const struct share *share, const char *password,
    const struct auth_client *from, struct err *e)
{
    struct signin_attempt try;
    signin_attempt_share(&try, c, share->id, from->address, from->now);
    enum rc rc = signin_attempt_write(s, signin_attempt_begin, &try, e);
    if (rc != RC_OK)
        return rc;
    if ((rc = password_enter(PASSWORD_STRANGER, e)) != RC_OK) {
        signin_attempt_write(s, signin_attempt_withdraw, &try, NULL);
        return rc;
    }
    rc = password_verify(share->password, password, e);
    password_leave();
    if (rc == RC_UNAUTHENTICATED)
        return err_say(e, RC_UNAUTHENTICATED, "share.wrong_password");
    /* a count that stays after a failed write lapses */
    (void)signin_attempt_write(s, rc == RC_OK ? signin_attempt_forgive : signin_attempt_withdraw, &try, NULL);
    return rc;
}

void share_key(const struct share *share, char out[SHARE_KEY_SIZE])
{
    unsigned char raw[TOKEN_HASH_SIZE];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof raw);
    crypto_generichash_update(&state, (const unsigned char *)share->token, strlen(share->token));
    crypto_generichash_update(&state, (const unsigned char *)share->password, strlen(share->password));
    crypto_generichash_final(&state, raw, sizeof raw);
    sodium_bin2base64(out, SHARE_KEY_SIZE, raw, sizeof raw, VARIANT);
}

bool share_is_open(const struct share *share, const char *key)
{
    char want[SHARE_KEY_SIZE];
    if (!share->password)
        return true;
    if (!key || strlen(key) != SHARE_KEY_SIZE - 1)
        return false;
    share_key(share, want);
    return sodium_memcmp(want, key, SHARE_KEY_SIZE - 1) == 0;
}
