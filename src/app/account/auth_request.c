/* The login of a browser's cookie and the CSRF token, which each request of a signed-in browser needs. */
#include "app/account/auth.h"

#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "base/rand.h"

#define CSRF_HASH 32

struct touch_tx {
    int64_t login_id, now;
};

static enum rc touch_tx(struct db *db, void *arg, struct err *e)
{
    struct touch_tx *t = arg;
    return store_login_touch(db, t->login_id, t->now, e);
}

enum rc auth_identify(struct store *s, const struct config *c, const char *token, int64_t now,
    struct identity *out, struct err *e)
{
    unsigned char hash[TOKEN_HASH_SIZE];
    token_hash(token, hash);
    struct db *db = store_read_state(s); /* two statements */
    enum rc rc = store_login_find(db, hash, now, now - c->login.idle_days * MS_PER_DAY, out, e);
    store_read_done(s, db);
    if (rc == RC_NOT_FOUND)
        return err_set(e, RC_UNAUTHENTICATED, "no live login");
    if (rc == RC_OK && now - out->used_at > AUTH_TOUCH_AFTER_MS) {
        struct touch_tx t = {out->login_id, now};
        store_write_visit(s, touch_tx, &t); /* a full disk must not sign users out */
    }
    return rc;
}

void auth_csrf(const char *token, char out[CSRF_SIZE])
{
    static const char purpose[] = "alfred csrf";
    unsigned char masked[2 * CSRF_HASH], *mask = masked, *hash = masked + CSRF_HASH;
    size_t n = strlen(token);
    crypto_generichash(hash, CSRF_HASH, (const unsigned char *)purpose, sizeof purpose - 1,
        (const unsigned char *)token,
        n > crypto_generichash_KEYBYTES_MAX ? crypto_generichash_KEYBYTES_MAX : n);
    rand_bytes(mask, CSRF_HASH);
    for (size_t i = 0; i < CSRF_HASH; i++)
        hash[i] ^= mask[i];
    sodium_bin2base64(out, CSRF_SIZE, masked, sizeof masked, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* The hash without its mask; false: not a token. */
static bool csrf_hash(const char *token, unsigned char hash[CSRF_HASH])
{
    unsigned char masked[2 * CSRF_HASH];
    size_t n;
    if (strlen(token) != CSRF_SIZE - 1 ||
        sodium_base642bin(masked, sizeof masked, token, CSRF_SIZE - 1, NULL, &n, NULL,
            sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        n != sizeof masked)
        return false;
    for (size_t i = 0; i < CSRF_HASH; i++)
        hash[i] = masked[i] ^ masked[CSRF_HASH + i];
    return true;
}

bool auth_csrf_equal(const char *a, const char *b)
{
    unsigned char of_a[CSRF_HASH], of_b[CSRF_HASH];
    return csrf_hash(a, of_a) && csrf_hash(b, of_b) && sodium_memcmp(of_a, of_b, CSRF_HASH) == 0;
}
