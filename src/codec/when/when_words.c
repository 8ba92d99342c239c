/* The expressions: hours, days and distances. Words are folded: "früh" is "fruh". */
#include "codec/when/when_private.h"

/* ---- hours ---- */

static bool is_half(const char *letters, int hour)
{
    return (strcmp(letters, "am") == 0 || strcmp(letters, "pm") == 0) && hour >= 1 && hour <= 12;
}

/* The hour of 24. `letters`: "am", "pm" or a beginning of it. */
static int of_half(const char *letters, int hour)
{
    return hour % 12 + (*letters == 'p' ? 12 : 0);
}

/* "am", "pm", "a.m." behind an hour: the number of words. German "am" before a day is none. */
static size_t half_of_day(const struct when_words *w, size_t i, int *hour, bool *sure)
{
    size_t n = when_is(w, i, "am|pm") ? 1 : when_is(w, i, "a|p") && when_is(w, i + 1, "m") ? 2 : 0;
    if (!n || *hour > 12 || *hour < 1)
        return 0;
    if (n == 1 && when_is(w, i, "am") &&
        (when_weekday(w, i + 1) >= 0 || when_ordinal(w, i + 1) || when_part_of(w, i + 1)))
        return 0;
    *hour = of_half(w->t[i].word, *hour);
    *sure = true;
    return n;
}

/* "half past seven", "quarter to five", "halb acht", "viertel nach acht", and `led` by "at" also "five to
 * five", "10 nach acht": the number of words. */
static size_t fraction(const struct when_words *w, size_t i, bool led, int *hour, int *minute)
{
    size_t n = 0;
    int of = UNKNOWN, shift = 0, minutes = led ? when_number(w, i) : UNKNOWN;
    bool whole = minutes > 0 && minutes < 30 && minutes % 5 == 0;
    if (when_is(w, i, "half") && when_is(w, i + 1, "past"))
        n = 3, shift = 30;
    else if (when_is(w, i, "halb"))
        n = 2, shift = -30;
    else if (when_is(w, i, "quarter|viertel") && when_is(w, i + 1, "past|after|nach"))
        n = 3, shift = 15;
    else if (when_is(w, i, "quarter|viertel") && when_is(w, i + 1, "to|before|vor"))
        n = 3, shift = -15;
    else if (whole && when_is(w, i + 1, "past|after|nach"))
        n = 3, shift = minutes;
    else if (whole && when_is(w, i + 1, "to|before|vor"))
        n = 3, shift = -minutes;
    if (n)
        of = when_number(w, i + n - 1);
    if (of < 1 || of > 24)
        return 0;
    *hour = shift < 0 ? of - 1 : of;
    *minute = (shift + 60) % 60;
    if (*hour == 0 && of == 1)
        *hour = 12; /* "halb eins" */
    return n;
}

/* An hour while it is read. */
struct hour_words {
    int hour, minute;
    bool led;    /* a word such as "at" comes before it */
    bool marked; /* a sign or word makes it an hour */
    bool sure;   /* it is of 24: whether it is am or pm is known */
};

/* "5pm", "17uhr", "at 17h": the number of words. */
static size_t joined_hour(const struct when_words *w, size_t i, struct hour_words *t)
{
    const char *letters;
    if (!when_joined(w, i, &t->hour, &letters))
        return 0;
    if (is_half(letters, t->hour)) {
        t->hour = of_half(letters, t->hour);
        t->sure = true;
    } else if (strcmp(letters, "uhr") != 0 && !(t->led && strcmp(letters, "h") == 0)) {
        return 0;
    }
    t->marked = true;
    return 1;
}

