/* The expressions: hours, days, distances and repetitions. Words are folded: "früh" is "fruh". */
#include "codec/when/when_private.h"

#define UNKNOWN    (-1)
#define NUMBER_MAX 1000

char when_sign(const struct when_words *w, size_t i)
{
    const char *end = w->t[i].source.s + w->t[i].source.len;
    return i + 1 < w->n && end < w->t[i + 1].source.s ? *end : '\0';
}

/* True when word `i` is one of "a|b|c". */
static bool is(const struct when_words *w, size_t i, const char *list)
{
    struct str rest = str_of(list);
    while (i < w->n && rest.s)
        if (str_is(str_cut(&rest, '|'), w->t[i].word))
            return true;
    return false;
}

/* The place of word `i` in "a|b,c,d|e": a and b are 0, c is 1. -1: not there. */
static int index_of(const struct when_words *w, size_t i, const char *lists)
{
    struct str rest = str_of(lists);
    for (int n = 0; i < w->n && rest.s; n++) {
        struct str list = str_cut(&rest, ',');
        while (list.s)
            if (str_is(str_cut(&list, '|'), w->t[i].word))
                return n;
    }
    return UNKNOWN;
}

static int digits(const struct when_words *w, size_t i)
{
    int64_t n;
    return i < w->n && str_to_int(str_of(w->t[i].word), 0, NUMBER_MAX * 10, &n) ? (int)n : UNKNOWN;
}

/* 0 to 12 in words, then some larger ones. */
static int number(const struct when_words *w, size_t i)
{
    static const int large[] = {15, 20, 25, 30, 40, 45, 50, 60, 90};
    int n = digits(w, i);
    if (n == UNKNOWN)
        n = index_of(w, i,
            "zero|null,one|a|an|ein|eine|einem|einer|einen|eins,two|zwei|zwo,three|drei,four|vier,five|funf,"
            "six|sechs,seven|sieben,eight|acht,nine|neun,ten|zehn,eleven|elf,twelve|zwolf");
    if (n == UNKNOWN) {
        n = index_of(w, i,
            "fifteen|funfzehn,twenty|zwanzig,funfundzwanzig,thirty|dreißig|dreissig,forty|vierzig,"
            "funfundvierzig,fifty|funfzig,sixty|sechzig,neunzig|ninety");
        n = n == UNKNOWN ? UNKNOWN : large[n];
    }
    return n;
}

/* Splits "20min", "5pm": the number, and the letters behind it. */
static bool joined(const struct when_words *w, size_t i, int *n, const char **letters)
{
    if (!w->t || i >= w->n)
        return false;
    const char *word = w->t[i].word;
    size_t len = strspn(word, "0123456789");
    int64_t value;
    *letters = word + len;
    if (!word[len] || !str_to_int((struct str){word, len}, 0, NUMBER_MAX, &value))
        return false;
    *n = (int)value;
    return true;
}

static int weekday(const struct when_words *w, size_t i)
{
    return index_of(w, i,
        "sunday|sonntag,monday|montag,tuesday|dienstag,wednesday|mittwoch,thursday|donnerstag,friday|freitag,"
        "saturday|samstag|sonnabend");
}

/* "Mondays", "montags" */
static int weekdays(const struct when_words *w, size_t i)
{
    return index_of(w, i,
        "sundays|sonntags,mondays|montags,tuesdays|dienstags,wednesdays|mittwochs,thursdays|donnerstags,"
        "fridays|freitags,saturdays|samstags|sonnabends");
}

static int month(const struct when_words *w, size_t i)
{
    return index_of(w, i,
        "january|januar|janner,february|februar|feber,march|marz,april,may|mai,june|juni,july|juli,august,"
        "september,october|oktober,november,december|dezember");
}

