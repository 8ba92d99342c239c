/*
 * Vectors of signed bytes with one scale each: value i is scale * v[i]. They use a quarter of the memory of
 * floats. The rounding error is much smaller than the differences between texts.
 *
 * The dot product is exact integer arithmetic, so the portable and the AVX2 version give the same number.
 */
#ifndef ALFRED_STORE_SEARCH_VEC8_H
#define ALFRED_STORE_SEARCH_VEC8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEC8_DIMS_MAX 8192 /* this many products of two bytes fit an int32_t */

/* Returns the scale; 0 for a vector of zeros. False: a number is not finite, and `out` is undefined. */
bool vec8_quantise(const float *from, size_t n, int8_t *out, float *scale);

typedef int32_t vec8_dot_fn(const int8_t *a, const int8_t *b, size_t n);

vec8_dot_fn vec8_dot_portable;
/* The fastest version for this processor. Callers get it once per scan. */
vec8_dot_fn *vec8_dot(void);

#endif
