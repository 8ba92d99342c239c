#include "store/search/vec8.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define BYTE_MAX 127.0F

bool vec8_quantise(const float *from, size_t n, int8_t *out, float *scale)
{
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(from[i]))
            return false;
        most = fmaxf(most, fabsf(from[i]));
    }
    float unit = most / BYTE_MAX;
    bool none = !(unit > 0); /* zeros, or so small that the division underflows */
    for (size_t i = 0; i < n; i++)
        out[i] = none ? 0 : (int8_t)lrintf(from[i] / unit);
    *scale = none ? 0 : unit;
    return true;
}

int32_t vec8_dot_portable(const int8_t *a, const int8_t *b, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

#if defined(__x86_64__)

#define STEP 16

/* Extends sixteen bytes of each to 16 bits; adds pairs of products to 32 bits. */
__attribute__((target("avx2"))) static int32_t dot_avx2(const int8_t *a, const int8_t *b, size_t n)
{
    __m256i sum = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + STEP <= n; i += STEP) {
        __m256i x = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(a + i)));
        __m256i y = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(b + i)));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
    }
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(1, 0, 3, 2)));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(half) + vec8_dot_portable(a + i, b + i, n - i);
}

vec8_dot_fn *vec8_dot(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? dot_avx2 : vec8_dot_portable;
}

#else

vec8_dot_fn *vec8_dot(void)
{
    return vec8_dot_portable;
}

#endif
