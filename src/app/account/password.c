#include "app/account/password.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

#define PASSES (unsigned long long)2
#define MEMORY ((size_t)64 * 1024 * 1024)

_Static_assert(PASSWORD_HASH_SIZE == crypto_pwhash_STRBYTES, "the header's size is libsodium's");

/* Hash of 32 random bytes that were discarded, with the current parameters. An unknown name is checked
 * against it, so that the answer takes as long. */
static const char dummy_hash[] =
    "$argon2id$v=19$m=65536,t=2,p=1$Y3mx9OiI+LN9eRxQEX6uJA$lOwBaL4jrDTKhJwEh8uxJV21z4Q0k3yEcG18UmNfKSc";

static struct {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    int most, inside, hashing; /* hashing: of those inside */
} places = {.lock = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER, .most = PASSWORD_PLACES};

void password_threads(int threads)
{
    int most = threads - PASSWORD_SPARE;
    places.most = most < 1 ? 1 : most < PASSWORD_PLACES ? most : PASSWORD_PLACES;
}

enum rc password_enter(enum password_caller from, struct err *e)
{
    pthread_mutex_lock(&places.lock);
    bool kept = from == PASSWORD_STRANGER && places.most > 1; /* the last place */
    bool in = places.inside < places.most - kept;
    if (in) {
        places.inside++;
        while (places.hashing >= PASSWORD_AT_ONCE)
            pthread_cond_wait(&places.freed, &places.lock); /* bounded: each hash ends by itself */
        places.hashing++;
    }
    pthread_mutex_unlock(&places.lock);
    if (in)
        return RC_OK;
    err_say(e, RC_UNAVAILABLE, "auth.busy");
    if (e)
        e->retry_after_s = PASSWORD_RETRY_S;
    return RC_UNAVAILABLE;
}

void password_leave(void)
{
    pthread_mutex_lock(&places.lock);
    places.inside--;
    places.hashing--;
    pthread_cond_signal(&places.freed);
    pthread_mutex_unlock(&places.lock);
}

enum rc password_check(const char *typed, struct err *e)
{
    struct str s = str_of(typed);
    if (s.len > PASSWORD_BYTES_MAX)
        return err_say(e, RC_BAD_INPUT, "auth.long_password", arg_int("max", PASSWORD_BYTES_MAX));
    if (!utf8_valid_text(s))
        return err_say(e, RC_BAD_INPUT, "auth.password_text");
    if (utf8_count(s) < PASSWORD_CHARS_MIN)
        return err_say(e, RC_BAD_INPUT, "auth.short_password", arg_int("min", PASSWORD_CHARS_MIN));
    return RC_OK;
}

enum rc password_hash(const char *typed, char out[PASSWORD_HASH_SIZE], struct err *e)
{
    if (crypto_pwhash_str_alg(out, typed, strlen(typed), PASSES, MEMORY, crypto_pwhash_ALG_ARGON2ID13) != 0)
        return err_set(e, RC_UNAVAILABLE, "no memory to hash a password");
    return RC_OK;
}

enum rc password_verify(const char *hash, const char *typed, struct err *e)
{
    bool has_hash = hash && *hash;
    size_t n = strlen(typed);
    if (n > PASSWORD_BYTES_MAX)
        return err_set(e, RC_UNAUTHENTICATED, "a password of %zu bytes is too long", n);
    char against[PASSWORD_HASH_SIZE]; /* libsodium reads the whole size */
    snprintf(against, sizeof against, "%s", has_hash ? hash : dummy_hash);
    bool same = crypto_pwhash_str_verify(against, typed, n) == 0;
    return same && has_hash ? RC_OK : err_set(e, RC_UNAUTHENTICATED, "wrong password");
}
