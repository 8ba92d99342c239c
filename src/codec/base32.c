#include "codec/base32.h"

#define BITS 5

void base32_add(struct strbuf *out, struct str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unsigned waiting = 0, n = 0; /* bits that are not written yet */
    for (size_t i = 0; i < bytes.len; i++) {
        waiting = (waiting << 8 | (unsigned char)bytes.s[i]) & 0xFFF;
        for (n += 8; n >= BITS; n -= BITS)
            strbuf_addc(out, digits[waiting >> (n - BITS) & 31]);
    }
    if (n)
        strbuf_addc(out, digits[waiting << (BITS - n) & 31]);
}