/* "5", "five", "07:30", "8.30", "5:30pm", "at nine thirty": the number of words. */
static size_t plain_hour(const struct when_words *w, size_t i, struct hour_words *t)
{
    const char *letters;
    char sign = when_sign(w, i);
    int after = when_digits(w, i + 1), minute = when_minute_word(w, i + 1), joined;
    t->hour = when_number(w, i);
    if (t->hour < 0 || t->hour > 24 || when_is(w, i, "a|an|ein|eine|einem|einer|einen"))
        return 0;
    if ((sign == ':' || sign == '.') && i + 1 < w->n && strlen(w->t[i + 1].word) == 2 && after >= 0 &&
        after < 60 && (sign == ':' || t->led || when_is(w, i + 2, "uhr|pm"))) {
        t->minute = after;
        t->marked = true;
        t->sure = strlen(w->t[i].word) == 2; /* "07:30" */
        return 2;
    }
    if (sign == ':' && when_joined(w, i + 1, &joined, &letters) && joined < 60 && is_half(letters, t->hour)) {
        t->hour = of_half(letters, t->hour);
        t->minute = joined;
        t->sure = t->marked = true;
        return 2;
    }
    if (sign == ':' && after >= 0)
        return 0; /* "17:61" */
    if (t->led && sign == ' ' && when_digits(w, i) < 0 && minute > 0) {
        t->minute = minute;
        t->marked = true;
        return 2;
    }
    return 1;
}

/* "o'clock", "Uhr", "Uhr 30" behind an hour: the number of words. */
static size_t clock_words(const struct when_words *w, size_t i, struct hour_words *t)
{
    size_t n = when_is(w, i, "o") && when_is(w, i + 1, "clock") ? 2 : when_is(w, i, "oclock|uhr") ? 1 : 0;
    t->marked |= n > 0;
    int after = when_is(w, i, "uhr") ? when_digits(w, i + 1) : 0;
    after = after < 0 ? when_minute_word(w, i + 1) : after; /* "acht Uhr dreißig" */
    if (t->minute != 0 || after <= 0 || after >= 60)
        return n;
    t->minute = after;
    return n + 1;
}

static size_t hour(const struct when_words *w, size_t i, struct when_parts *p)
{
    struct hour_words t = {.led = i && when_is(w, i - 1, "at|um|gegen|ab|around|about|by|until|till|bis")};
    if (p->hour >= 0)
        return 0;
    size_t n = fraction(w, i, t.led, &t.hour, &t.minute);
    t.marked = n > 0;
    if (!n)
        n = joined_hour(w, i, &t);
    if (!n)
        n = plain_hour(w, i, &t);
    if (!n)
        return 0;
    if (t.hour == 24 && t.minute == 0)
        t.hour = 0;
    if (t.hour > 23)
        return 0;
    size_t half = half_of_day(w, i + n, &t.hour, &t.sure);
    t.marked |= half > 0;
    n += half;
    n += clock_words(w, i + n, &t);
    if (!t.led && !t.marked)
        return 0;
    p->hour = t.hour;
    p->minute = t.minute;
    p->sure = t.sure || t.hour > 12 || t.hour == 0;
    return n;
}

static size_t part(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak)
{
    size_t n = when_is(w, i, "in|at|am|um|this|zum|zu|jeden|every|each") ? 1 : 0;
    n += n && when_is(w, i + n, "the");
    enum day_part found = when_part_of(w, i + n);
    if (!n && when_is(w, i, "tonight") && p->ahead < 0) {
        p->ahead = 0;
        p->part = PART_EVENING;
        return 1;
    }
    if (!found && !begins && when_is(w, i + n, "morgen") && p->ahead == 0)
        found = PART_MORNING; /* "heute morgen" */
    if (!found || p->part)
        return 0;
    *weak = begins && !n && !when_is(w, i, "morgens|mittags|abends|nachts|vormittags|nachmittags");
    p->part = found;
    if (when_is(w, i, "this"))
        p->ahead = 0;
    return n + 1;
}

/* ---- distances ---- */

enum when_freq when_unit(const struct when_words *w, size_t i)
{
    return (enum when_freq)(
        1 + when_index_of(w, i,
                "minute|minutes|minuten|min|mins,hour|hours|stunde|stunden|std|hr|hrs,"
                "day|days|tag|tage|tagen,week|weeks|woche|wochen,month|months|monat|monate|"
                "monaten|monats,year|years|jahr|jahre|jahren|jahres"));
}

