/* Random bytes from the kernel (getrandom(2)). Aborts when the kernel has none: continuing would not be
 * safe. */
#ifndef ALFRED_BASE_RAND_H
#define ALFRED_BASE_RAND_H

#include <stddef.h>
#include <stdint.h>

void rand_bytes(void *out, size_t n);
void rand_hex(char *out, size_t bytes); /* as 2 * bytes lower-case digits, and NUL */
uint32_t rand_below(uint32_t bound);    /* uniform in [0, bound), bound > 0; for jitter, not for keys */

#endif
