#include "app/account/token.h"

#include <sodium.h>
#include <string.h>

#include "base/rand.h"

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

_Static_assert(sodium_base64_ENCODED_LEN(TOKEN_BYTES, VARIANT) == TOKEN_SIZE, "a token fits exactly");

void token_new(char out[TOKEN_SIZE])
{
    unsigned char raw[TOKEN_BYTES];
    rand_bytes(raw, sizeof raw);
    sodium_bin2base64(out, TOKEN_SIZE, raw, sizeof raw, VARIANT);
    sodium_memzero(raw, sizeof raw);
}

void token_hash(const char *token, unsigned char out[TOKEN_HASH_SIZE])
{
    crypto_generichash(out, TOKEN_HASH_SIZE, (const unsigned char *)token, strlen(token), NULL, 0);
}
