#include "base/lang.h"

#define UNIT INT64_C(1024)

/* The number of parts, of which a unit has `parts`, in `n` bytes. */
static int64_t in_parts(int64_t n, int64_t unit, int64_t parts, enum lang_round round)
{
    int64_t rest = n % unit * parts;
    return n / unit * parts + (round == LANG_ROUND_UP ? rest + unit - 1 : rest) / unit;
}

void lang_add_bytes(struct strbuf *out, const struct lang *l, int64_t n, enum lang_round round)
{
    static const char *const names[] = {"KB", "MB", "GB"};
    size_t i = 0;
    int64_t unit = UNIT;
    if (n < UNIT) {
        lang_add_count(out, l, "count.bytes", n, NULL);
        return;
    }
    for (; i < 2 && in_parts(n, unit, 1, round) >= UNIT; i++)
        unit *= UNIT;
    int64_t tenths = in_parts(n, unit, 10, round);
    bool has_tenth = i > 0 && tenths < 100 && tenths % 10;
    lang_add_number(out, l, has_tenth ? tenths / 10 : in_parts(n, unit, 1, round));
    if (has_tenth)
        strbuf_addf(out, "%s%d", lang_decimal(l), (int)(tenths % 10));
    strbuf_addf(out, "\xC2\xA0%s", names[i]);
}
