/*
 * Formats of numbers in Excel (ISO 29500-1, 18.8.31). A value is written with the decimals, the percent sign
 * and the words of its format, but without thousands separators, and a negative one with "-". A date is an
 * ISO date.
 */
#ifndef ALFRED_CODEC_DOCUMENT_NUMBER_FORMAT_H
#define ALFRED_CODEC_DOCUMENT_NUMBER_FORMAT_H

#include "base/strbuf.h"

#define NUMBER_FORMAT_WORDS 24 /* bytes before or after the number; longer ones are left out */

struct number_format {
    bool number, percent, scientific; /* number: with the decimals below; else as many as the value has */
    bool date, time, elapsed, seconds;
    int least, most; /* decimals */
    int thousands;   /* times that the value is divided by 1000 */
    char before[NUMBER_FORMAT_WORDS], after[NUMBER_FORMAT_WORDS];
};

/* `code`: "#,##0.00 \"kg\"". */
void number_format_parse(struct number_format *f, const char *code);
/* The code of a format that files do not describe; "General" for an unknown one. */
const char *number_format_built_in(int64_t id);

/* `since_1904`: how the workbook counts days. */
void number_format_write(const struct number_format *f, double value, bool since_1904, struct strbuf *out);
/* With 15 digits at most, as programs for tables count. */
void number_format_plain(double value, struct strbuf *out);

#endif