/* "first", "1st", "1.", "ersten", "last": 1 to 31, or -1; 0: none. */
static int ordinal(const struct when_words *w, size_t i)
{
    int n;
    const char *letters;
    if (is(w, i, "last|letzten|letzter|letzte|letztem"))
        return -1;
    n = index_of(w, i,
        "first|erster|ersten|erste|erstem,second|zweiter|zweiten|zweite|zweitem,third|dritter|dritten|dritte,"
        "fourth|vierter|vierten|vierte,fifth|funfter|funften,sixth|sechsten,seventh|siebten,eighth|achten,"
        "ninth|neunten,tenth|zehnten");
    if (n != UNKNOWN)
        return n + 1;
    n = digits(w, i);
    if (n >= 1 && n <= 31 && when_sign(w, i) == '.')
        return n;
    if (joined(w, i, &n, &letters) && n >= 1 && n <= 31 &&
        (!strcmp(letters, "st") || !strcmp(letters, "nd") || !strcmp(letters, "rd") ||
            !strcmp(letters, "th")))
        return n;
    return 0;
}

static enum day_part part_of(const struct when_words *w, size_t i)
{
    static const enum day_part parts[] = {
        PART_MORNING, PART_NOON, PART_AFTERNOON, PART_EVENING, PART_NIGHT, PART_MIDNIGHT};
    int n = index_of(w, i,
        "morning|mornings|morgens|fruh|vormittag|vormittags|fruhmorgens,noon|mittag|mittags|midday|lunchtime,"
        "afternoon|afternoons|nachmittag|nachmittags,evening|evenings|abend|abends,night|nights|nacht|nachts,"
        "midnight|mitternacht");
    return n == UNKNOWN ? NO_PART : parts[n];
}

/* ---- hours ---- */

/* "am", "pm", "a.m.", "Uhr" behind an hour: the number of words. German "am" before a day is none. */
static size_t half_of_day(const struct when_words *w, size_t i, int *hour, bool *sure)
{
    size_t n = is(w, i, "am|pm") ? 1 : is(w, i, "a|p") && is(w, i + 1, "m") ? 2 : 0;
    if (!n || *hour > 12 || *hour < 1)
        return 0;
    if (n == 1 && is(w, i, "am") && (weekday(w, i + 1) >= 0 || ordinal(w, i + 1) || part_of(w, i + 1)))
        return 0;
    *hour = *hour % 12 + (w->t[i].word[0] == 'p' ? 12 : 0);
    *sure = true;
    return n;
}

/* "half past seven", "quarter to five", "halb acht", "viertel nach acht": the number of words. */
static size_t fraction(const struct when_words *w, size_t i, int *hour, int *minute)
{
    size_t n = 0;
    int of = UNKNOWN, shift = 0;
    if (is(w, i, "half") && is(w, i + 1, "past"))
        n = 3, shift = 30;
    else if (is(w, i, "halb"))
        n = 2, shift = -30;
    else if (is(w, i, "quarter|viertel") && is(w, i + 1, "past|after|nach"))
        n = 3, shift = 15;
    else if (is(w, i, "quarter|viertel") && is(w, i + 1, "to|before|vor"))
        n = 3, shift = -15;
    if (n)
        of = number(w, i + n - 1);
    if (of < 1 || of > 24)
        return 0;
    *hour = shift < 0 ? of - 1 : of;
    *minute = (shift + 60) % 60;
    if (*hour == 0 && of == 1)
        *hour = 12; /* "halb eins" */
    return n;
}

