/*
 * Writes iCalendar (RFC 5545) into a string: content lines that end in CRLF and are folded at 75 bytes.
 *
 * libical reads and writes the same, but loads 30 MB of files into the process. The writing side is one page.
 */
#ifndef ALFRED_CODEC_CALENDAR_ICALENDAR_H
#define ALFRED_CODEC_CALENDAR_ICALENDAR_H

#include "base/strbuf.h"
#include "base/time_zone.h"

#define ICALENDAR_LINE_MAX 75 /* bytes, without the CRLF */

/* NAME:VALUE. The value is written as it is, except that control characters are left out. `name` may have
 * parameters ("DTSTART;VALUE=DATE"). */
void icalendar_line(struct strbuf *out, const char *name, struct str value);
/* The same with a value of type TEXT: backslash, semicolon, comma and line ends are escaped. */
void icalendar_text(struct strbuf *out, const char *name, struct str value);
/* A moment, in UTC: "20261201T160000Z". */
void icalendar_moment(struct strbuf *out, const char *name, int64_t at);

/* The VTIMEZONE of a zone: its clock at `from` and each change of it up to `until`. */
void icalendar_zone(
    struct strbuf *out, const char *name, const struct time_zone *z, int64_t from, int64_t until);

#endif
