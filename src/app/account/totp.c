#include "app/account/totp.h"

#include <sodium.h>
#include <stdio.h>

#include "base/shared_library.h"
#include "codec/base32.h"
#include "codec/url.h"

#define SHA1_BYTES   20
#define STEP_BYTES   8
#define CODES        1000000 /* 10 to the power of TOTP_DIGITS */
#define BASE32_CHARS 32      /* of a secret */
#define URL_MAX      2048

/* From openssl/evp.h and openssl/hmac.h: these do not change while the file is libcrypto.so.3. The headers
 * are in a package of their own, which nothing else here needs. */
typedef struct evp_md_st EVP_MD;
static struct {
    const EVP_MD *(*EVP_sha1)(void);
    unsigned char *(*HMAC)(const EVP_MD *hash, const void *key, int key_len, const unsigned char *data,
        size_t data_len, unsigned char *out, unsigned int *out_len);
} crypto;

static const struct shared_function functions[] = {
    {"EVP_sha1", &crypto.EVP_sha1}, {"HMAC", &crypto.HMAC}, {0}};

/* Some builds of the library refuse SHA-1. */
static bool has_sha1(void)
{
    unsigned char out[SHA1_BYTES];
    return crypto.HMAC(crypto.EVP_sha1(), "", 0, (const unsigned char *)"", 0, out, NULL) != NULL;
}

static struct shared_library libcrypto = SHARED_LIBRARY("libcrypto.so.3", functions, has_sha1);

enum rc totp_load(struct err *e)
{
    return shared_library_load(&libcrypto, e);
}

/* RFC 4226, section 5.3 */
void totp_code(const unsigned char secret[TOTP_SECRET_BYTES], int64_t step, char out[TOTP_DIGITS + 1])
{
    unsigned char counter[STEP_BYTES], hash[SHA1_BYTES] = {0};
    for (int i = 0; i < STEP_BYTES; i++)
        counter[i] = (unsigned char)((uint64_t)step >> (8 * (STEP_BYTES - 1 - i)));
    crypto.HMAC(crypto.EVP_sha1(), secret, TOTP_SECRET_BYTES, counter, sizeof counter, hash, NULL);
    const unsigned char *at = hash + (hash[SHA1_BYTES - 1] & 15);
    uint32_t number = (uint32_t)(at[0] & 127) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    snprintf(out, TOTP_DIGITS + 1, "%0*u", TOTP_DIGITS, (unsigned)(number % CODES));
    sodium_memzero(hash, sizeof hash);
}

bool totp_match(
    const unsigned char secret[TOTP_SECRET_BYTES], struct str code, int64_t now, int64_t last, int64_t *step)
{
    bool found = false;
    int64_t current = now / TOTP_STEP_MS;
    if (code.len != TOTP_DIGITS)
        return false;
    if (last > current + TOTP_SKEW)
        last = 0;
    for (int64_t at = current - TOTP_SKEW; at <= current + TOTP_SKEW; at++) {
        char right[TOTP_DIGITS + 1];
        totp_code(secret, at, right);
        bool same = sodium_memcmp(right, code.s, TOTP_DIGITS) == 0;
        if (same && at > last && !found) {
            found = true;
            *step = at;
        }
        sodium_memzero(right, sizeof right);
    }
    return found;
}

const char *totp_secret_text(struct arena *a, const unsigned char secret[TOTP_SECRET_BYTES])
{
    char space[BASE32_CHARS + 1];
    struct strbuf text;
    strbuf_init_at(&text, BASE32_CHARS, space, sizeof space);
    base32_add(&text, (struct str){(const char *)secret, TOTP_SECRET_BYTES});
    const char *made = arena_strndup(a, text.s, text.len);
    sodium_memzero(space, sizeof space);
    return made;
}

const char *totp_url(struct arena *a, const unsigned char secret[TOTP_SECRET_BYTES], const char *account)
{
    AUTO_STRBUF url;
    strbuf_init(&url, URL_MAX);
    strbuf_adds(&url, "otpauth://totp/Alfred:");
    url_encode(&url, str_of(account));
    strbuf_addf(&url, "?secret=%s&issuer=Alfred", totp_secret_text(a, secret));
    return arena_strndup(a, url.s, url.len);
}
