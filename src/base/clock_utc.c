/* A file of its own, so that tests with a clock of their own can replace clock.c. */
#include "base/clock.h"

#include <stdbool.h>

/* https://howardhinnant.github.io/date_algorithms.html#civil_from_days: years begin in March, so that a leap
 * day is their last one. The C library's function takes four times as long, and pages show several times per
 * row. */
struct tm clock_utc(int64_t s)
{
    int64_t days = s / S_PER_DAY - (s % S_PER_DAY < 0), second = s - days * S_PER_DAY;
    int64_t from = days + 719468, era = (from >= 0 ? from : from - 146096) / 146097;
    int64_t day = from - era * 146097; /* of the 400 years */
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    bool next = month >= 10; /* January and February */
    year += era * 400 + next;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return (struct tm){.tm_sec = (int)(second % S_PER_MIN),
        .tm_min = (int)(second / S_PER_MIN % 60),
        .tm_hour = (int)(second / S_PER_H),
        .tm_mday = (int)(of_year - (153 * month + 2) / 5) + 1,
        .tm_mon = (int)(next ? month - 10 : month + 2),
        .tm_year = (int)(year - 1900),
        .tm_wday = (int)(((days + 4) % 7 + 7) % 7),
        .tm_yday = (int)(next ? of_year - 306 : of_year + 59 + leap),
        .tm_zone = "UTC"};
}
