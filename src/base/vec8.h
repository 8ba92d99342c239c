/*
 * Vectors of signed bytes with one scale each: value i is scale * v[i]. They take a quarter of the memory of
 * floats. The rounding error is far below the differences between texts.
 *
 * The dot product is exact integer arithmetic, so the portable version and the AVX2 version give the same
 * number.
 */
#ifndef ALFRED_BASE_VEC8_H
#define ALFRED_BASE_VEC8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEC8_DIMS_MAX 8192 /* the sum of so many products of two bytes fits an int32_t */

/* The scale, 0 for a vector of zeros. False when a number is not finite; `out` is then undefined. */
bool vec8_quantise(const float *from, size_t n, int8_t *out, float *scale);

typedef int32_t vec8_dot_fn(const int8_t *a, const int8_t *b, size_t n);

vec8_dot_fn vec8_dot_portable;
/* The fastest that this processor can run; asked once per scan, not once per vector. */
vec8_dot_fn *vec8_dot(void);

#endif
