/* The reader of a text: numbers, times and words are written in this language, dates in this zone. */
#ifndef ALFRED_BASE_LOCALE_H
#define ALFRED_BASE_LOCALE_H

#include <stdint.h>

#include "base/lang.h"
#include "base/time_zone.h"

struct date_words; /* a cache of dates in words; humanize.h */

struct locale {
    const struct lang *lang;
    const struct time_zone *zone; /* NULL: the server's */
    int64_t now;                  /* wall clock, ms */
    struct date_words *dates;     /* NULL: none are kept */
};

#endif