static void set_distance(struct when_parts *p, int n, enum when_freq u)
{
    if (u == FREQ_MINUTES || u == FREQ_HOURS)
        p->minutes = (int64_t)n * (u == FREQ_HOURS ? 60 : 1) + (p->minutes > 0 ? p->minutes : 0);
    else if (u == FREQ_DAYS || u == FREQ_WEEKS)
        p->ahead = n * (u == FREQ_WEEKS ? 7 : 1);
    else
        p->months = n * (u == FREQ_YEARS ? 12 : 1);
}

/* "1.5 hours", "two and a half hours", "an hour and a half", "zweieinhalb Stunden" from word `i`, in minutes:
 * the number of words. */
static size_t hours_and_part(const struct when_words *w, size_t i, int64_t *minutes)
{
    int n = when_number(w, i), tenths = when_digits(w, i + 1);
    int halves = when_index_of(w, i, "anderthalb|eineinhalb,zweieinhalb,dreieinhalb");
    char sign = i < w->n ? when_sign(w, i) : '\0';
    if (halves >= 0 && when_unit(w, i + 1) == FREQ_HOURS) {
        *minutes = halves * 60 + 90;
        return 2;
    }
    if (n < 0 || n > NUMBER_MAX)
        return 0;
    if ((sign == '.' || sign == ',') && tenths >= 0 && strlen(w->t[i + 1].word) == 1 &&
        when_unit(w, i + 2) == FREQ_HOURS) {
        *minutes = n * 60 + tenths * 6;
        return 3;
    }
    if (when_is(w, i + 1, "and") && when_is(w, i + 2, "a") && when_is(w, i + 3, "half") &&
        when_unit(w, i + 4) == FREQ_HOURS) {
        *minutes = n * 60 + 30;
        return 5;
    }
    if (when_unit(w, i + 1) == FREQ_HOURS && when_is(w, i + 2, "and") && when_is(w, i + 3, "a") &&
        when_is(w, i + 4, "half")) {
        *minutes = n * 60 + 30;
        return 5;
    }
    return 0;
}

/* "in 20 minutes", "in half an hour", "in 2h" */
static size_t distance(const struct when_words *w, size_t i, struct when_parts *p)
{
    int n;
    const char *letters;
    bool again = i && p->minutes > 0 && when_is(w, i, "and|und");
    if (!when_is(w, i, "in") && !again)
        return 0;
    if (when_is(w, i + 1, "half") && when_is(w, i + 2, "a|an") && when_is(w, i + 3, "hour")) {
        p->minutes = 30;
        return 4;
    }
    if (when_is(w, i + 1, "einer") && when_is(w, i + 2, "halben") && when_is(w, i + 3, "stunde")) {
        p->minutes = 30;
        return 4;
    }
    size_t parts = again ? 0 : hours_and_part(w, i + 1, &p->minutes);
    if (parts)
        return parts + 1;
    if (when_joined(w, i + 1, &n, &letters)) {
        static const struct {
            const char *letters;
            enum when_freq u;
        } units[] = {{"m", FREQ_MINUTES}, {"min", FREQ_MINUTES}, {"h", FREQ_HOURS}, {"d", FREQ_DAYS},
            {"w", FREQ_WEEKS}};
        for (size_t k = 0; k < ARRAY_LEN(units); k++)
            if (strcmp(units[k].letters, letters) == 0) {
                set_distance(p, n, units[k].u);
                return 2;
            }
        return 0;
    }
    n = when_number(w, i + 1);
    enum when_freq u = when_unit(w, i + 2);
    if (n < 0 || n > NUMBER_MAX || !u)
        return 0;
    set_distance(p, n, u);
    return 3;
}

/* ---- days ---- */

static bool is_year(int n)
{
    return n >= 1970 && n <= 9999;
}