static size_t hour(const struct when_words *w, size_t i, struct when_parts *p)
{
    bool led = i && is(w, i - 1, "at|um|gegen|ab|around|about|by|until|till|bis"), sure = false;
    int h, m = 0;
    const char *letters;
    if (p->hour >= 0)
        return 0;
    size_t n = fraction(w, i, &h, &m);
    bool marked = n > 0;
    if (!n && joined(w, i, &h, &letters) && (!strcmp(letters, "am") || !strcmp(letters, "pm")) && h >= 1 &&
        h <= 12) {
        h = h % 12 + (*letters == 'p' ? 12 : 0);
        n = 1;
        sure = marked = true;
    } else if (!n && joined(w, i, &h, &letters) && !strcmp(letters, "uhr")) {
        n = 1;
        marked = true;
    }
    if (!n) {
        h = number(w, i);
        if (h < 0 || h > 24 || is(w, i, "a|an|ein|eine|einem|einer|einen"))
            return 0;
        n = 1;
        char sign = when_sign(w, i);
        if ((sign == ':' || sign == '.') && i + 1 < w->n && strlen(w->t[i + 1].word) == 2 &&
            digits(w, i + 1) >= 0 && digits(w, i + 1) < 60 &&
            (sign == ':' || led || is(w, i + 2, "uhr|pm"))) {
            m = digits(w, i + 1);
            n = 2;
            marked = true;
            sure = strlen(w->t[i].word) == 2; /* "07:30" */
        } else if (joined(w, i + 1, &m, &letters) && sign == ':' && m < 60 &&
                   (!strcmp(letters, "am") || !strcmp(letters, "pm")) && h >= 1 && h <= 12) { /* "5:30pm" */
            h = h % 12 + (*letters == 'p' ? 12 : 0);
            n = 2;
            sure = marked = true;
        } else if (sign == ':' && digits(w, i + 1) >= 0) {
            return 0; /* "17:61" */
        } else {
            m = 0;
        }
    }
    if (h == 24 && m == 0)
        h = 0;
    if (h > 23)
        return 0;
    size_t more = half_of_day(w, i + n, &h, &sure);
    marked |= more > 0;
    n += more;
    if (is(w, i + n, "o") && is(w, i + n + 1, "clock"))
        n += 2, marked = true;
    else if (is(w, i + n, "oclock"))
        n++, marked = true;
    else if (is(w, i + n, "uhr")) {
        int after = digits(w, i + n + 1);
        n++;
        marked = true;
        if (m == 0 && after > 0 && after < 60)
            m = after, n++; /* "8 Uhr 30" */
    }
    if (!led && !marked)
        return 0;
    p->hour = h;
    p->minute = m;
    p->sure = sure || h > 12 || h == 0;
    return n;
}

static size_t part(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak)
{
    size_t n = is(w, i, "in|at|am|this|zum|zu|jeden|every|each") ? 1 : 0;
    n += n && is(w, i + n, "the");
    enum day_part found = part_of(w, i + n);
    if (!n && is(w, i, "tonight") && p->ahead < 0) {
        p->ahead = 0;
        p->part = PART_EVENING;
        return 1;
    }
    if (!found && !begins && is(w, i + n, "morgen") && p->ahead == 0)
        found = PART_MORNING; /* "heute morgen" */
    if (!found || p->part)
        return 0;
    *weak = begins && !n && !is(w, i, "morgens|mittags|abends|nachts|vormittags|nachmittags");
    p->part = found;
    if (is(w, i, "this"))
        p->ahead = 0;
    return n + 1;
}

/* ---- distances ---- */

