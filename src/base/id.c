#include "base/id.h"

#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/rand.h"

#define UUID_BYTES 16

static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

void id_new(const char *prefix, char out[ID_SIZE])
{
    unsigned char uuid[UUID_BYTES];
    rand_bytes(uuid, sizeof uuid);
    uint64_t ms = (uint64_t)clock_wall_ms();
    for (int i = 0; i < 6; i++)
        uuid[i] = (unsigned char)(ms >> (40 - 8 * i));
    uuid[6] = (unsigned char)(0x70 | (uuid[6] & 0x0F));
    uuid[8] = (unsigned char)(0x80 | (uuid[8] & 0x3F));

    memcpy(out, prefix, 4);
    /* 128 bits are 26 digits of 5 bits, with two zero bits in front: the first digit has 3 bits. */
    unsigned bits = 0, have = 2;
    char *at = out + 4;
    for (int i = 0; i < UUID_BYTES; i++) {
        bits = bits << 8 | uuid[i];
        have += 8;
        while (have >= 5) {
            have -= 5;
            *at++ = alphabet[bits >> have & 31];
        }
        bits &= (1u << have) - 1;
    }
    *at = '\0';
}

bool id_valid(const char *prefix, const char *id)
{
    if (!id || strlen(id) != ID_SIZE - 1 || memcmp(id, prefix, 4) != 0)
        return false;
    return strspn(id + 4, alphabet) == ID_BODY;
}
