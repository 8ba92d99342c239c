#include "base/rand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void rand_bytes(void *out, size_t n)
{
    unsigned char *p = out;
    while (n) {
        ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fputs("alfred: the kernel gives no random bytes\n", stderr);
            abort();
        }
        p += got;
        n -= (size_t)got;
    }
}

void rand_hex(char *out, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    rand_bytes(out, bytes);
    for (size_t i = bytes; i-- > 0;) { /* from the end: the digits replace the bytes that were read */
        unsigned byte = (unsigned char)out[i];
        out[2 * i] = digits[byte >> 4];
        out[2 * i + 1] = digits[byte & 15];
    }
    out[2 * bytes] = '\0';
}

uint32_t rand_below(uint32_t bound)
{
    uint32_t v;
    rand_bytes(&v, sizeof v);
    return (uint32_t)((uint64_t)v * bound >> 32);
}