static enum when_freq unit(const struct when_words *w, size_t i)
{
    return (enum when_freq)(
        1 + index_of(w, i,
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

/* "in 20 minutes", "in half an hour", "in anderthalb Stunden", "in 2h" */
static size_t distance(const struct when_words *w, size_t i, struct when_parts *p)
{
    int n;
    const char *letters;
    bool again = i && p->minutes > 0 && is(w, i, "and|und");
    if (!is(w, i, "in") && !again)
        return 0;
    if (is(w, i + 1, "half") && is(w, i + 2, "a|an") && is(w, i + 3, "hour"))
        return p->minutes = 30, 4;
    if (is(w, i + 1, "einer") && is(w, i + 2, "halben") && is(w, i + 3, "stunde"))
        return p->minutes = 30, 4;
    if (is(w, i + 1, "anderthalb|eineinhalb") && is(w, i + 2, "stunden"))
        return p->minutes = 90, 3;
    if (joined(w, i + 1, &n, &letters)) {
        static const struct {
            const char *letters;
            enum when_freq u;
        } units[] = {{"m", FREQ_MINUTES}, {"min", FREQ_MINUTES}, {"h", FREQ_HOURS}, {"d", FREQ_DAYS},
            {"w", FREQ_WEEKS}};
        for (size_t k = 0; k < ARRAY_LEN(units); k++)
            if (strcmp(units[k].letters, letters) == 0)
                return set_distance(p, n, units[k].u), 2;
        return 0;
    }
    n = number(w, i + 1);
    enum when_freq u = unit(w, i + 2);
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

/* "2026-12-01", "24.12.", "24.12.2026", "24 December", "December 24th, 2026", "1. Dezember" */
static size_t date(const struct when_words *w, size_t i, struct when_parts *p)
{
    int first = digits(w, i), second = digits(w, i + 1), third = digits(w, i + 2), day, mon;
    if (p->date || p->ahead >= 0)
        return 0;
    if (is_year(first) && when_sign(w, i) == '-' && second >= 1 && second <= 12 &&
        when_sign(w, i + 1) == '-' && third >= 1 && third <= 31) {
        p->year = first, p->month = second - 1, p->date = third;
        return 3;
    }
    if (first >= 1 && first <= 31 && when_sign(w, i) == '.' && second >= 1 && second <= 12) {
        bool dot = i + 1 < w->n && w->t[i + 1].source.s[w->t[i + 1].source.len] == '.';
        bool with_year = dot && is_year(third) && when_sign(w, i + 1) == '.';
        if (!dot)
            return 0; /* "8.30" */
        p->date = first, p->month = second - 1, p->year = with_year ? third : 0;
        return with_year ? 3 : 2;
    }
    size_t n = 0;
    mon = month(w, i);
    if (mon >= 0) {
        day = ordinal(w, i + 1) > 0 ? ordinal(w, i + 1) : digits(w, i + 1);
        n = 2;
    } else {
        day = ordinal(w, i) > 0 ? ordinal(w, i) : first;
        n = 1 + (size_t)is(w, i + 1, "of");
        mon = month(w, i + n);
        n++;
    }
    if (mon < 0 || day < 1 || day > 31)
        return 0;
    p->date = day, p->month = mon;
    p->year = 0;
    if (is_year(digits(w, i + n)))
        p->year = digits(w, i + n++);
    return n;
}

static size_t day(const struct when_words *w, size_t i, struct when_parts *p)
{
    size_t n = is(w, i, "next|this|coming|nachsten|nachste|nachstes|kommenden|kommende|diesen|diese") ? 1 : 0;
    int found = weekday(w, i + n);
    if (p->ahead >= 0 || p->weekday >= 0)
        return 0;
    if (found >= 0) {
        p->weekday = found;
        p->next = is(w, i, "next|nachsten");
        return n + 1;
    }
    if (n && is(w, i, "next|nachste|kommende") && is(w, i + 1, "week|woche"))
        return p->ahead = 7, 2;
    if (n && is(w, i, "next|nachsten|kommenden") && is(w, i + 1, "month|monat"))
        return p->months = 1, 2;
    if (is(w, i, "today|heute"))
        return p->ahead = 0, 1;
    if (is(w, i, "day") && is(w, i + 1, "after") && is(w, i + 2, "tomorrow"))
        return p->ahead = 2, 3;
    if (is(w, i, "tomorrow|morgen"))
        return p->ahead = 1, 1;
    if (is(w, i, "ubermorgen"))
        return p->ahead = 2, 1;
    return 0;
}

/* ---- repetitions ---- */

#define WORKDAYS 0x3EU
#define WEEKEND  0x41U

static void set_rule(struct when_parts *p, enum when_freq f, int interval, unsigned days)
{
    p->freq = f;
    p->interval = interval;
    p->weekdays = days;
}

/* "Monday", "Monday and Thursday", "Montag, Mittwoch und Freitag" from word `i`. */
static size_t weekday_list(
    const struct when_words *w, size_t i, int (*one)(const struct when_words *, size_t), unsigned *days)
{
    size_t n = 0, again = 0;
    *days = 0;
    for (int found; (found = one(w, i + n + again)) >= 0;) {
        *days |= 1U << found;
        n += again + 1;
        again = (size_t)is(w, i + n, "and|und");
        again += (size_t)is(w, i + n + again, "every|each|jeden");
    }
    return n;
}

/* "first of each month", "15th of the month", "first Monday of every month", "letzten Freitag im Monat" */
static size_t in_month(const struct when_words *w, size_t i, bool every, struct when_parts *p)
{
    int which = ordinal(w, i);
    size_t n = 1;
    if (!which)
        return 0;
    int wd = weekday(w, i + n);
    if (wd >= 0 || is(w, i + n, "day|tag"))
        n++;
    size_t end = n;
    while (is(w, i + end, "of|im|in|des|the|each|every|a|jedes|jeden|jedem|eines"))
        end++;
    bool of_month = end > n && is(w, i + end, "month|monat|monats");
    if (!of_month && !(every && n == 1 && month(w, i + 1) < 0 && (which > 9 || which < 0)))
        return 0;
    if (wd >= 0 && (which > 5))
        return 0;
    set_rule(p, FREQ_MONTHS, 1, wd >= 0 ? 1U << wd : 0);
    if (wd >= 0)
        p->nth = which;
    else
        p->monthday = which;
    return of_month ? end + 1 : n;
}

/* Behind "every": "day", "other week", "2 hours", "Monday and Thursday", "weekday", "morning", "24 December"
 */
static size_t every(const struct when_words *w, size_t i, struct when_parts *p)
{
    size_t n = in_month(w, i, true, p);
    int interval = 1, found;
    unsigned days;
    if (n)
        return n;
    if (is(w, i, "other|second|zweiten|zweite|zweites|2nd"))
        interval = 2, n = 1;
    else if ((found = number(w, i)) > 0 && unit(w, i + 1))
        interval = found, n = 1;
    enum when_freq u = unit(w, i + n);
    if (u)
        return set_rule(p, u, interval, 0), n + 1;
    size_t listed = weekday_list(w, i + n, weekday, &days);
    if (listed)
        return set_rule(p, FREQ_WEEKS, interval, days), n + listed;
    if (n)
        return 0;
    if (is(w, i, "weekday|weekdays|workday|workdays|werktag|wochentag|arbeitstag|werktage|wochentage"))
        return set_rule(p, FREQ_WEEKS, 1, WORKDAYS), 1;
    if (is(w, i, "weekend|wochenende"))
        return set_rule(p, FREQ_WEEKS, 1, WEEKEND), 1;
    enum day_part at = is(w, i, "morgen") ? PART_MORNING : part_of(w, i);
    if (at) {
        p->part = at;
        return set_rule(p, FREQ_DAYS, 1, 0), 1;
    }
    n = date(w, i, p);
    if (n)
        set_rule(p, FREQ_YEARS, 1, 0);
    return n;
}

static size_t repetition(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak)
{
    unsigned days;
    if (p->freq)
        return 0;
    if (is(w, i, "every|each|jeden|jede|jedes|jeder|alle")) {
        size_t n = every(w, i + 1, p);
        return n ? n + 1 : 0;
    }
    size_t n = in_month(w, i, false, p);
    if (!n && (n = weekday_list(w, i, weekdays, &days)))
        set_rule(p, FREQ_WEEKS, 1, days);
    if (n)
        return n;
    int found = index_of(
        w, i, "hourly|stundlich,daily|taglich,weekly|wochentlich,monthly|monatlich,yearly|annually|jahrlich");
    if (found >= 0) {
        *weak = begins;
        return set_rule(p, (enum when_freq)(FREQ_HOURS + found), 1, 0), 1;
    }
    if (is(w, i, "weekdays|werktags|wochentags"))
        return set_rule(p, FREQ_WEEKS, 1, WORKDAYS), 1;
    if (is(w, i, "weekends"))
        return set_rule(p, FREQ_WEEKS, 1, WEEKEND), 1;
    return 0;
}

size_t when_expression(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak)
{
    *weak = false;
    size_t n = repetition(w, i, begins, p, weak);
    n = n ? n : distance(w, i, p);
    n = n ? n : date(w, i, p);
    n = n ? n : hour(w, i, p);
    if (!n && p->ahead == 1 && p->part == NO_PART && is(w, i, "morgen"))
        return 0;
    n = n ? n : part(w, i, begins, p, weak);
    return n ? n : day(w, i, p);
}
