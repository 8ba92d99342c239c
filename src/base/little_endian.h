/* Numbers in little-endian order, as zip, Ogg and WAV have them. */
#ifndef ALFRED_BASE_LITTLE_ENDIAN_H
#define ALFRED_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint16_t le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t le32(const unsigned char *p)
{
    return (uint32_t)le16(p) | (uint32_t)le16(p + 2) << 16;
}

static inline uint64_t le64(const unsigned char *p)
{
    return (uint64_t)le32(p) | (uint64_t)le32(p + 4) << 32;
}

#endif
