/* Shared by the files of codec/when. */
#ifndef ALFRED_CODEC_WHEN_WHEN_PRIVATE_H
#define ALFRED_CODEC_WHEN_WHEN_PRIVATE_H

#include "codec/when/when.h"
#include "codec/words/tokenizer.h"

#define UNKNOWN        (-1) /* returned for a word that has none of the meanings looked for */
#define NUMBER_MAX     1000
#define WHEN_ANY_MONTH 12

enum day_part { NO_PART, PART_MORNING, PART_NOON, PART_AFTERNOON, PART_EVENING, PART_NIGHT, PART_MIDNIGHT };
enum when_freq { FREQ_NONE, FREQ_MINUTES, FREQ_HOURS, FREQ_DAYS, FREQ_WEEKS, FREQ_MONTHS, FREQ_YEARS };

/* The parts of a time that the words name. Absent parts: -1 for numbers with a default, 0 or false for
 * others. */
struct when_parts {
    int hour, minute; /* -1: none */
    bool sure;        /* the hour is of 24: whether it is am or pm is known */
    enum day_part part;
    int ahead;       /* days from today; -1: none */
    int weekday;     /* 0 is Sunday; -1: none */
    bool next;       /* the weekday is not today's */
    int year;        /* of a date; 0: the next such date */
    int month, date; /* of a date; month from 0, or WHEN_ANY_MONTH: the next one with the day; date 0: none */
    int64_t minutes; /* from now; -1: none */
    int months;      /* from today; 0: none */
    enum when_freq freq;
    int interval;
    unsigned weekdays; /* of the rule: bit 0 is Sunday */
    int nth;           /* the first, second, ... of those weekdays in the month; -1: the last; 0: all */
    int monthday;      /* of the rule; -1: the last day; 0: none */
};

struct when_words {
    struct term *t;
    size_t n;
    const char *end; /* of the text, which has no NUL there */
};

/* The sign directly behind word `i`; 0 at the end. */
char when_sign(const struct when_words *w, size_t i);

/* ---- single words (when_word.c) ---- */

/* True when word `i` is one of "a|b|c". */
bool when_is(const struct when_words *w, size_t i, const char *list);
/* The place of word `i` in "a|b,c,d|e": a and b are 0, c is 1. -1: not there. */
int when_index_of(const struct when_words *w, size_t i, const char *lists);
int when_digits(const struct when_words *w, size_t i);
/* 0 to 12 in words, then some larger ones. */
int when_number(const struct when_words *w, size_t i);
/* The minutes of "nine thirty": a word for 10 to 50. */
int when_minute_word(const struct when_words *w, size_t i);
/* Splits "20min", "5pm": the number, and the letters behind it. */
bool when_joined(const struct when_words *w, size_t i, int *n, const char **letters);
int when_weekday(const struct when_words *w, size_t i);
/* "Mondays", "montags" */
int when_weekdays(const struct when_words *w, size_t i);
int when_month(const struct when_words *w, size_t i);
/* "first", "1st", "1.", "ersten", "last": 1 to 31, or -1; 0: none. */
int when_ordinal(const struct when_words *w, size_t i);
enum day_part when_part_of(const struct when_words *w, size_t i);

/* ---- expressions (when_words.c, when_repeat.c) ---- */

/* "minutes", "Stunde" and so on; FREQ_NONE: another word. */
enum when_freq when_unit(const struct when_words *w, size_t i);

/* These read one expression at word `i` and return the number of its words; 0: none, `p` unchanged. */
size_t when_date(const struct when_words *w, size_t i, struct when_parts *p);
size_t when_repetition(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak);

/* An expression of any kind. `begins`: no expression precedes it. `weak`: it may also be part of a name
 * ("weekly report", "morning run"). */
size_t when_expression(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak);

#endif
