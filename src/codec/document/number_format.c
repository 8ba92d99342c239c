#include "codec/document/number_format.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"

#define DECIMALS_MAX  15
#define DAYS_TO_1970  25569     /* from 1899-12-30 */
#define DAYS_TO_1904  1462      /* from 1899-12-30 */
#define LEAP_DAY_1900 60        /* Excel has a 29 February 1900 */
#define DAYS_MAX      2958466.0 /* 10000-01-01 */
#define NUMBER_MAX    1e21      /* larger ones are written with an exponent */
#define NUMBER_ROOM   64

const char *number_format_built_in(int64_t id)
{
    static const char date[] = "yyyy-mm-dd", currency[] = "\"$\"#,##0";
    static const char *const codes[] = {"General", "0", "0.00", "#,##0", "#,##0.00", currency, currency,
        "\"$\"#,##0.00", "\"$\"#,##0.00", "0%", "0.00%", "0.00E+00", "General", "General", date, date, date,
        date, "h:mm", "h:mm:ss", "h:mm", "h:mm:ss", "yyyy-mm-dd h:mm"};
    static const struct {
        int64_t first, last;
        const char *code;
    } others[] = {{27, 31, date}, {32, 33, "h:mm:ss"}, {34, 36, date}, {37, 38, "#,##0"},
        {39, 40, "#,##0.00"}, {41, 42, "#,##0"}, {43, 44, "#,##0.00"}, {45, 45, "mm:ss"},
        {46, 46, "[h]:mm:ss"}, {47, 47, "mm:ss.0"}, {48, 48, "##0.0E+0"}, {49, 49, "@"}, {50, 58, date}};
    if (id >= 0 && id < (int64_t)ARRAY_LEN(codes))
        return codes[id];
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (id >= others[i].first && id <= others[i].last)
            return others[i].code;
    return codes[0];
}

/* ---- parsing ---- */

struct parse {
    struct number_format *f;
    const char *at;
    bool digits, point, fraction, months;
    int commas; /* after the last digit */
    struct strbuf before, after;
};

static void add_word(struct parse *p, struct str word)
{
    strbuf_addstr(p->digits ? &p->after : &p->before, word);
}

/* [Red], [>100], [h], [$€-407] */
static void bracket(struct parse *p)
{
    const char *end = strchr(p->at, ']');
    if (!end) {
        p->at += strlen(p->at);
        return;
    }
    struct str in = {p->at + 1, (size_t)(end - p->at - 1)};
    bool same = in.len > 0;
    for (size_t i = 1; i < in.len; i++)
        same = same && (in.s[i] | 0x20) == (in.s[0] | 0x20);
    char first = in.len ? (char)(in.s[0] | 0x20) : 0;
    if (in.len && in.s[0] == '$') {
        struct str rest = str_from(in, 1);
        add_word(p, str_cut(&rest, '-'));
    } else if (same && (first == 'h' || first == 'm' || first == 's')) {
        p->f->time = p->f->elapsed = true;
        p->f->seconds |= first == 's';
    }
    p->at = end + 1;
}

static void digit(struct parse *p, char c)
{
    if (p->point) {
        p->f->most += p->f->most < DECIMALS_MAX;
        p->f->least = c == '0' ? p->f->most : p->f->least;
    }
    p->digits = p->f->number = true;
    p->commas = 0;
    strbuf_clear(&p->after); /* signs between digits, as of telephone numbers */
}

/* True: it was a letter of a date. */
static bool letter(struct parse *p, char c)
{
    struct number_format *f = p->f;
    switch (c | 0x20) {
    case 'y':
    case 'd': f->date = true; break;
    case 'h': f->time = true; break;
    case 's': f->time = f->seconds = true; break;
    case 'm': p->months = true; break;
    default: return false;
    }
    return true;
}

static size_t one_sign(const char *s)
{
    size_t n = 1;
    while (((unsigned char)s[n] & 0xC0) == 0x80)
        n++;
    return n;
}