/* "2026-12-01", "24.12.", "24.12.2026", "24 December", "December 24th, 2026", "1. Dezember", "on the 15th" */
size_t when_date(const struct when_words *w, size_t i, struct when_parts *p)
{
    int first = when_digits(w, i), second = when_digits(w, i + 1), third = when_digits(w, i + 2), day, mon;
    if (p->date || p->ahead >= 0)
        return 0;
    if (is_year(first) && when_sign(w, i) == '-' && second >= 1 && second <= 12 &&
        when_sign(w, i + 1) == '-' && third >= 1 && third <= 31) {
        p->year = first, p->month = second - 1, p->date = third;
        return 3;
    }
    if (first >= 1 && first <= 31 && when_sign(w, i) == '.' && second >= 1 && second <= 12) {
        const char *behind = w->t[i + 1].source.s + w->t[i + 1].source.len;
        bool dot = behind < w->end && *behind == '.';
        bool with_year = dot && is_year(third) && when_sign(w, i + 1) == '.';
        if (!dot)
            return 0; /* "8.30" */
        p->date = first, p->month = second - 1, p->year = with_year ? third : 0;
        return with_year ? 3 : 2;
    }
    size_t n = 0;
    mon = when_month(w, i);
    if (mon >= 0) {
        day = when_ordinal(w, i + 1) > 0 ? when_ordinal(w, i + 1) : when_digits(w, i + 1);
        n = 2;
    } else {
        day = when_ordinal(w, i) > 0 ? when_ordinal(w, i) : first;
        n = 1 + (size_t)when_is(w, i + 1, "of");
        mon = when_month(w, i + n);
        n++;
    }
    bool alone = i && when_is(w, i - 1, "the|am|zum") && when_ordinal(w, i) > 0 &&
                 strspn(w->t[i].word, "0123456789") > 0;
    if (mon < 0 && alone && !p->freq && p->weekday < 0 && when_weekday(w, i + 1) < 0) {
        p->date = when_ordinal(w, i);
        p->month = WHEN_ANY_MONTH;
        p->year = 0;
        return 1;
    }
    if (mon < 0 || day < 1 || day > 31)
        return 0;
    p->date = day, p->month = mon;
    p->year = 0;
    if (is_year(when_digits(w, i + n)))
        p->year = when_digits(w, i + n++);
    return n;
}

static size_t day(const struct when_words *w, size_t i, struct when_parts *p)
{
    size_t n =
        when_is(w, i, "next|this|coming|nachsten|nachste|nachstes|kommenden|kommende|diesen|diese") ? 1 : 0;
    int found = when_weekday(w, i + n);
    if (p->ahead >= 0 || p->weekday >= 0)
        return 0;
    if (found >= 0) {
        p->weekday = found;
        p->next = when_is(w, i, "next|nachsten");
        return n + 1;
    }
    if (n && when_is(w, i, "next|nachste|kommende") && when_is(w, i + 1, "week|woche")) {
        p->ahead = 7;
        return 2;
    }
    if (n && when_is(w, i, "next|nachsten|kommenden") && when_is(w, i + 1, "month|monat")) {
        p->months = 1;
        return 2;
    }
    if (when_is(w, i, "today|heute")) {
        p->ahead = 0;
        return 1;
    }
    if (when_is(w, i, "day") && when_is(w, i + 1, "after") && when_is(w, i + 2, "tomorrow")) {
        p->ahead = 2;
        return 3;
    }
    if (when_is(w, i, "tomorrow|morgen")) {
        p->ahead = 1;
        return 1;
    }
    if (when_is(w, i, "ubermorgen")) {
        p->ahead = 2;
        return 1;
    }
    return 0;
}

/* ---- all ---- */

size_t when_expression(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak)
{
    *weak = false;
    size_t n = when_repetition(w, i, begins, p, weak);
    n = n ? n : distance(w, i, p);
    n = n ? n : when_date(w, i, p);
    n = n ? n : hour(w, i, p);
    if (!n && p->ahead == 1 && p->part == NO_PART && when_is(w, i, "morgen"))
        return 0;
    n = n ? n : part(w, i, begins, p, weak);
    return n ? n : day(w, i, p);
}
