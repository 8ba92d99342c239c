/*
 * Estimates the cost of a text for md4c 0.4.8 before it is parsed. Two steps of md4c are quadratic within one
 * paragraph or table. No callback runs during them, so they cannot be stopped:
 * - a bare address reads all text after it in the block: addresses times bytes;
 * - a closing bracket searches its line from the first line of the block on: brackets times lines.
 *
 * A block ends at a blank line at the latest, so the sums over the text between blank lines are upper bounds.
 * Text that is certainly fenced code does not count, because md4c searches for neither in it. The estimate
 * takes linear time and is deterministic.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_COST_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_COST_H

#include <stdint.h>

#include "base/strbuf.h"

/* Each is about 100 ms of md4c on a machine of 2020: 5,000 bare addresses, or 16,000 lines with a bracket
 * each, without a blank line between. */
#define MARKDOWN_ADDRESS_COST_MAX UINT64_C(250000000)
#define MARKDOWN_BRACKET_COST_MAX UINT64_C(250000000)

struct markdown_cost {
    uint64_t addresses; /* sum of addresses times bytes */
    uint64_t brackets;  /* sum of closing brackets times lines */
};

struct markdown_cost markdown_cost(struct str text);

/* An upper bound of both sums for a text of `len` bytes: most texts are so short that they need no
 * estimate. Two bytes make an address, one a bracket and one a line. */
static inline uint64_t markdown_cost_bound(size_t len)
{
    return ((uint64_t)len + 1) * ((uint64_t)len + 1);
}

/* True when both sums together exceed `max`. */
bool markdown_cost_exceeds(struct str text, uint64_t max);

#endif