static void step(struct parse *p)
{
    const char *at = p->at, *end;
    char c = *p->at++;
    if (c == '"') {
        end = strchr(p->at, '"');
        add_word(p, end ? (struct str){p->at, (size_t)(end - p->at)} : str_of(p->at));
        p->at = end ? end + 1 : p->at + strlen(p->at);
    } else if (c == '\\' && *p->at) {
        size_t n = one_sign(p->at);
        add_word(p, (struct str){p->at, n});
        p->at += n;
    } else if ((c == '_' || c == '*') && *p->at)
        p->at += one_sign(p->at); /* a space as wide as this sign; a filling */
    else if (c == '[') {
        p->at--;
        bracket(p);
    } else if (c == '0' || c == '#' || c == '?')
        digit(p, c);
    else if (c == '.')
        p->point = true;
    else if (c == ',')
        p->commas++;
    else if (c == '%')
        p->f->percent = true;
    else if (c == '/')
        p->fraction = p->digits;
    else if ((c == 'E' || c == 'e') && (*p->at == '+' || *p->at == '-')) {
        p->f->scientific = true;
        p->at++;
        while (*p->at == '0' || *p->at == '#' || *p->at == '?')
            p->at++;
    } else if (str_starts_nocase(str_of(at), STR("General"))) {
        p->digits = true;
        p->at += strlen("General") - 1;
    } else if (str_starts_nocase(str_of(at), STR("AM/PM")))
        p->at += strlen("AM/PM") - 1;
    else if (!letter(p, c) && c != '@' && c != '-' && c != '+' && c != '(' && c != ')') {
        size_t n = one_sign(at);
        add_word(p, (struct str){at, n});
        p->at = at + n;
    }
}

static void keep_words(char *to, struct strbuf *words)
{
    if (!words->failed && words->len < NUMBER_FORMAT_WORDS)
        memcpy(to, words->s, words->len + 1);
    strbuf_release(words);
}

/* The first section is for positive numbers; others differ in signs and colours. */
void number_format_parse(struct number_format *f, const char *code)
{
    struct parse p = {.f = f, .at = code};
    *f = (struct number_format){0};
    strbuf_init(&p.before, NUMBER_FORMAT_WORDS);
    strbuf_init(&p.after, NUMBER_FORMAT_WORDS);
    while (*p.at && *p.at != ';')
        step(&p);
    if (p.months && !f->time)
        f->date = true;
    if (p.months && f->elapsed)
        f->date = false;
    f->number = f->number && !p.fraction;
    f->thousands = p.digits ? p.commas : 0;
    keep_words(f->before, &p.before);
    keep_words(f->after, &p.after);
}

/* ---- writing ---- */

void number_format_plain(double value, struct strbuf *out)
{
    char text[NUMBER_ROOM];
    snprintf(text, sizeof text, "%.15g", value == 0 ? 0 : value);
    strbuf_adds(out, text);
}

static void write_clock(struct strbuf *out, int64_t s, bool seconds)
{
    strbuf_addf(out, "%02lld:%02lld", (long long)(s / S_PER_H), (long long)(s % S_PER_H / S_PER_MIN));
    if (seconds)
        strbuf_addf(out, ":%02lld", (long long)(s % S_PER_MIN));
}

/* False: there is no such date. */
static bool write_date(const struct number_format *f, double value, bool since_1904, struct strbuf *out)
{
    if (!(value >= 0 && value < DAYS_MAX - (since_1904 ? DAYS_TO_1904 : 0)))
        return false;
    int64_t s = llround(value * S_PER_DAY), days = s / S_PER_DAY;
    s %= S_PER_DAY;
    if (f->elapsed) {
        write_clock(out, days * S_PER_DAY + s, f->seconds);
        return true;
    }
    if (f->date) {
        days += since_1904 ? DAYS_TO_1904 : days < LEAP_DAY_1900 ? 1 : 0;
        struct tm t = clock_utc((days - DAYS_TO_1970) * S_PER_DAY);
        strbuf_addf(out, "%04d-%02d-%02d%s", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, f->time ? " " : "");
    }
    if (f->time)
        write_clock(out, s, f->seconds);
    return true;
}

static void write_number(const struct number_format *f, double value, struct strbuf *out)
{
    char text[NUMBER_ROOM];
    bool exponent = f->scientific || value >= NUMBER_MAX;
    int n = snprintf(text, sizeof text, exponent ? "%.*E" : "%.*f", f->most, value);
    if (!exponent && f->most > f->least) {
        int least = n - (f->most - f->least);
        while (n > least && text[n - 1] == '0')
            text[--n] = '\0';
        if (text[n - 1] == '.')
            text[--n] = '\0';
    }
    strbuf_adds(out, text);
}

void number_format_write(const struct number_format *f, double value, bool since_1904, struct strbuf *out)
{
    if ((f->date || f->time) && write_date(f, value, since_1904, out))
        return;
    if (f->date || f->time) {
        number_format_plain(value, out);
        return;
    }
    for (int i = 0; i < f->thousands; i++)
        value /= 1000;
    value = f->percent ? value * 100 : value;
    if (value < 0)
        strbuf_addc(out, '-');
    strbuf_adds(out, f->before);
    if (f->number)
        write_number(f, fabs(value), out);
    else
        number_format_plain(fabs(value), out);
    strbuf_adds(out, f->after);
    if (f->percent)
        strbuf_addc(out, '%');
}
