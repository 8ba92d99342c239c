#include "base/lang_plural.h"

#include <stdbool.h>
#include <string.h>

const char *const plural_names[PLURAL_COUNT] = {"zero", "one", "two", "few", "many", "other"};

static bool within(uint64_t n, uint64_t from, uint64_t to)
{
    return n >= from && n <= to;
}

static enum plural same(uint64_t n)
{
    (void)n;
    return PLURAL_OTHER;
}

static enum plural one_other(uint64_t n)
{
    return n == 1 ? PLURAL_ONE : PLURAL_OTHER;
}

static bool millions(uint64_t n)
{
    return n && n % 1000000 == 0;
}

static enum plural spanish(uint64_t n)
{
    return n == 1 ? PLURAL_ONE : millions(n) ? PLURAL_MANY : PLURAL_OTHER;
}

static enum plural french(uint64_t n)
{
    return n < 2 ? PLURAL_ONE : millions(n) ? PLURAL_MANY : PLURAL_OTHER;
}

static bool ends_few(uint64_t n)
{
    return within(n % 10, 2, 4) && !within(n % 100, 12, 14);
}

static bool ends_one(uint64_t n)
{
    return n % 10 == 1 && n % 100 != 11;
}

static enum plural russian(uint64_t n)
{
    return ends_one(n) ? PLURAL_ONE : ends_few(n) ? PLURAL_FEW : PLURAL_MANY;
}

static enum plural polish(uint64_t n)
{
    return n == 1 ? PLURAL_ONE : ends_few(n) ? PLURAL_FEW : PLURAL_MANY;
}

static enum plural serbian(uint64_t n)
{
    return ends_one(n) ? PLURAL_ONE : ends_few(n) ? PLURAL_FEW : PLURAL_OTHER;
}

static enum plural czech(uint64_t n)
{
    return n == 1 ? PLURAL_ONE : within(n, 2, 4) ? PLURAL_FEW : PLURAL_OTHER;
}

static enum plural romanian(uint64_t n)
{
    return n == 1 ? PLURAL_ONE : n == 0 || within(n % 100, 1, 19) ? PLURAL_FEW : PLURAL_OTHER;
}

static enum plural slovene(uint64_t n)
{
    switch (n % 100) {
    case 1: return PLURAL_ONE;
    case 2: return PLURAL_TWO;
    case 3:
    case 4: return PLURAL_FEW;
    default: return PLURAL_OTHER;
    }
}

static enum plural lithuanian(uint64_t n)
{
    bool teens = within(n % 100, 11, 19);
    return n % 10 == 1 && !teens ? PLURAL_ONE : n % 10 >= 2 && !teens ? PLURAL_FEW : PLURAL_OTHER;
}

static enum plural latvian(uint64_t n)
{
    return n % 10 == 0 || within(n % 100, 11, 19) ? PLURAL_ZERO : ends_one(n) ? PLURAL_ONE : PLURAL_OTHER;
}

static enum plural hebrew(uint64_t n)
{
    return n == 1 ? PLURAL_ONE : n == 2 ? PLURAL_TWO : PLURAL_OTHER;
}

static enum plural arabic(uint64_t n)
{
    if (n < 3)
        return n == 0 ? PLURAL_ZERO : n == 1 ? PLURAL_ONE : PLURAL_TWO;
    return within(n % 100, 3, 10) ? PLURAL_FEW : n % 100 >= 11 ? PLURAL_MANY : PLURAL_OTHER;
}

#define F(form) (1u << PLURAL_##form)

const struct plural_family plural_families[] = {
    {"other", F(OTHER), same},                         /* Chinese, Japanese, Korean, Thai */
    {"one_other", F(ONE) | F(OTHER), one_other},       /* English, German, Dutch, Greek, Turkish */
    {"spanish", F(ONE) | F(MANY) | F(OTHER), spanish}, /* and Italian, Catalan */
    {"french", F(ONE) | F(MANY) | F(OTHER), french},   /* and Portuguese of Brazil */
    {"russian", F(ONE) | F(FEW) | F(MANY), russian},   /* and Ukrainian, Belarusian */
    {"polish", F(ONE) | F(FEW) | F(MANY), polish},
    {"serbian", F(ONE) | F(FEW) | F(OTHER), serbian}, /* and Croatian, Bosnian */
    {"czech", F(ONE) | F(FEW) | F(OTHER), czech},     /* and Slovak */
    {"romanian", F(ONE) | F(FEW) | F(OTHER), romanian},
    {"slovene", F(ONE) | F(TWO) | F(FEW) | F(OTHER), slovene},
    {"lithuanian", F(ONE) | F(FEW) | F(OTHER), lithuanian},
    {"latvian", F(ZERO) | F(ONE) | F(OTHER), latvian},
    {"hebrew", F(ONE) | F(TWO) | F(OTHER), hebrew},
    {"arabic", F(ZERO) | F(ONE) | F(TWO) | F(FEW) | F(MANY) | F(OTHER), arabic},
    {0},
};

int plural_family_find(const char *name)
{
    for (int i = 0; plural_families[i].name; i++)
        if (strcmp(plural_families[i].name, name) == 0)
            return i;
    return -1;
}
